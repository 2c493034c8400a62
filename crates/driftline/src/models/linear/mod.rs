//! Linear models: the softmax model of the paper's Gaussian experiments, trained in mini-batches or to its exact
//! minimum.

mod cross_validation;
mod full_batch;
mod kernel;
mod lbfgs;
mod mini_batch;
mod softmax;

pub use cross_validation::CrossValidation;
pub use full_batch::FullBatch;
pub use softmax::{LinearLearner, LinearModel, Penalty, Solver};
