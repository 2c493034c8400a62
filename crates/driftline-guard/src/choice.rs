//! The rule: of the candidates that gain over the source model even at their lower bound, deploy the one that gains most;
//! where there is none, the source model. With enough labels the bound is theirs, without it is the scenarios'.

use super::config::GuardConfig;
use super::labels::Evidence;
use super::weighed::Spread;
use serde::{Deserialize, Serialize};

/// What may be in use. In files and lists the source model is 0 and the candidates follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "usize", into = "usize")]
pub(super) enum Choice {
    Source,
    Candidate(usize),
}

impl From<usize> for Choice {
    fn from(place: usize) -> Self {
        match place.checked_sub(1) {
            None => Self::Source,
            Some(candidate) => Self::Candidate(candidate),
        }
    }
}

impl From<Choice> for usize {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Source => 0,
            Choice::Candidate(candidate) => candidate + 1,
        }
    }
}

/// What is known of a candidate in this window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Prospects {
    /// Its gain over the source model, by the scenarios.
    pub gain: Spread,
    /// What it gained when it was rehearsed on the source.
    pub rehearsed: f64,
    /// How much less it gains in balanced accuracy than in accuracy, by the scenarios; at most 0. Labels tell of accuracy.
    pub unbalanced: f64,
    /// The share of rows that it decides unlike the source model, and unlike what is in use.
    pub unlike_source: f64,
    pub unlike_current: f64,
    /// How much of what the scenarios say a leap of the stream puts in doubt.
    pub leap: f64,
    pub labels: Evidence,
    /// Whether it has learned from labels itself, of which scenarios know nothing.
    pub taught: bool,
    /// Whether it has a version to deploy.
    pub proposed: bool,
}

/// The bounds of a candidate's gain over the source model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Whether labels say so.
    pub by_labels: bool,
}

impl Prospects {
    pub fn bounds(&self, rows: usize, config: &GuardConfig) -> Bounds {
        let Spread {
            mean, low, high, ..
        } = self.gain;
        let changed = self.unlike_source;
        let margin = config.win_margin.get() * changed;
        // A leap says nothing against labels: they are of rows on this side of it.
        let expected = if self.taught { 0.0 } else { mean - margin };
        if let Some(gain) = self.labels.gain(changed, expected, config) {
            return Bounds {
                mean: gain.mean + self.unbalanced,
                low: gain.low + self.unbalanced,
                high: 2.0 * gain.mean - gain.low + self.unbalanced,
                by_labels: true,
            };
        }
        let doubt = margin + self.leap * changed;
        // Each row that the two decide differently may go either way: two standard errors of that. None of the others can
        // gain or lose.
        let chance = 2.0 * (changed / rows.max(1) as f64).sqrt();
        let rehearsed = self.rehearsed.clamp(-changed, changed);
        Bounds {
            mean: mean + rehearsed,
            low: low - chance - doubt + rehearsed,
            high: high + chance + rehearsed,
            by_labels: false,
        }
    }
}

