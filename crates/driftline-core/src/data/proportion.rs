//! A counted share with its interval: so many right out of so many.

use std::fmt;

use serde::{Deserialize, Serialize};

/// z of a two-sided 90 % interval.
pub const Z90: f64 = 1.644_853_626_951_472_7;

/// `hits` out of `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proportion {
    pub hits: usize,
    pub n: usize,
}

impl Proportion {
    pub fn new(hits: usize, n: usize) -> Self {
        Self { hits, n }
    }

    /// The share; `None` of nothing.
    pub fn estimate(self) -> Option<f64> {
        (self.n > 0).then(|| self.hits as f64 / self.n as f64)
    }

    /// Wilson's 90 % interval, which stays within [0, 1] and does not vanish at its ends.
    pub fn interval(self) -> (f64, f64) {
        let Some(p) = self.estimate() else {
            return (0.0, 1.0);
        };
        let n = self.n as f64;
        let middle = p + Z90 * Z90 / (2.0 * n);
        let half = Z90 * (p * (1.0 - p) / n + Z90 * Z90 / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z90 * Z90 / n;
        (
            ((middle - half) / scale).max(0.0),
            ((middle + half) / scale).min(1.0),
        )
    }
}

/// "93.4 %", or "–" of nothing.
impl fmt::Display for Proportion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.estimate() {
            Some(share) => write!(f, "{:.1} %", 100.0 * share),
            None => f.write_str("–"),
        }
    }
}

impl std::ops::AddAssign for Proportion {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.n += other.n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the values of a statistics package (90 %, Wilson).
    #[test]
    fn wilson_by_hand() {
        let (low, high) = Proportion::new(8, 10).interval();
        assert!((low - 0.5408).abs() < 1e-3 && (high - 0.9315).abs() < 1e-3);
        assert_eq!(Proportion::new(10, 10).interval().1, 1.0);
        assert!(Proportion::new(10, 10).interval().0 > 0.7);
        assert_eq!(Proportion::new(0, 0).interval(), (0.0, 1.0));
    }
}
