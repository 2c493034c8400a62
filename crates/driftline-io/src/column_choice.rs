//! Which columns play which part, and which rows count.

use driftline_core::data::time::DateOrder;
use serde::{Deserialize, Serialize};

/// The user's choice of columns and rows. Every column that has no part is a feature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ColumnChoice {
    /// The classes of the source. Never read from a stream.
    pub label: Option<String>,
    /// What orders the stream; without it the order of the files does. Not a feature of a source that is fitted with it.
    pub time: Option<String>,
    /// Classes in the stream, for scoring only.
    pub answers: Option<String>,
    /// Columns passed through to the predictions. Not features of a source that is fitted with them.
    pub ids: Vec<String>,
    /// Columns to leave out.
    pub exclude: Vec<String>,
    /// Columns to take as categories although they hold numbers.
    pub categories: Vec<String>,
    /// Rows to take: those that hold one of the values named for each column. Not features.
    pub filters: Vec<RowFilter>,
    /// Fill missing features with the source's mean or most frequent category instead of refusing them.
    pub impute: bool,
    /// Whether numbers in CSV files have a decimal comma, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_comma: Option<bool>,
    /// What comes first in a date that ends with its year, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates: Option<DateOrder>,
    /// Where a column of the source has missing values, keep them apart instead of only filling them: a number gets a second
    /// input that says so, and no category is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mark_missing: bool,
}

impl ColumnChoice {
    /// With whatever a model, or a run, was made with and what is not said here: how missing values are filled in and how
    /// numbers and dates are written.
    pub fn inheriting(self, own: &Self) -> Self {
        Self {
            impute: self.impute || own.impute,
            decimal_comma: self.decimal_comma.or(own.decimal_comma),
            dates: self.dates.or(own.dates),
            ..self
        }
    }
}

/// `--where COL=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowFilter {
    pub column: String,
    pub value: String,
}
