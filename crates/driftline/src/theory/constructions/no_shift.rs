//! Proposition 3.8: where nothing shifts, self-training on the same distribution again and again.

use super::Construction;
use crate::models::linear::{MarginModel, NormBall};
use crate::theory::atoms::Atoms;

/// P₀ = … = P_T.
pub fn repeated(domain: &Atoms, start: MarginModel, class: NormBall, steps: usize) -> Construction {
    Construction {
        class,
        start,
        domains: vec![domain.clone(); steps + 1],
    }
}
