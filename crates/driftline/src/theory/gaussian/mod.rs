//! Section 4: two isotropic Gaussian classes whose means drift, and self-training that follows them by U alone.

pub mod drift;
pub mod integral;
pub mod mixture;
pub mod step;

pub use drift::{Drift, follow};
pub use mixture::Mixture;
pub use step::{Lens, Objective, constrained_step};
