//! What decides how trees are grown. The defaults are those of scikit-learn's HistGradientBoosting and of LightGBM.

use std::num::NonZeroUsize;

use driftline_core::data::{Fraction, NonNegative, Positive};
use driftline_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Settings of gradient-boosted trees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    /// Most rounds of boosting; a round adds one tree, or one for each class where there are three or more.
    pub iterations: NonZeroUsize,
    /// Factor on every leaf. Smaller values need more rounds.
    pub learning_rate: Positive,
    /// Most leaves of one tree. Trees grow at the leaf that gains most, so this bounds their size, not their depth.
    pub max_leaves: NonZeroUsize,
    /// Fewest rows of the source in one leaf. Smaller leaves fit noise.
    pub min_rows_per_leaf: NonZeroUsize,
    /// Added to the second derivatives of a leaf: draws its value to 0.
    pub l2: NonNegative,
    /// Most bins of one column, missing values not counted: 2 to 255, because a bin is stored in one byte.
    pub max_bins: usize,
    /// The same as `l2`, for splits by category only: a set of categories has more freedom to fit noise than a threshold.
    pub category_l2: NonNegative,
    /// Rows that a category must have in a leaf for its own place in the order; rarer ones go right, with unseen ones.
    pub min_rows_per_category: usize,
    /// Weights of the classes.
    pub class_weights: ClassWeights,
    /// When to stop before `iterations` rounds, and on which rows; none uses all rows for training.
    pub early_stopping: Option<EarlyStopping>,
}

/// Stops when the log-loss of the newest rows, which are not trained on, no longer falls. The same rows calibrate the
/// probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct EarlyStopping {
    /// Share of the rows that is held out: the last ones, because the rows are in the order of time. Of rows sorted by class,
    /// the last ones of each class.
    pub held_out: Fraction,
    /// With fewer rows nothing is held out: training needs all of them, and a few rows cannot say when to stop.
    pub min_rows: usize,
    /// Rounds without a better log-loss after which it stops.
    pub patience: NonZeroUsize,
}

/// How much an example counts by its class, on top of its own weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeights {
    #[default]
    Equal,
    /// Every class counts as much as any other in total.
    Balanced,
    /// One weight for each class.
    Given(Vec<Positive>),
}

/// One bin number is kept for missing values.
pub const MOST_BINS: usize = 255;

impl Default for Settings {
    fn default() -> Self {
        let positive = |value| Positive::new(value).expect("a positive constant");
        let some = |value| NonZeroUsize::new(value).expect("a constant above 0");
        let not_negative = |value| NonNegative::new(value).expect("a constant of at least 0");
        Self {
            iterations: some(100),
            learning_rate: positive(0.1),
            max_leaves: some(31),
            min_rows_per_leaf: some(20),
            l2: not_negative(0.0),
            max_bins: MOST_BINS,
            category_l2: not_negative(10.0),
            min_rows_per_category: 10,
            class_weights: ClassWeights::Equal,
            early_stopping: Some(EarlyStopping::default()),
        }
    }
}

impl Default for EarlyStopping {
    fn default() -> Self {
        Self {
            held_out: Fraction::new(0.1).expect("a constant below 1"),
            min_rows: 10_000,
            patience: NonZeroUsize::new(10).expect("a constant above 0"),
        }
    }
}

impl Settings {
    /// Refuses what no single type can refuse.
    pub fn check(&self, n_classes: usize) -> Result<()> {
        if !(2..=MOST_BINS).contains(&self.max_bins) {
            return Err(Error::out_of_range("max-bins", self.max_bins, "2 to 255"));
        }
        if let ClassWeights::Given(weights) = &self.class_weights
            && weights.len() != n_classes
        {
            let found = format!("{} weights", weights.len());
            let expected = format!("one for each of the {n_classes} classes");
            return Err(Error::mismatch("class-weights", expected, found));
        }
        Ok(())
    }

    /// How many of `rows` rows are trained on; the rest, the newest, are held out.
    pub fn trained(&self, rows: usize) -> usize {
        match &self.early_stopping {
            Some(stop) if rows >= stop.min_rows => {
                rows - ((rows as f64 * stop.held_out.get()) as usize).min(rows - 1)
            }
            _ => rows,
        }
    }
}
