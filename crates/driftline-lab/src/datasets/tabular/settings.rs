//! What the settings of a table say before anything is read: which files, whether they can work, a smaller version.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::TableOverTime;
use crate::datasets::catalog;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use driftline_io::{Files, InputDigest, blake3};

/// One file pattern, or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "OneOrMore<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "OneOrMore<String>"))]
pub struct TablePatterns(pub Vec<String>);

/// One value of a column, or several; numbers and truth values count as what they are written like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "OneOrMore<Cell>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "OneOrMore<Cell>"))]
pub struct TableValues(pub Vec<String>);

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a text or a list of texts (conditions on rows go to `source-where` and `stream-where`)"
)]
enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Cell {
    Text(String),
    Truth(bool),
    Whole(i64),
    Number(f64),
}

impl<T> OneOrMore<T> {
    fn into_vec(self) -> Vec<T> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }
}

impl From<OneOrMore<String>> for TablePatterns {
    fn from(patterns: OneOrMore<String>) -> Self {
        Self(patterns.into_vec())
    }
}

impl From<OneOrMore<Cell>> for TableValues {
    fn from(values: OneOrMore<Cell>) -> Self {
        let text = |cell| match cell {
            Cell::Text(text) => text,
            Cell::Truth(truth) => truth.to_string(),
            Cell::Whole(number) => number.to_string(),
            Cell::Number(number) => number.to_string(),
        };
        Self(values.into_vec().into_iter().map(text).collect())
    }
}

impl From<TablePatterns> for Vec<String> {
    fn from(patterns: TablePatterns) -> Self {
        patterns.0
    }
}

impl From<TableValues> for Vec<String> {
    fn from(values: TableValues) -> Self {
        values.0
    }
}

fn fault(field: &str, message: impl Into<String>) -> Error {
    Error::Experiment {
        field: field.into(),
        message: message.into(),
    }
}

impl TableOverTime {
    /// Refuses settings that cannot work. No file is looked at.
    pub fn check(&self) -> Result<()> {
        match (&self.catalog, &self.source, &self.stream) {
            (Some(name), None, None) => {
                catalog::table(name).map_err(|error| fault("catalog", error.to_string()))?;
            }
            (Some(_), ..) => {
                let message = "`catalog` names the files; choose rows with `source-where` and `stream-where`, or with `source-rows`";
                return Err(fault("source", message));
            }
            (None, Some(_), _) => {}
            (None, None, _) => {
                return Err(fault(
                    "source",
                    "either `source` or `catalog` must be given",
                ));
            }
        }
        self.check_cut()?;
        self.check_shares()
    }

    /// Whether source and stream are parts of one table.
    fn is_one_table(&self) -> bool {
        self.stream.is_none()
    }

    fn check_cut(&self) -> Result<()> {
        let by_place = self.source_rows.is_some() || self.source_share.is_some();
        if self.source_rows.is_some() && self.source_share.is_some() {
            return Err(fault(
                "source-rows",
                "stands beside `source-share`: give one",
            ));
        }
        if by_place && !self.is_one_table() {
            let message = "is for one table that holds source and stream, and here `stream` names files of its own";
            return Err(fault("source-rows", message));
        }
        if by_place && self.time.is_some() {
            let message = "counts rows in the order of the file, so `time` cannot order them too; leave the column out with `exclude`";
            return Err(fault("source-rows", message));
        }
        let by_value = !self.source_where.is_empty() && !self.stream_where.is_empty();
        if self.is_one_table() && !by_place && !by_value {
            let message = "one table holds source and stream: tell them apart by `source-where` and `stream-where`, or by `source-rows` or `source-share`";
            return Err(fault("source-where", message));
        }
        let conditions = self.source_where.iter().chain(&self.stream_where);
        for (column, values) in conditions {
            if values.0.is_empty() {
                let message = format!("no value is named for `{column}`, so no row would count");
                return Err(fault("source-where", message));
            }
            if *column == self.label {
                let message = "a condition on the label would tell a method what it must not know";
                return Err(fault("stream-where", message));
            }
        }
        Ok(())
    }

    fn check_shares(&self) -> Result<()> {
        let held_out = self.held_out.get();
        if !(held_out > 0.0 && held_out < 1.0) {
            let message = format!("is {held_out}, but must be above 0 and below 1");
            return Err(fault("held-out", message));
        }
        for (name, share) in [
            ("subsample", self.subsample),
            ("target-share", self.target_share),
            ("source-share", self.source_share),
        ] {
            if share.is_some_and(|share| share.get() == 0.0) {
                return Err(fault(name, "is 0, but must be above 0"));
            }
        }
        let used = held_out + self.subsample.map_or(0.0, |share| share.get());
        if used > 1.0 + 1e-9 {
            let message =
                format!("and `held-out` together take {used} of the source, more than all");
            return Err(fault("subsample", message));
        }
        match (self.target_rows, self.target_share) {
            (Some(_), None) | (None, Some(_)) => Ok(()),
            _ => Err(fault(
                "target-rows",
                "exactly one of `target-rows` and `target-share` must be given",
            )),
        }
    }

    /// About one row in `divisor`.
    pub fn scaled_down(&self, divisor: usize) -> Self {
        let divisor = NonZeroUsize::new(divisor).unwrap_or(NonZeroUsize::MIN);
        let less = |rows: NonZeroUsize| NonZeroUsize::new(rows.get() / divisor);
        let before = self.one_in.unwrap_or(NonZeroUsize::MIN);
        Self {
            target_rows: self
                .target_rows
                .map(|rows| less(rows).unwrap_or(NonZeroUsize::MIN)),
            one_in: Some(before.saturating_mul(divisor)),
            ..self.clone()
        }
    }

    /// The files that the patterns stand for: of the source, then of the stream, where that has its own.
    pub(super) fn own_files(&self) -> Result<(Files, Option<Files>)> {
        let files = |patterns: &TablePatterns| {
            let paths = patterns.0.iter().map(|pattern| self.folder.join(pattern));
            Files::new(paths.collect::<Vec<PathBuf>>())
        };
        let source = self.source.as_ref().map(files).transpose()?;
        let source = source.ok_or_else(|| fault("source", "no files are named"))?;
        Ok((source, self.stream.as_ref().map(files).transpose()?))
    }

    /// Refuses patterns that stand for no file that is there; what a catalogue entry needs, the cache says.
    pub fn expect_files(&self) -> Result<()> {
        if self.catalog.is_some() {
            return Ok(());
        }
        let (source, stream) = self.own_files()?;
        let files = [Some(&source), stream.as_ref()].into_iter().flatten();
        let mut paths = files.flat_map(Files::paths);
        match paths.find(|path| !path.exists()) {
            Some(path) => Err(DataFault::new(path, "there is no such file").into()),
            None => Ok(()),
        }
    }

    /// Whether it has files of its own and they are there.
    pub fn has_files(&self) -> bool {
        self.catalog.is_none() && self.expect_files().is_ok()
    }

    /// A short digest of what the files hold; none where they are absent, or known by the catalogue.
    pub fn contents(&self) -> Option<String> {
        if !self.has_files() {
            return None;
        }
        let (source, stream) = self.own_files().ok()?;
        let mut text = String::new();
        for files in [Some(source), stream].into_iter().flatten() {
            for digest in InputDigest::of_all(files.paths()).ok()? {
                text += &digest.blake3;
                text.push('\n');
            }
            text.push('\n');
        }
        Some(blake3(text.as_bytes())[..16].to_owned())
    }
}
