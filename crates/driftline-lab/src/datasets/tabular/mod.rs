//! Any table that `adapt` reads as a benchmark: a labelled source, and a stream whose answers are for scoring.

mod parts;
mod row_range;
mod settings;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use driftline_core::data::Fraction;

pub use parts::TableParts;
pub use settings::{TablePatterns, TableValues};

/// Where a table lies, which of its columns and rows count, and what is scored.
///
/// - **Files**: `source` and `stream`, patterns relative to the folder of the experiment file; or `catalog`, a data set of
///   the cache that is one table. Where both are one table (`catalog`, or `source` alone), either `source-where` and
///   `stream-where` choose their rows, or the first `source-rows` (or `source-share`) are the source and the rest the
///   stream, in the order of the file.
/// - **Encoding**: fitted on all rows of the source, not scaled (scaling is a method's setting). Columns named in a
///   condition, the time and the label are no features.
/// - **Source**: the data seed draws the rows that are held out and, with `subsample`, the rows that are trained on; both
///   are shares of the whole source and have no row in common. Within each part rows keep their order.
/// - **Stream**: in the order of `time`, rows of the same time in the order of the files; without `time` in the order of
///   the files. The label column, which it must have, is for scoring only.
/// - **Target**: the last rows of the stream. Their answers are scored; without their labels they are the pool for
///   methods that adapt straight to the target. They stay in the stream too.
/// - **Rows that cannot be scored** (no answer, or a class that the source lacks) are refused unless `unanswered` says
///   what should become of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TableOverTime {
    /// A data set of the catalogue that is one table, instead of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// Files of the source, or of source and stream together: a pattern or several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TablePatterns>,
    /// Files of the stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<TablePatterns>,
    /// The column of classes.
    pub label: String,
    /// The column that orders the stream: numbers or times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Only rows that hold this value, or one of these, in each of these columns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub source_where: BTreeMap<String, TableValues>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stream_where: BTreeMap<String, TableValues>,
    /// This many rows from the first are the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_rows: Option<NonZeroUsize>,
    /// The same as a share of all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_share: Option<Fraction>,
    /// Columns to leave out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Columns to take as categories although they hold numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Fill missing features with the source's mean or most frequent category instead of refusing them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub impute: bool,
    /// Keep missing features of the source apart: a number gets a second input that says so, and no category is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mark_missing: bool,
    /// The share of the source that no model is trained on.
    pub held_out: Fraction,
    /// Train on this share of the source, drawn by the data seed; on all that is not held out if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subsample: Option<Fraction>,
    /// This many rows at the end of the stream are the target …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_rows: Option<NonZeroUsize>,
    /// … or this share of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_share: Option<Fraction>,
    /// How rows of the stream are handled that have no answer, or one that is no class of the source.
    #[serde(default, skip_serializing_if = "Unanswered::is_refuse")]
    pub unanswered: Unanswered,
    /// About one row in this many, drawn by the data seed, for a quick look; `target-rows` counts what is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_in: Option<NonZeroUsize>,
    /// What patterns are relative to; the current folder if empty. It is no part of the settings: files are known by
    /// their contents.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// How rows of the stream that cannot be scored are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unanswered {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out of the stream.
    LeaveOut,
    /// They stay in the stream and in the pool; those of the target are not scored, and neither is the stream on the way.
    Keep,
}

impl Unanswered {
    fn is_refuse(&self) -> bool {
        *self == Unanswered::Refuse
    }
}
