//! Two models on the same rows: whether one gets more of them right, from the rows on which only one is right.

use serde::{Deserialize, Serialize};

use driftline_core::data::Z90;
use driftline_core::math::ln;

/// `gained` rows are right by the first model only, `lost` by the second only, of `n` rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedRows {
    pub gained: usize,
    pub lost: usize,
    pub n: usize,
}

impl PairedRows {
    /// The exact test's level: 10 %, as intervals are 90 %.
    pub const LEVEL: f64 = 0.1;

    pub fn new(gained: usize, lost: usize, n: usize) -> Self {
        Self { gained, lost, n }
    }

    /// The first accuracy less the second; 0 of no rows.
    pub fn difference(self) -> f64 {
        (self.gained as f64 - self.lost as f64) / self.n.max(1) as f64
    }

    /// McNemar's exact test: how likely a division of the differing rows as uneven as this one is if either model is as
    /// likely to be the right one, P = 2·Σ_{k ≤ min(gained, lost)} C(m, k)/2ᵐ with m = gained + lost, at most 1.
    pub fn p_value(self) -> f64 {
        let few = self.gained.min(self.lost) as f64;
        let differing = (self.gained + self.lost) as f64;
        // The largest term by logarithms, as 2⁻ᵐ alone may be too small to be written; the others by their ratios.
        let factor = |i: usize| ln((differing - few + i as f64) / i as f64);
        let largest: f64 = (1..=few as usize).map(factor).sum::<f64>() - differing * ln(2.0);
        let mut term = 1.0;
        let mut sum = 1.0;
        let mut k = few;
        while k > 0.0 && term > 1e-17 * sum {
            term *= k / (differing - k + 1.0);
            sum += term;
            k -= 1.0;
        }
        (2.0 * libm::exp(largest) * sum).min(1.0)
    }

    /// Whether one of the models is better than chance explains, by the exact test.
    pub fn differs(self) -> bool {
        self.p_value() <= Self::LEVEL
    }

    /// Tango's 90 % score interval of the difference: all Δ whose score statistic
    /// (gained − lost − nΔ) / √(n(2q + Δ(1 − Δ))) is within ±z, where q is the share of `lost` that is most likely given
    /// Δ. Unlike Wald's, it does not vanish where no rows differ.
    pub fn interval(self) -> (f64, f64) {
        if self.n == 0 {
            return (-1.0, 1.0);
        }
        // The statistic falls with Δ.
        let solve = |level: f64| {
            let (mut low, mut high) = (-1.0, 1.0);
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                match self.score(middle) > level {
                    true => low = middle,
                    false => high = middle,
                }
            }
            (low + high) / 2.0
        };
        (solve(Z90), solve(-Z90))
    }

    fn score(self, difference: f64) -> f64 {
        let [gained, lost, n] = [self.gained, self.lost, self.n].map(|count| count as f64);
        let spread = difference * (1.0 - difference);
        let b = (2.0 * n - gained + lost) * difference - gained - lost;
        let root = (b * b + 8.0 * n * lost * spread).max(0.0).sqrt();
        let q = (root - b) / (4.0 * n);
        let variance = n * (2.0 * q + spread);
        (gained - lost - n * difference) / variance.max(1e-300).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// By hand: 2·(1/2)³, 2·(1 + 12 + 66)/2¹², and no row that differs.
    #[test]
    fn three_gained_and_none_lost_are_no_proof() {
        assert!(near(PairedRows::new(3, 0, 3000).p_value(), 0.25));
        assert!(!PairedRows::new(3, 0, 3000).differs());
        assert!(near(PairedRows::new(2, 10, 50).p_value(), 158.0 / 4096.0));
        assert_eq!(PairedRows::new(0, 0, 50).p_value(), 1.0);
        assert_eq!(PairedRows::new(7, 7, 50).p_value(), 1.0);
        let many = PairedRows::new(60_000, 50_000, 1_000_000);
        assert!(many.p_value() < 1e-100 && many.differs());
    }

    /// Without rows that differ Tango's interval has a closed form: ±z²/(n + z²).
    #[test]
    fn an_interval_of_no_difference_has_a_width() {
        let (low, high) = PairedRows::new(0, 0, 100).interval();
        let half = Z90 * Z90 / (100.0 + Z90 * Z90);
        assert!(near(low, -half) && near(high, half), "{low} {high}");
        assert_eq!(PairedRows::default().interval(), (-1.0, 1.0));
    }

    /// The plain twin: the most likely share of lost rows given Δ by search over all of them, then the same statistic.
    #[test]
    fn the_interval_is_where_the_score_reaches_its_limits() {
        for (gained, lost, n) in [(12, 2, 50), (3, 0, 40), (0, 9, 60), (25, 24, 100)] {
            let rows = PairedRows::new(gained, lost, n);
            let [g, l, n] = [gained, lost, n].map(|count| count as f64);
            let log_likelihood = |q: f64, difference: f64| {
                let p = q + difference;
                let part = |count: f64, share: f64| match count > 0.0 {
                    true => count * share.max(1e-300).ln(),
                    false => 0.0,
                };
                part(g, p) + part(l, q) + part(n - g - l, 1.0 - p - q)
            };
            let score = |difference: f64| {
                let least = (-difference).max(0.0);
                let most = (1.0 - difference) / 2.0;
                let steps = (0..=200_000).map(|i| least + (most - least) * f64::from(i) / 2e5);
                let likelihood = |q: &f64| log_likelihood(*q, difference);
                let q = steps.max_by(|a, b| likelihood(a).total_cmp(&likelihood(b)));
                let variance = n * (2.0 * q.unwrap() + difference * (1.0 - difference));
                (g - l - n * difference) / variance.sqrt()
            };
            let (low, high) = rows.interval();
            assert!(low < rows.difference() && rows.difference() < high);
            assert!((score(low) - Z90).abs() < 1e-3, "{rows:?} {}", score(low));
            assert!((score(high) + Z90).abs() < 1e-3, "{rows:?} {}", score(high));
        }
    }
}