/// The candidate with the largest mean of those that gain at their lower bound; what is in use stays among them while it gains
/// on average. A version in use is not left without labels for one that relabels more than a third of the window.
pub(super) fn choose(all: &[(Prospects, Bounds)], current: Choice) -> Choice {
    let mut best = (0.0, Choice::Source);
    for (place, (own, bounds)) in all.iter().enumerate() {
        let choice = Choice::Candidate(place);
        let kept = choice == current && bounds.mean >= 0.0;
        let other = current != Choice::Source && choice != current;
        let leaps = other && 2.0 * own.unlike_current > 1.0 - own.unlike_current;
        let allowed = own.proposed && (bounds.by_labels || !leaps);
        let better = bounds.mean > best.0 || (kept && bounds.mean >= best.0);
        if allowed && (bounds.low > 0.0 || kept) && better {
            best = (bounds.mean, choice);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(mean: f64, off: f64) -> Prospects {
        Prospects {
            gain: Spread {
                mean,
                low: mean - off,
                high: mean + off,
                ..Spread::default()
            },
            unlike_source: 0.1,
            proposed: true,
            ..Prospects::default()
        }
    }

    fn chosen(all: &[Prospects], current: Choice) -> Choice {
        let config = GuardConfig::default();
        let all: Vec<_> = all
            .iter()
            .map(|own| (*own, own.bounds(1000, &config)))
            .collect();
        choose(&all, current)
    }

    const FIRST: Choice = Choice::Candidate(0);
    const SECOND: Choice = Choice::Candidate(1);

    #[test]
    fn gains_that_scenarios_agree_on_are_deployed_and_others_are_not() {
        let table: &[(&[(f64, f64)], Choice)] = &[
            (&[(0.07, 0.01)], FIRST),
            (&[(0.07, 0.04)], Choice::Source),
            (&[(-0.02, 0.0)], Choice::Source),
            (&[(0.09, 0.08), (0.07, 0.01)], SECOND),
            (&[(0.07, 0.01), (0.09, 0.02)], SECOND),
        ];
        for (gains, right) in table {
            let all: Vec<_> = gains
                .iter()
                .map(|&(mean, off)| candidate(mean, off))
                .collect();
            assert_eq!(chosen(&all, Choice::Source), *right, "{gains:?}");
        }
    }

    #[test]
    fn what_was_rehearsed_counts() {
        let mut costly = candidate(0.05, 0.01);
        costly.rehearsed = -0.04;
        assert_eq!(chosen(&[costly], Choice::Source), Choice::Source);
        let mut proven = candidate(0.01, 0.02);
        proven.rehearsed = 0.08;
        assert_eq!(chosen(&[proven], Choice::Source), FIRST);
    }

    #[test]
    fn no_more_is_gained_than_rows_are_changed() {
        let mut same = candidate(0.0, 0.0);
        (same.unlike_source, same.rehearsed) = (0.0, 0.1);
        assert_eq!(chosen(&[same], Choice::Source), Choice::Source);
    }

    #[test]
    fn what_is_in_use_stays_while_it_gains_on_average() {
        let doubtful = candidate(0.01, 0.05);
        assert_eq!(chosen(&[doubtful], FIRST), FIRST);
        assert_eq!(chosen(&[doubtful], Choice::Source), Choice::Source);
        assert_eq!(chosen(&[candidate(-0.01, 0.05)], FIRST), Choice::Source);
    }

    #[test]
    fn after_a_leap_scenarios_count_less() {
        let mut far = candidate(0.07, 0.01);
        assert_eq!(chosen(&[far], Choice::Source), FIRST);
        far.leap = 0.5;
        assert_eq!(chosen(&[far], Choice::Source), Choice::Source);
    }

    #[test]
    fn labels_decide_where_there_are_enough() {
        let mut doubtful = candidate(0.05, 0.2);
        doubtful.labels = Evidence {
            labels: 10.0,
            ahead: 10.0,
        };
        assert_eq!(chosen(&[doubtful], Choice::Source), FIRST);
        let mut wrong = candidate(0.3, 0.0);
        wrong.labels = Evidence {
            labels: 10.0,
            ahead: -10.0,
        };
        assert_eq!(chosen(&[wrong], Choice::Source), Choice::Source);
    }

    #[test]
    fn labels_do_not_speak_for_a_rare_class() {
        let mut common = candidate(0.05, 0.2);
        common.labels = Evidence {
            labels: 10.0,
            ahead: 10.0,
        };
        common.unbalanced = -0.2;
        assert_eq!(chosen(&[common], Choice::Source), Choice::Source);
    }

    #[test]
    fn a_version_in_use_is_not_left_for_a_leap_without_labels() {
        let (stays, mut leaps) = (candidate(0.06, 0.01), candidate(0.09, 0.01));
        leaps.unlike_current = 0.4;
        assert_eq!(chosen(&[stays, leaps], FIRST), FIRST);
        assert_eq!(chosen(&[stays, leaps], Choice::Source), SECOND);
    }
}
