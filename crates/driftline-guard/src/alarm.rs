//! Whether the version in use has fallen below an accuracy, or is worse than the source model, tested after every label
//! without a limit on how often one looks: bets against the claim that it has not, which win nothing on average while it is
//! true (Waudby-Smith and Ramdas 2024). A wealth of 1/risk happens with a chance of at most that risk. Only rows that were
//! drawn evenly from their window count.

use serde::{Deserialize, Serialize};

use super::config::GuardConfig;

/// Bets of different sizes, each half of the one before; their mean is a bet, too.
const BETS: usize = 4;

/// The wealth of every bet since a version is in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Alarm {
    /// The window whose decision brought this version.
    since: usize,
    fallen: [f64; BETS],
    worse: [f64; BETS],
}

impl Default for Alarm {
    fn default() -> Self {
        Self::since(0)
    }
}

impl Alarm {
    /// A version that is in use from the window after `number` on.
    pub fn since(number: usize) -> Self {
        Self {
            since: number,
            fallen: [1.0; BETS],
            worse: [1.0; BETS],
        }
    }

    /// Whether window `number` was served by another version.
    pub fn is_before(&self, number: usize) -> bool {
        number <= self.since
    }

    /// A label: whether the version in use and the source model were right; `lowest` is the accuracy that must be kept.
    pub fn hear(&mut self, number: usize, right: bool, source_right: bool, lowest: f64) {
        if self.is_before(number) {
            return;
        }
        let of = |right: bool| f64::from(u8::from(right));
        let (kept, lost) = (lowest - of(right), of(source_right) - of(right));
        let mut bet = 1.0;
        for (fallen, worse) in self.fallen.iter_mut().zip(&mut self.worse) {
            bet /= 2.0;
            *fallen *= 1.0 + bet * kept / (1.0 - lowest);
            *worse *= 1.0 + bet * lost;
        }
    }

    pub fn has_fallen(&self, config: &GuardConfig) -> bool {
        is_won(&self.fallen, config)
    }

    pub fn is_worse(&self, config: &GuardConfig) -> bool {
        is_won(&self.worse, config)
    }
}

fn is_won(bets: &[f64; BETS], config: &GuardConfig) -> bool {
    let wealth = bets.iter().sum::<f64>() / BETS as f64;
    wealth * config.alarm_risk.get() >= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::random::Seed;
    use rand::RngExt;

    /// The share of streams of 300 labels, right with this chance, on which it was raised at any time.
    fn raised(chance: f64, lowest: f64) -> f64 {
        let config = GuardConfig::default();
        let streams = 1000;
        let is_raised = |stream: usize| {
            let mut random = Seed::new(7).nth(stream).generator();
            let mut alarm = Alarm::default();
            (0..300).any(|_| {
                alarm.hear(1, random.random_bool(chance), true, lowest);
                alarm.has_fallen(&config)
            })
        };
        (0..streams).filter(|&stream| is_raised(stream)).count() as f64 / streams as f64
    }

    #[test]
    fn false_alarms_are_as_rare_as_was_asked() {
        for (chance, lowest) in [(0.8, 0.8), (0.95, 0.9), (0.5, 0.5)] {
            let share = raised(chance, lowest);
            assert!(share <= 0.065, "{chance} {lowest}: {share}");
        }
    }

    #[test]
    fn a_fall_is_found() {
        assert!(raised(0.6, 0.8) > 0.95);
        assert!(raised(0.0, 0.9) == 1.0);
    }

    #[test]
    fn swapped_classes_are_found_by_three_labels_and_right_ones_end_the_alarm() {
        let config = GuardConfig::default();
        let mut alarm = Alarm::default();
        (0..3).for_each(|_| alarm.hear(1, false, true, 0.9));
        assert!(alarm.has_fallen(&config));
        (0..9).for_each(|_| alarm.hear(2, false, true, 0.9));
        assert!(alarm.is_worse(&config));
        (0..100).for_each(|_| alarm.hear(3, true, true, 0.9));
        assert!(!alarm.has_fallen(&config));
        let mut swapped = Alarm::since(4);
        (0..9).for_each(|_| swapped.hear(4, false, true, 0.9));
        assert!(!swapped.has_fallen(&config), "labels of an earlier version");
    }
}
