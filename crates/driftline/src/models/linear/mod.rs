//! Linear models.

mod barrier;
mod cholesky;
pub mod margin;
pub mod margin_learner;
pub mod norm_ball;
pub mod points;
pub mod ramp_descent;
pub mod ramp_line;

pub use margin::{MarginModel, Sign};
pub use margin_learner::MarginLearner;
pub use norm_ball::{BiasRule, NormBall};
