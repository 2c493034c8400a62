//! Labels that suit the model which `auto` has come to: clusters that are followed where it is nearest neighbours, else
//! the teacher's. Which it is was chosen on the source (`models/preset`).

use serde::Serialize;

use super::{Clusters, Labeled, Labeler, PseudoLabeling};
use crate::Result;
use crate::adapt::Context;
use crate::data::Domain;
use crate::models::NamedLearner;
use crate::models::neighbours::NeighboursLearner;

/// Both, of which the model takes one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(in crate::adapt) struct Suited {
    pub teacher: PseudoLabeling,
    pub clusters: Clusters,
}

impl Labeler for Suited {
    fn label(&self, now: &Context<'_>, window: &Domain) -> Result<Labeled> {
        match now.first.model.kind() == NeighboursLearner::KIND {
            true => self.clusters.label(now, window),
            false => self.teacher.label(now, window),
        }
    }

    fn as_pseudo_labeling(&self) -> Option<PseudoLabeling> {
        Some(self.teacher)
    }
}
