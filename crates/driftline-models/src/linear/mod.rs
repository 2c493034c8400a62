//! Linear models: the softmax model of the paper's Gaussian experiments, trained in mini-batches or to its exact
//! minimum, and the margin model of its theory.

mod barrier;
mod cross_validation;
mod file;
mod full_batch;
mod kernel;
mod lbfgs;
pub mod margin;
mod margin_learner;
mod mini_batch;
mod norm_ball;
pub mod points;
pub(crate) mod radius;
pub(crate) mod ramp_descent;
pub mod ramp_line;
mod softmax;
mod spec;

pub use barrier::Certified;
pub use cross_validation::CrossValidation;
pub use full_batch::FullBatch;
pub use margin::{MarginModel, Sign};
pub use margin_learner::MarginLearner;
pub use norm_ball::{BiasRule, NormBall};
pub use points::{Point, Points};
pub use softmax::{LinearLearner, LinearModel, Penalty, Solver};
pub use spec::LinearSpec;
