//! Labels that suit the model which `auto` has come to: clusters that are followed where it is nearest neighbours, else
//! the teacher's. Which it is was chosen on the source (`models/preset`).

use serde::Serialize;

use super::{Clusters, Labeled, Labeler, PseudoLabeling};
use crate::Result;
use crate::adapt::Context;
use crate::data::Domain;
use crate::models::neighbours::NeighboursLearner;
use crate::models::{AnyModel, NamedLearner};

/// Both, of which the model takes one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(in crate::adapt) struct Suited {
    pub teacher: PseudoLabeling,
    pub clusters: Clusters,
}

impl Labeler for Suited {
    fn clusters(&self, first: &AnyModel) -> Option<Clusters> {
        (first.kind() == NeighboursLearner::KIND).then_some(self.clusters)
    }

    fn label(&self, now: &Context<'_>, window: &Domain) -> Result<Labeled> {
        match Labeler::clusters(self, &now.first.model) {
            Some(clusters) => clusters.label(now, window),
            None => self.teacher.label(now, window),
        }
    }

    fn as_pseudo_labeling(&self) -> Option<PseudoLabeling> {
        Some(self.teacher)
    }
}
