//! Labels that come late: a window is scored by them, estimates are checked, the next version may learn from them, and a
//! few of them settle which of two versions is better. Nothing learns unless it is asked for.

mod audit;
mod labels;
mod learn;
mod rows;
mod score;
mod weights;

pub use audit::{Asked, Audit, Audited};
pub use labels::LabelFile;
pub use learn::learn;
pub use score::{LateScore, score};
