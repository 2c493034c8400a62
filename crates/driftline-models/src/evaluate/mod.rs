//! How good a model is, and how sure we are of it.

mod accuracy;
mod interval;
mod kendall;
mod paired;
mod paired_rows;
mod settling;

pub use accuracy::{Confusion, accuracy};
pub use driftline_core::data::Proportion;
pub use interval::{Interval, IntervalMethod};
pub use kendall::kendall_tau;
pub use paired::paired_difference;
pub use paired_rows::PairedRows;
pub use settling::Settling;
