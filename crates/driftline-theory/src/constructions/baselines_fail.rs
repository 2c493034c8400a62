//! Example 3.1: a source model with loss 0 is wrong on all of the target, and self-training on the target keeps it so.

use super::Construction;
use crate::atoms::{Atoms, on_circle};
use driftline_core::Result;
use driftline_models::linear::{MarginModel, NormBall, Sign};

/// A positive atom at `x` and its mirror image as the negative one, each of mass ½.
fn mirrored(x: [f64; 2]) -> Result<Atoms> {
    Atoms::from_list(&[(x, Sign::Plus, 0.5), ([-x[0], -x[1]], Sign::Minus, 0.5)])
}

/// The second coordinate of the positive atom falls from 1 over ⅓ to −⅓; θ₀ = ((0, 1), 0) decides by it.
pub fn printed() -> Result<Construction> {
    Ok(Construction {
        class: NormBall::unit(),
        start: MarginModel::new(vec![0.0, 1.0], 0.0),
        domains: vec![
            mirrored([1.0, 1.0])?,
            mirrored([1.0, 1.0 / 3.0])?,
            mirrored([1.0, -1.0 / 3.0])?,
        ],
    })
}

/// The classifier that is right on all three domains with margin 1.
pub fn witness() -> MarginModel {
    MarginModel::new(vec![1.0, 0.0], 0.0)
}

/// The extension that the paper mentions. In the printed example the max-margin classifier of the source is (1, 1)/√2,
/// which is right on P₂. Here the atoms turn on the unit circle by 55° a step (a chord of 0.92 < 1): (0, 1) is the
/// max-margin classifier of P₀, even the only one of loss 0 in Θ₁, and 110° later it is wrong everywhere.
pub fn max_margin() -> Result<Construction> {
    let turned = |degrees: f64| mirrored(on_circle(1.0, 90.0 - degrees));
    Ok(Construction {
        class: NormBall::unit(),
        start: MarginModel::new(vec![0.0, 1.0], 0.0),
        domains: vec![turned(0.0)?, turned(55.0)?, turned(110.0)?],
    })
}
