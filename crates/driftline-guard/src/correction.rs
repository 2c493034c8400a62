//! How far labels found an estimate to be off, and what is left of its interval: the estimate's own uncertainty and that of
//! the labels, weighed as two measurements of one number, which is told less surely where they differ.

use serde::{Deserialize, Serialize};

use super::config::GuardConfig;

/// Half of a 90 % interval in standard errors.
const HALF_OF_90: f64 = 1.645;
/// A rate is taken to vary at least this much: a few equal outcomes do not prove certainty.
const LEAST_VARIANCE: f64 = 0.01;

/// Labels of one version's decisions: right or wrong, less how likely they were right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Correction {
    /// Sums of weights, of their squares, and of weighted differences.
    weight: f64,
    squares: f64,
    off: f64,
}

impl Correction {
    pub fn add(&mut self, weight: f64, off: f64) {
        self.weight += weight;
        self.squares += weight * weight;
        self.off += weight * off;
    }

    pub fn fade(&mut self, memory: f64) {
        self.weight *= memory;
        self.squares *= memory * memory;
        self.off *= memory;
    }

    /// An estimate and half its interval, once labels have been heard.
    pub fn correct(&self, (mean, half): (f64, f64), config: &GuardConfig) -> (f64, f64) {
        if self.squares <= 0.0 {
            return (mean, half);
        }
        let labels = self.weight * self.weight / self.squares;
        let own = (half / HALF_OF_90) * (half / HALF_OF_90);
        let change = config.least_width.get() * config.least_width.get();
        let theirs = (mean * (1.0 - mean)).max(LEAST_VARIANCE) / labels + change;
        let share = own / (own + theirs);
        let off = self.off / self.weight;
        // The two are apart by more than either should be off: less is known than they say.
        let apart = config.spread_share.get() * off.abs() * (share * (1.0 - share)).sqrt();
        let mean = (mean + share * off).clamp(0.0, 1.0);
        (mean, half * (1.0 - share).sqrt() + apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(labels: usize, off: f64) -> Correction {
        let mut own = Correction::default();
        (0..labels).for_each(|_| own.add(2.0, off));
        own
    }

    #[test]
    fn labels_move_the_estimate_and_narrow_its_interval() {
        let config = GuardConfig::default();
        let (mean, half) = heard(50, -0.4).correct((0.9, 0.3), &config);
        assert!(mean < 0.55 && mean > 0.5 && half < 0.11, "{mean} {half}");
        assert_eq!(heard(0, 0.0).correct((0.9, 0.3), &config), (0.9, 0.3));
    }

    #[test]
    fn few_labels_do_not_move_a_sure_estimate_far() {
        let config = GuardConfig::default();
        let (mean, half) = heard(2, -0.9).correct((0.9, 0.02), &config);
        assert!(mean > 0.88 && half > 0.018, "{mean} {half}");
    }

    #[test]
    fn labels_that_contradict_the_estimate_leave_it_less_sure() {
        let config = GuardConfig::default();
        let half = |off| heard(10, off).correct((0.9, 0.1), &config).1;
        assert!(half(-0.3) > half(-0.1) && half(-0.1) > half(0.0));
        assert!(half(-0.1) < 0.1, "they still narrow it");
    }

    #[test]
    fn old_labels_count_less() {
        let config = GuardConfig::default();
        let mut old = heard(10, -0.4);
        let fresh = old.correct((0.9, 0.2), &config);
        old.fade(0.5);
        old.add(2.0, 0.1);
        let now = old.correct((0.9, 0.2), &config);
        assert!(now.0 > fresh.0, "{now:?} {fresh:?}");
    }
}
