//! How good a model is, and how sure we are of it.

mod accuracy;
mod interval;
mod paired;
mod proportion;

pub use accuracy::{Confusion, accuracy};
pub use interval::{Interval, IntervalMethod};
pub use paired::paired_difference;
pub use proportion::{Proportion, paired_shares};
