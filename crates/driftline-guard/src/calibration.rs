//! Probabilities that mean what they say: pᵢ ∝ pᵢ^(1/T), with the temperature T that makes held-out rows of the source most
//! likely (Guo et al. 2017).

use driftline_core::data::Probabilities;
use driftline_core::math::ln;

/// A probability below this counts as this.
const LEAST: f64 = 1e-7;
/// Temperatures that are tried: from e^−1.2 to e^1.8 in steps of e^0.15.
const STEPS: std::ops::RangeInclusive<i32> = -8..=12;
const STEP: f64 = 0.15;

/// p^(1/T), each row made to sum to 1; rows × classes.
pub(super) fn tempered(probabilities: &Probabilities, temperature: f64) -> Vec<f64> {
    let mut all = Vec::with_capacity(probabilities.len() * probabilities.n_classes());
    for row in probabilities.iter() {
        let start = all.len();
        let own = |&p: &f32| libm::exp(ln(f64::from(p).max(LEAST)) / temperature);
        all.extend(row.iter().map(own));
        let sum: f64 = all[start..].iter().sum();
        all[start..].iter_mut().for_each(|p| *p /= sum);
    }
    all
}

/// The temperature at which these labels are most likely.
pub(super) fn temperature(probabilities: &Probabilities, labels: &[u32]) -> f64 {
    let n_classes = probabilities.n_classes();
    let loss = |temperature: f64| {
        let all = tempered(probabilities, temperature);
        let rows = all.chunks_exact(n_classes).zip(labels);
        -rows
            .map(|(row, &label)| ln(row[label as usize].max(LEAST)))
            .sum::<f64>()
    };
    let mut best = (f64::INFINITY, 1.0);
    for step in STEPS {
        let temperature = libm::exp(f64::from(step) * STEP);
        let own = loss(temperature);
        if own < best.0 {
            best = (own, temperature);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_too_sure_is_cooled_down() {
        // Says 0.99 and is right three times in four.
        let rows = [0.99_f32, 0.01].repeat(100);
        let labels: Vec<u32> = (0..100).map(|row| u32::from(row % 4 == 0)).collect();
        let said = Probabilities::new(rows, 2).unwrap();
        let temperature = temperature(&said, &labels);
        let now = tempered(&said, temperature)[0];
        assert!((now - 0.75).abs() < 0.05, "{temperature} {now}");
    }

    #[test]
    fn temperature_1_changes_nothing() {
        let said = Probabilities::new(vec![0.25, 0.75], 2).unwrap();
        let same = tempered(&said, 1.0);
        assert!((same[0] - 0.25).abs() < 1e-9 && (same[1] - 0.75).abs() < 1e-9);
    }
}
