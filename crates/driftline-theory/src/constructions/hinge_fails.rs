//! Example 3.7: with the hinge loss two shifts ruin a model of small loss, because a few far outliers hold it in place;
//! the ramp loss ignores them.

use super::Construction;
use crate::atoms::Atoms;
use driftline_core::Result;
use driftline_models::linear::{MarginModel, NormBall, Sign};

/// Q_δ for δ = 1, ⅓, −⅓: points at (±δ, ±1) and outliers of mass α₀ at (∓½, ±(1−α₀)/α₀).
pub fn sequence(outliers: f64) -> Result<Construction> {
    debug_assert!(0.0 < outliers && outliers <= 0.5);
    let far = (1.0 - outliers) / outliers;
    let at = |delta: f64| {
        Atoms::from_list(&[
            ([delta, 1.0], Sign::Plus, (1.0 - outliers) / 2.0),
            ([-0.5, far], Sign::Plus, outliers / 2.0),
            ([-delta, -1.0], Sign::Minus, (1.0 - outliers) / 2.0),
            ([0.5, -far], Sign::Minus, outliers / 2.0),
        ])
    };
    Ok(Construction {
        class: NormBall::unit(),
        start: MarginModel::new(vec![1.0, 0.0], 0.0),
        domains: vec![at(1.0)?, at(1.0 / 3.0)?, at(-1.0 / 3.0)?],
    })
}

/// Given the allowed hinge loss α, the share of outliers α₀ = min(½, 2α/3).
pub fn outliers_for(loss: f64) -> f64 {
    (2.0 * loss / 3.0).min(0.5)
}

/// A classifier of hinge loss 0 on all domains.
pub fn witness() -> MarginModel {
    MarginModel::new(vec![0.0, 1.0], 0.0)
}
