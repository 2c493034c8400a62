//! driftline keeps a classifier accurate while its data drift, without new labels.
//!
//! You have a labelled source and a time-ordered stream of unlabelled data that moves away from it little by little.
//! Gradual self-training follows it: label the next window with the current model, drop the least confident examples,
//! train on the rest, repeat.
//!
//! ```
//! use driftline::prelude::*;
//!
//! # fn main() -> driftline::Result<()> {
//! let drift = MovingGaussians::paper().draw(Seed::new(0))?;
//! let (source, target) = (&drift.task.source, &drift.answers.target);
//! let mut adapter = Adapter::auto().window(500).fit(source.inputs(), source.labels().as_slice())?;
//! let before = adapter.score(target.inputs(), target.labels().as_slice())?;
//! adapter.adapt(drift.task.intermediate.inputs())?;
//! let after = adapter.score(target.inputs(), target.labels().as_slice())?;
//! println!("{before} → {after}");
//! # assert!(before.estimate() < Some(0.6) && after.estimate() > Some(0.8));
//! # Ok(())
//! # }
//! ```
//!
//! `Adapter` is the door for arrays ([`runs`]); files go through [`runs::Adapt`], experiments through [`experiment`]. All of
//! them drive one loop ([`adapt`]) whose parts can be yours.
//!
//! The library prints nothing, reads no clock and no environment, and draws no random number that does not come from
//! a [`random::Seed`]: the same call gives the same bytes, for any number of threads.

pub mod advice;
pub mod cancel;
pub mod error;
pub mod files;
mod kernels;
mod math;
mod matrix;
pub mod random;

pub mod data;
pub mod models;
pub mod reading;
pub mod transport;

pub mod drift;

pub mod adapt;
pub mod datasets;
pub mod evaluate;

pub mod experiment;
pub mod fleet;
pub mod prelude;
pub mod runs;
pub mod theory;

pub use cancel::Cancel;
pub use error::{Error, Result};
