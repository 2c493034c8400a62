//! Probabilities that mean what they say: pᵢ ∝ pᵢ^(1/T), with the temperature T that makes held-out rows of the source most
//! likely (Guo et al. 2017), mixed with a little of even chances, for models that say never of what does happen.

use serde::{Deserialize, Serialize};

use driftline_core::data::Probabilities;
use driftline_core::math::ln;

/// A probability below this counts as this.
const LEAST: f64 = 1e-7;
/// Temperatures that are tried: from e^−1.2 to e^1.8 in steps of e^0.15.
const STEPS: std::ops::RangeInclusive<i32> = -8..=12;
const STEP: f64 = 0.15;
/// Shares of even chances that are tried: none, and halves of halves.
const HALVINGS: std::ops::RangeInclusive<i32> = 1..=9;
/// The two are chosen in turns.
const ROUNDS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calibration {
    temperature: f64,
    /// The share of even chances.
    even: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            temperature: 1.0,
            even: 0.0,
        }
    }
}

impl Calibration {
    /// The one by which these labels are most likely.
    pub fn of(said: &Probabilities, labels: &[u32]) -> Self {
        let n_classes = said.n_classes();
        let rows: Vec<f64> = said.iter().flatten().map(logarithm).collect();
        // What the right class of each row has of the sum of its powers: shares of even chances are tried on it.
        let powers = |temperature: f64| {
            let all = rows.chunks_exact(n_classes).zip(labels);
            let own = all.map(|(row, &label)| {
                let power = |log: &f64| libm::exp(log / temperature);
                let sum: f64 = row.iter().map(power).sum();
                (power(&row[label as usize]), sum)
            });
            own.collect::<Vec<(f64, f64)>>()
        };
        let likelihood = |powers: &[(f64, f64)], even: f64| {
            let each = even / n_classes as f64;
            let right = powers.iter().map(|(p, sum)| each + (1.0 - even) * p / sum);
            right.map(|p| ln(p.max(LEAST))).sum::<f64>()
        };
        let mut best = Self::default();
        for _ in 0..ROUNDS {
            let at = |temperature| likelihood(&powers(temperature), best.even);
            let tried = STEPS.map(|step| libm::exp(f64::from(step) * STEP));
            best.temperature = likeliest(best.temperature, tried, at);
            let known = powers(best.temperature);
            let tried = HALVINGS.map(|times| 0.5_f64.powi(times));
            best.even = likeliest(best.even, tried, |even| likelihood(&known, even));
        }
        best
    }

    /// Rows × classes, each row summing to 1.
    pub fn apply(&self, said: &Probabilities) -> Vec<f64> {
        let mut all = Vec::with_capacity(said.len() * said.n_classes());
        said.iter().for_each(|row| self.row(row, &mut all));
        all
    }

    fn row(&self, said: &[f32], all: &mut Vec<f64>) {
        let start = all.len();
        let own = |p: &f32| libm::exp(logarithm(p) / self.temperature);
        all.extend(said.iter().map(own));
        let sum: f64 = all[start..].iter().sum();
        let even = self.even / said.len() as f64;
        all[start..]
            .iter_mut()
            .for_each(|p| *p = even + (1.0 - self.even) * *p / sum);
    }
}

fn logarithm(p: &f32) -> f64 {
    ln(f64::from(*p).max(LEAST))
}

/// The likeliest of these and what was best before.
fn likeliest(
    before: f64,
    values: impl Iterator<Item = f64>,
    likelihood: impl Fn(f64) -> f64,
) -> f64 {
    let mut best = (likelihood(before), before);
    for value in values {
        let own = likelihood(value);
        if own > best.0 {
            best = (own, value);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says this and is right three times in four.
    fn says(p: f32) -> (Probabilities, Vec<u32>) {
        let labels = (0..100).map(|row| u32::from(row % 4 == 0)).collect();
        let rows = [p, 1.0 - p].repeat(100);
        (Probabilities::new(rows, 2).unwrap(), labels)
    }

    #[test]
    fn a_model_that_is_too_sure_is_cooled_down() {
        for p in [0.99, 1.0] {
            let (said, labels) = says(p);
            let found = Calibration::of(&said, &labels);
            let now = found.apply(&said)[0];
            assert!((now - 0.75).abs() < 0.05, "{found:?} {now}");
        }
    }

    #[test]
    fn what_is_right_stays() {
        let (said, labels) = says(0.75);
        let now = Calibration::of(&said, &labels).apply(&said)[0];
        assert!((now - 0.75).abs() < 0.01, "{now}");
        let same = Calibration::default().apply(&says(0.25).0);
        assert!((same[0] - 0.25).abs() < 1e-9 && (same[1] - 0.75).abs() < 1e-9);
    }
}
