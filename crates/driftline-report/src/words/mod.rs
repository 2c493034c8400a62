//! Models, windows and outcomes in sentences, the same on every page and in every terminal.

mod action;
mod experiment;
mod late;
mod model;
mod outcome;
mod quantities;
mod reason;
mod when;
mod window;

pub use crate::numbers::count;
pub use action::{command, headline, todo};
pub use experiment::experiment;
pub use late::{audit, estimates, late_score};
pub use model::{fitted, held_out};
pub use outcome::{badge, details, explanation, outcome};
pub use quantities::{difference, how, place, with_interval};
pub use when::{began, minute, window as when};
pub use window::{decision, why, window};
