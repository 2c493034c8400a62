//! driftline keeps a classifier accurate while its data drift, without new labels.

pub mod data;
pub mod datasets;
pub mod error;
mod math;
pub mod models;
pub mod random;

pub use error::{Error, Result};
