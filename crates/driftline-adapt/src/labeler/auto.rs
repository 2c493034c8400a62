//! Labels that suit the model which `auto` has come to: clusters that are followed where it is nearest neighbours of few
//! columns, else the teacher's. Which it is was chosen on the source (`Preset` of driftline-models).

use serde::Serialize;

use super::{Clusters, Labeled, Labeler, PseudoLabeling};
use crate::Context;
use driftline_core::Result;
use driftline_core::data::Domain;
use driftline_models::neighbours::NeighboursLearner;
use driftline_models::{AnyModel, Classifier, Learner, Preset};

/// Both, of which the model takes one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AutoLabeler {
    pub teacher: PseudoLabeling,
    pub clusters: Clusters,
}

impl Labeler for AutoLabeler {
    fn clusters(&self, first: &AnyModel) -> Option<Clusters> {
        let few = first.shape().size() <= Preset::FEW_COLUMNS;
        (few && first.kind() == NeighboursLearner::KIND).then_some(self.clusters)
    }

    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        match Labeler::clusters(self, &ctx.first.model) {
            Some(clusters) => clusters.label(ctx, window),
            None => self.teacher.label(ctx, window),
        }
    }

    fn as_pseudo_labeling(&self) -> Option<PseudoLabeling> {
        Some(self.teacher)
    }
}
