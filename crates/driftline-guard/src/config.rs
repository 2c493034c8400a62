//! Every number that the judge decides by. Each can be set in files, with `--settings` and from Python:
//! `policy = { guarded = { risk = 0.05 } }`. The evidence for the defaults is in docs/trust.md.

use driftline_core::data::{Fraction, NonNegative, Positive};
use driftline_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// The settings of the policy `guarded`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct GuardConfig {
    /// What to choose from; what suits the model where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// The chance, by the weights of the scenarios, that a candidate loses which may be taken. With 0.1 to 0.3 none of 72
    /// streams of the design half lost more than a point; of 18 real ones the worst lost 3 points with 0.15 and 7 with 0.2.
    pub risk: Fraction,
    /// Rows of a window, and of the source, that are looked at. More rows cost time and change little.
    pub rows: usize,
    /// By how much misfit, in units of its noise, a scenario becomes e times less likely. Between 2 and 4 little changes.
    pub misfit_scale: Positive,
    /// By how much each step of complexity makes a scenario less likely, as a logarithm. 2: estimates without drift are as
    /// good as calibrated confidence; with 0 they are a tenth worse.
    pub complexity_cost: NonNegative,
    /// How much of the misfit of earlier windows counts. 0.9: a scenario that did not fit on the way is not believed again
    /// because it happens to fit now.
    pub memory: Fraction,
    /// Factor on the width of every interval, chosen so that nine in ten cover on the real streams at hand.
    pub width: Positive,
    /// Half the least width of an interval before that factor, as a share of rows.
    pub least_width: Fraction,
    /// How much of the range over all scenarios an interval has on each side, before that factor.
    pub range_share: Fraction,
    /// How much of the estimated error rate an interval has on each side, before that factor.
    pub error_share: Fraction,
    /// Labels that are asked for in each window; 0 asks for none and decides without.
    #[serde(skip_serializing_if = "is_zero")]
    pub labels_per_window: usize,
    /// How much the labels of earlier windows count in the next one. Drift makes them old.
    pub label_memory: Fraction,
    /// How many standard errors of the labels a candidate must be ahead.
    pub label_caution: NonNegative,
    /// How many labels the scenarios count for, once there are labels.
    pub prior_labels: Positive,
    /// The points of accuracy at stake, as a share of rows, from which it asks for labels.
    pub ask_from: Fraction,
}

fn is_zero(labels: &usize) -> bool {
    *labels == 0
}

/// Fewer rows say nothing.
const LEAST_ROWS: usize = 100;

impl Default for GuardConfig {
    fn default() -> Self {
        let positive = |value| Positive::new(value).expect("a positive constant");
        let not_negative = |value| NonNegative::new(value).expect("a constant of at least 0");
        let share = |value| Fraction::new(value).expect("a constant from 0 to 1");
        Self {
            candidates: None,
            risk: share(0.15),
            rows: 1000,
            misfit_scale: positive(3.0),
            complexity_cost: not_negative(2.0),
            memory: share(0.9),
            width: positive(0.8),
            least_width: share(0.02),
            range_share: share(0.3),
            error_share: share(0.2),
            labels_per_window: 0,
            label_memory: share(0.7),
            label_caution: not_negative(1.0),
            prior_labels: positive(4.0),
            ask_from: share(0.05),
        }
    }
}

impl GuardConfig {
    pub(super) fn check(&self) -> Result<()> {
        if self.rows < LEAST_ROWS {
            let allowed = format!("at least {LEAST_ROWS}");
            return Err(Error::out_of_range("guarded.rows", self.rows, allowed));
        }
        Ok(())
    }
}
