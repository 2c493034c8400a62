//! The windows of live rows as tables: `rows/1-500.csv` in the run folder holds the rows of these numbers in the order in which
//! they came. What `step`, `score` and people read; what the rows go by stands in the table or beside it.

use std::path::{Path, PathBuf};

use super::columns::{LineColumns, Lines};
use crate::record::WindowRecord;
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};

/// The folder of the tables in a run's folder.
pub(super) const LIVE: &str = "rows";

/// The numbers of the rows in a table: the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub first: u64,
    pub last: u64,
}

impl Span {
    /// Of a table of this name.
    pub fn of(path: &Path) -> Option<Self> {
        let stem = path.file_name()?.to_str()?.strip_suffix(".csv")?;
        let (first, last) = stem.split_once('-')?;
        let span = Self {
            first: first.parse().ok()?,
            last: last.parse().ok()?,
        };
        (0 < span.first && span.first <= span.last).then_some(span)
    }

    /// Of a window that was cut from live rows.
    pub fn of_record(record: &WindowRecord) -> Option<Self> {
        let [input] = &record.inputs[..] else {
            return None;
        };
        let is_live = input.path.parent()?.file_name()? == LIVE;
        is_live.then(|| Self::of(&input.path)).flatten()
    }

    pub fn has(&self, row: u64) -> bool {
        (self.first..=self.last).contains(&row)
    }

    pub fn path(&self, run: &Path) -> PathBuf {
        let Self { first, last } = self;
        run.join(LIVE).join(format!("{first}-{last}.csv"))
    }

    fn ids_path(&self, run: &Path) -> PathBuf {
        self.path(run).with_extension("ids")
    }
}

/// The last live row that the run has adapted to; 0 before the first.
pub(super) fn adapted_to(records: &[WindowRecord]) -> u64 {
    let spans = records.iter().filter_map(Span::of_record);
    spans.map(|span| span.last).max().unwrap_or(0)
}

/// Writes the table of a window and, where its columns do not say what the rows go by, their ids.
pub(super) fn write(run: &Path, span: Span, columns: &LineColumns, lines: &Lines) -> Result<()> {
    let folder = run.join(LIVE);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    if let (Some(ids), true) = (&lines.ids, columns.choice().ids.is_empty()) {
        let ids = serde_json::to_vec(ids).expect("a list of texts");
        write_whole(&span.ids_path(run), &ids)?;
    }
    let text = columns.header() + &lines.text;
    write_whole(&span.path(run), text.as_bytes())
}

/// The tables that are there, the oldest first.
pub(super) fn all(run: &Path) -> Vec<Span> {
    let entries = std::fs::read_dir(run.join(LIVE)).into_iter().flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    let mut spans: Vec<Span> = paths.filter_map(|path| Span::of(&path)).collect();
    spans.sort();
    spans
}

/// What the rows of a table go by; nothing where nobody said or the table is gone.
pub(super) fn ids(run: &Path, span: Span, columns: &LineColumns) -> Vec<String> {
    use crate::asked::{OneFile, text_columns};
    if let Some(name) = columns.choice().ids.first() {
        let path = span.path(run);
        let table = text_columns(&OneFile(&path), &[name], &super::follower::plain_csv());
        let column = table.ok().and_then(|mut table| table.columns.pop()?);
        return column.unwrap_or_default();
    }
    let read = std::fs::read(span.ids_path(run)).ok();
    let ids = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    ids.unwrap_or_default()
}

/// The bytes of a table and of what belongs to it.
pub(super) fn bytes(run: &Path, span: Span) -> u64 {
    let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
    size(span.path(run)) + size(span.ids_path(run))
}

pub(super) fn remove(run: &Path, span: Span) -> Result<()> {
    for path in [span.ids_path(run), span.path(run)] {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(&path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}
