//! Section 4: two isotropic Gaussian classes whose means drift, and self-training that follows them by U alone.

mod drift;
mod integral;
mod mixture;
mod self_training;
mod step;

pub use drift::{Drift, follow, normal_vector};
use driftline_models::linear::margin::norm;
pub use mixture::Mixture;
pub use self_training::self_train_on;
pub use step::constrained_step;

/// a − b.
pub fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// v/‖v‖.
pub fn unit(v: &[f64]) -> Vec<f64> {
    let length = norm(v);
    v.iter().map(|x| x / length).collect()
}
