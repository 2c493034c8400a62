//! Every number that the guard decides by. Each can be set in files, with `--settings` and from Python:
//! `policy = { guarded = { caution = 2 } }`. The evidence for the defaults is in docs/trust.md.

use driftline_core::data::{Fraction, NonNegative, Positive};
use serde::{Deserialize, Serialize};

/// The settings of the policy `guarded`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct GuardConfig {
    /// What to choose from; what suits the model where nothing is said. A name behind `+` comes beside that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// Labels to ask for in each window; 0 decides without.
    #[serde(skip_serializing_if = "is_zero")]
    pub labels_per_window: usize,
    /// How many standard errors of the gain a candidate must be ahead. From 1 to 2 little changes, with labels or without.
    pub caution: NonNegative,
    /// Of the rows that a candidate decides unlike the source model, the share by which it must win more than it loses, at
    /// the lower bound and without labels. 0 loses a point on one stream of the design half in a hundred; 0.2 on none, and
    /// keeps two thirds of the gain; 0.4 keeps a third.
    pub win_margin: Fraction,
    /// By how many units of noise a scenario must miss a window to become e times less likely. From 2 to 5 little changes.
    pub misfit_scale: Positive,
    /// The most that a misfit counts, as a logarithm. A scenario may be right about the classes although it does not say
    /// why the inputs moved; with 4 drifts that only a map explains are missed, without a limit the source's past is not heard.
    pub misfit_most: Positive,
    /// By how much each step of complexity makes a scenario less likely, as a logarithm. Estimates without drift are as good
    /// as calibrated confidence with 2, and a tenth worse with 0.
    pub complexity_cost: NonNegative,
    /// How many rows the source's own past counts for: how well each scenario foresaw its later rows from its earlier ones.
    /// Of twelve real tables that it was tried on, two lose more than a point with 0 and one with 100.
    pub history_rows: NonNegative,
    /// How much of what labels said in earlier windows counts in the next one. With 0.9 intervals on real tables cover less often.
    pub memory: Fraction,
    /// Half the least width of an interval, how much an error that labels found may change from window to window, and the
    /// share of rows that a candidate is taken to change at least. Without that, one that gained 0.4 points in a window of
    /// occupancy lost 12 in the next.
    pub least_width: Fraction,
    /// How much of the range over all scenarios, of the error rate, and of what labels and scenarios differ by, an interval
    /// has on each side. On eleven real tables 98 % of the intervals cover with 0.2, 92 % with 0.15 and 87 % with 0.1.
    pub spread_share: Fraction,
    /// How many labels the scenarios count for, once there are labels. With 4 two streams in a hundred lose a point of
    /// balanced accuracy, with 8 none; from 6 to 8 nothing changes.
    pub prior_labels: Positive,
    /// The accuracy at stake, as a share of rows, from which it asks for labels.
    pub ask_from: Fraction,
    /// How far accuracy must have fallen below that on held-out rows of the source to raise the alarm.
    pub alarm_drop: Fraction,
    /// The chance of a false alarm along the whole stream.
    pub alarm_risk: Fraction,
}

fn is_zero(labels: &usize) -> bool {
    *labels == 0
}

impl Default for GuardConfig {
    fn default() -> Self {
        let positive = |value| Positive::new(value).expect("a positive constant");
        let not_negative = |value| NonNegative::new(value).expect("a constant of at least 0");
        let share = |value| Fraction::new(value).expect("a constant from 0 to 1");
        Self {
            candidates: None,
            labels_per_window: 0,
            caution: not_negative(1.0),
            win_margin: share(0.2),
            misfit_scale: positive(3.0),
            misfit_most: positive(10.0),
            complexity_cost: not_negative(2.0),
            history_rows: not_negative(100.0),
            memory: share(0.8),
            least_width: share(0.03),
            spread_share: share(0.2),
            prior_labels: positive(8.0),
            ask_from: share(0.05),
            alarm_drop: share(0.1),
            alarm_risk: share(0.05),
        }
    }
}
