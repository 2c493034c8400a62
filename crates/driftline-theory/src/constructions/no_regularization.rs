//! Example 3.5: without a bound on the weights, the teacher scaled up has loss 0 on its own labels and decides as before.

use crate::atoms::Atoms;
use driftline_core::{Error, Result};
use driftline_models::linear::MarginModel;

/// θ' = c·θ with c = max(1, 1/min|M_θ(x)|), so that every score is at least 1 in size.
pub fn scaled_teacher(teacher: &MarginModel, domain: &Atoms) -> Result<MarginModel> {
    let sizes = domain.iter().map(|p| teacher.score(p.x).abs());
    let smallest = sizes.fold(f64::INFINITY, f64::min);
    if smallest <= 0.0 {
        return Err(Error::out_of_range(
            "the smallest score",
            smallest,
            "not 0 (the example asks for M_θ(x) ≠ 0)",
        ));
    }
    // A little more than 1/min: where terms cancel in the smallest score, rounding must not leave it just below 1.
    let scale = (1.0 / smallest).max(1.0) * (1.0 + 1e-6);
    let weights = teacher.weights.iter().map(|w| w * scale).collect();
    Ok(MarginModel::new(weights, teacher.bias * scale))
}
