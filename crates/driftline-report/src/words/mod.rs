//! Models, windows and outcomes in sentences, the same on every page and in every terminal.

mod experiment;
mod late;
mod model;
mod outcome;
mod reason;
mod window;

pub use experiment::experiment;
pub use late::{audit, estimates, late_score};
pub use model::{fitted, held_out};
pub use outcome::{badge, details, outcome};
pub use window::{decision, why, window};
