//! driftline keeps a classifier accurate while its data drift, without new labels.
//!
//! You have a labelled source and a time-ordered stream of unlabelled data that moves away from it little by little.
//! Gradual self-training follows it: label the next window with the current model, drop the least confident examples,
//! train on the rest, repeat.
//!
//! ```
//! use driftline::adapt::{Curriculum, Gradual, OptimizerState, PseudoLabeling, SelfTraining, StudentStart};
//! use driftline::data::{Fraction, NonNegative, Tail, Windowing};
//! use driftline::datasets::gaussian::MovingGaussians;
//! use driftline::evaluate::accuracy;
//! use driftline::models::Learner;
//! use driftline::models::linear::{FullBatch, LinearLearner, Penalty, Solver};
//! use driftline::random::Seed;
//!
//! # fn main() -> driftline::Result<()> {
//! let drift = MovingGaussians::paper().draw(Seed::new(0))?;
//! let learner = LinearLearner {
//!     solver: Solver::FullBatch(FullBatch::default()),
//!     penalty: Penalty::L2(NonNegative::new(0.02)?),
//! };
//! let method = SelfTraining {
//!     learner,
//!     pseudo_labeling: PseudoLabeling::paper(Fraction::new(0.1)?),
//!     start: StudentStart::Teacher,
//!     optimizer_state: OptimizerState::Carried,
//!     replay: None,
//! };
//! let windows = Gradual::new(Windowing::Size(500.try_into().unwrap(), Tail::Forbid));
//!
//! let source = learner.fit(&(&drift.task.source).into(), Seed::new(1))?;
//! let adapted = method.adapt(&source, windows.stages(&drift.task, Seed::new(1))?, Seed::new(1))?;
//! assert!(accuracy(&source, &drift.answers.target)? < 0.8);
//! assert!(accuracy(&adapted, &drift.answers.target)? > 0.95);
//! # Ok(())
//! # }
//! ```
//!
//! The library prints nothing, reads no clock and no environment, and draws no random number that does not come from
//! a [`random::Seed`]: the same call gives the same bytes, for any number of threads.

pub mod cancel;
pub mod error;
pub mod files;
mod math;
pub mod random;

pub mod data;
pub mod models;
pub mod reading;
pub mod transport;

pub mod adapt;
pub mod datasets;
pub mod evaluate;

pub mod experiment;
pub mod prelude;
pub mod runs;
pub mod theory;

pub use cancel::Cancel;
pub use error::{Error, Result};
