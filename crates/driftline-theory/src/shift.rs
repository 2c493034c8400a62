//! How far a domain moves: ρ(P, Q), the larger of the W∞ distances between the classes, and the change of P(Y).

use super::atoms::Atoms;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_drift::transport::w_infinity;
use driftline_models::linear::Sign;

/// ρ(P, Q) = max over y of W∞(P_{X|Y=y}, Q_{X|Y=y}). A class that only one of them has cannot be compared.
pub fn rho(p: &Atoms, q: &Atoms) -> Result<f64> {
    let mut farthest: f64 = 0.0;
    for y in [Sign::Minus, Sign::Plus] {
        match (p.class(y), q.class(y)) {
            // Finite distributions are small, so the distance is exact and the seed is never used.
            (Some(p), Some(q)) => farthest = farthest.max(w_infinity(&p, &q, Seed::new(0))?.value),
            (None, None) => {}
            _ => return Err(Error::empty("a class of one of two distributions")),
        }
    }
    Ok(farthest)
}

/// |P(Y=1) − Q(Y=1)|.
pub fn label_shift(p: &Atoms, q: &Atoms) -> f64 {
    (p.positive_share() - q.positive_share()).abs()
}

/// The largest ρ between neighbours of a sequence.
pub fn largest_step(domains: &[Atoms]) -> Result<f64> {
    let mut farthest: f64 = 0.0;
    for pair in domains.windows(2) {
        farthest = farthest.max(rho(&pair[0], &pair[1])?);
    }
    Ok(farthest)
}
