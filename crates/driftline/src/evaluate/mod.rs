//! How good a model is, and how sure we are of it.

mod accuracy;
mod interval;
mod paired;

pub use crate::data::{Proportion, paired_shares};
pub use accuracy::{Confusion, accuracy};
pub use interval::{Interval, IntervalMethod};
pub use paired::paired_difference;
