//! Example 3.6: with the teacher's probabilities as labels and the log loss, the teacher itself is a best student.

use crate::atoms::Atoms;
use driftline_core::Result;
use driftline_models::linear::points::Points;
use driftline_models::linear::{MarginModel, Sign};
use driftline_models::loss::margin::{MarginLoss, sigmoid};

/// The domain with each atom split into a positive part σ(M_θ(x)) and a negative part 1 − σ(M_θ(x)).
pub fn soft_labeled(teacher: &MarginModel, domain: &Atoms) -> Result<Points> {
    let mut points = Points::new(domain.dimension());
    for p in domain.iter() {
        let chance = sigmoid(teacher.score(p.x));
        points.push(p.x, Sign::Plus, p.mass * chance)?;
        points.push(p.x, Sign::Minus, p.mass * (1.0 - chance))?;
    }
    Ok(points)
}

/// E[−p log p' − (1−p) log(1−p')] with p, p' the probabilities of teacher and student (the paper omits the minus signs;
/// with its signs the teacher would be the worst student).
pub fn log_loss(teacher: &MarginModel, student: &MarginModel, domain: &Atoms) -> Result<f64> {
    Ok(soft_labeled(teacher, domain)?.loss(MarginLoss::Logistic, student))
}
