//! What every crate of driftline shares: errors, seeds, matrices, atomic files, and the nouns of the problem (inputs, labels,
//! domains, windows, tasks).

pub mod cancel;
pub mod error;
pub mod files;
pub mod hint;
pub mod kernels;
pub mod math;
pub mod matrix;
pub mod names;
pub mod random;

pub mod data;

pub use cancel::Cancel;
pub use error::{Error, Result};
