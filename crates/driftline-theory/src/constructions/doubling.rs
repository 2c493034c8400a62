//! Example A.8: without any shift, one step of self-training can take the loss from α₀ to nearly 2α₀.

use super::Construction;
use crate::atoms::Atoms;
use driftline_core::Result;
use driftline_models::linear::{MarginModel, NormBall, Sign};

/// P₀ = P₁ on the line, with θ₀ = (1, −δ) and δ = ε/3, for ¼ > α₀ > ε > 0.
pub fn doubling(alpha: f64, epsilon: f64) -> Result<Construction> {
    debug_assert!(0.0 < epsilon && epsilon < alpha && alpha < 0.25);
    let delta = epsilon / 3.0;
    let a = alpha / (1.0 + delta);
    let p = Atoms::from_list(&[
        ([-10.0], Sign::Minus, 0.5),
        ([0.0], Sign::Plus, a),
        ([1.0], Sign::Plus, a - delta),
        ([10.0], Sign::Plus, 0.5 - 2.0 * a + delta),
    ])?;
    Ok(Construction {
        class: NormBall::unit(),
        start: MarginModel::new(vec![1.0], -delta),
        domains: vec![p.clone(), p],
    })
}
