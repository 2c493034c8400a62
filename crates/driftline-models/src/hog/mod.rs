//! A linear model on histograms of oriented gradients: an encoder that nothing is learned in, and a head that learns. Edges
//! stay where brightness, contrast and fashion change, so little has to be followed.

mod file;
mod histograms;
mod learner;
mod model;

pub use histograms::Histograms;
pub(crate) use histograms::{CLIP, EPSILON};
pub use learner::HogLearner;
pub use model::HogModel;
