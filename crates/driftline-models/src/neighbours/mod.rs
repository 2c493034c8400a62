//! k nearest neighbours: p(c | x) = Σ wᵢ·tᵢ(c) / Σ wᵢ over the k examples nearest to x by squared distance, of two as
//! near the one that came first. The model is its examples: nothing is trained, and training on means to hold others.

mod choice;
mod file;
mod learner;
mod model;
mod search;
mod sweep;
mod tree;

pub use learner::NeighboursLearner;
pub use model::NeighboursModel;
pub use search::{Nearest, Points};
