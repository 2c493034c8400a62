//! The log of live rows: what is appended survives the death of the process. It drops what was logged already, stops where there
//! is no room, and lets go what the run has adapted to.

use std::path::{Path, PathBuf};

use super::columns::{LineColumns, Lines};
use super::entry::{LoggedLabel, labels_to_bytes, rows_to_bytes};
use super::ids::Ids;
use super::segment::{Segment, framed};
use super::window_files::{self, Span, adapted_to};
use super::{LIVE, LOG};
use crate::folder::{RunFolder, RunManifest};
use driftline_core::files::FolderLock;
use driftline_core::{Error, Result};

/// A segment is closed at this size, or at an eighth of what may be kept.
const SEGMENT: u64 = 8 << 20;

/// When the disk is asked to be sure of what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fsync {
    /// Before every answer.
    Always,
    /// When a window is full.
    #[default]
    Window,
    Never,
}

#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    pub sync: Fsync,
    /// Bytes of rows to keep: those that wait, and the tables of windows.
    pub keep: u64,
}

/// Whether rows are logged, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    On,
    /// As many bytes wait to be adapted to as may be kept.
    Full,
    /// A write failed.
    Stopped(String),
}

impl LogState {
    /// Why nothing is logged.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::On => None,
            Self::Full => Some(
                "the rows that wait to be adapted to fill all that may be kept (--keep)".into(),
            ),
            Self::Stopped(why) => Some(why.clone()),
        }
    }
}

/// What became of some rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// The number of the first row that was logged, and how many were.
    pub first: u64,
    pub logged: usize,
    /// Rows that had been logged before.
    pub duplicates: usize,
    /// Why the others were not.
    pub why_not: Option<String>,
}

/// What was found when the log was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Rows that wait to be adapted to.
    pub waiting: u64,
    /// Bytes of an unfinished record that were cut off, and of which file.
    pub torn: Option<(PathBuf, usize)>,
}

/// Where a record is; the default stands before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub segment: u64,
    pub byte: u64,
}

/// A segment that is full.
#[derive(Debug)]
pub(super) struct Closed {
    pub number: u64,
    pub path: PathBuf,
    pub begin: u64,
    pub end: u64,
    pub last_row: u64,
}

#[derive(Debug)]
pub struct RowLog {
    pub(super) run: PathBuf,
    options: LogOptions,
    pub(super) closed: Vec<Closed>,
    /// None until the first row comes, and where none can be made.
    pub(super) open: Option<Segment>,
    /// The number of the open segment, or of the next one.
    pub(super) number: u64,
    pub(super) next_row: u64,
    pub(super) ids: Ids,
    pub(super) columns: LineColumns,
    state: LogState,
    _lock: FolderLock,
}

impl RowLog {
    /// Opens or begins the log of a run.
    pub fn open(run: &Path, options: LogOptions) -> Result<(Self, Recovered)> {
        RunManifest::read(run)?;
        let folder = run.join(LOG);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let lock = FolderLock::take(&folder)?;
        // Read under the lock: who has followed before us may have added windows.
        let opened = RunFolder::read(run)?;
        let done = adapted_to(opened.records());
        let mut log = Self {
            run: run.into(),
            options,
            closed: vec![],
            open: None,
            number: 1,
            next_row: done + 1,
            ids: Ids::default(),
            columns: LineColumns::of(&opened)?,
            state: LogState::On,
            _lock: lock,
        };
        log.tidy(done)?;
        let torn = log.read_segments(done)?;
        let waiting = log.next_row - 1 - done;
        Ok((log, Recovered { waiting, torn }))
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.run.join(LOG)
    }

    pub fn columns(&self) -> &LineColumns {
        &self.columns
    }

    pub fn state(&self) -> &LogState {
        &self.state
    }

    /// Rows logged so far, those of earlier processes among them.
    pub fn rows(&self) -> u64 {
        self.next_row - 1
    }

    /// Logs rows that were not logged before. Whatever goes wrong is told in the result: rows are answered all the same.
    pub fn append(&mut self, lines: &Lines) -> Appended {
        let mut told = Appended::default();
        let fresh = self.fresh(lines);
        told.duplicates = lines.len() - fresh.as_ref().map_or(lines.len(), Vec::len);
        if let LogState::Stopped(_) = self.state {
            told.why_not = self.state.why();
            return told;
        }
        let picked = fresh.map(|rows| lines.picked(&rows));
        let lines = picked.as_ref().unwrap_or(lines);
        if lines.is_empty() {
            return told;
        }
        let first = self.next_row;
        if self.write(&rows_to_bytes(first, lines)) {
            self.remember(first, lines);
            self.next_row += lines.len() as u64;
            (told.first, told.logged) = (first, lines.len());
        }
        told.why_not = self.state.why();
        told
    }

    /// The rows whose ids are new, also among themselves; none where all are.
    fn fresh(&self, lines: &Lines) -> Option<Vec<usize>> {
        let ids = lines.ids.as_ref()?;
        let mut seen = std::collections::HashSet::new();
        let mut is_new = |id: &String| self.ids.row(id).is_none() && seen.insert(id.clone());
        let is_new = |&row: &usize| ids[row].is_empty() || is_new(&ids[row]);
        let fresh: Vec<usize> = (0..ids.len()).filter(is_new).collect();
        (fresh.len() < ids.len()).then_some(fresh)
    }

    /// Logs labels; the message says why that cannot be. Rows that are not there are refused before.
    pub fn label(&mut self, labels: &[LoggedLabel]) -> std::result::Result<(), String> {
        if let Some(wrong) = labels
            .iter()
            .find(|own| !(1..self.next_row).contains(&own.row))
        {
            return Err(format!("there is no row {} in the log", wrong.row));
        }
        match labels.is_empty() || self.write(&labels_to_bytes(labels)) {
            true => Ok(()),
            false => Err(self.state.why().unwrap_or_default()),
        }
    }

    /// The row of an id: among those remembered, or in the tables that are kept.
    pub fn row_of(&self, id: &str) -> Option<u64> {
        if let Some(row) = self.ids.row(id) {
            return Some(row);
        }
        let spans = window_files::all(&self.run).into_iter().rev();
        let mut found = spans.filter_map(|span| {
            let ids = window_files::ids(&self.run, span, &self.columns);
            let at = ids.iter().position(|own| own == id)?;
            Some(span.first + at as u64)
        });
        found.next()
    }

    fn write(&mut self, body: &[u8]) -> bool {
        let record = framed(body);
        if self.bytes() + record.len() as u64 > self.options.keep {
            self.state = LogState::Full;
            return false;
        }
        match self.write_record(&record) {
            Ok(()) => {
                self.state = LogState::On;
                true
            }
            Err(error) => {
                let path = self.run.join(LOG);
                self.state = LogState::Stopped(format!("{}: {error}", path.display()));
                false
            }
        }
    }

    fn write_record(&mut self, record: &[u8]) -> std::io::Result<()> {
        let most = SEGMENT.min(self.options.keep / 8);
        if let Some(segment) = self.open.take_if(|own| own.end >= most) {
            if self.options.sync != Fsync::Never {
                segment.sync()?;
            }
            self.closed.push(Closed {
                number: self.number,
                path: segment.path,
                begin: segment.begin,
                end: segment.end,
                last_row: self.next_row - 1,
            });
            self.number += 1;
        }
        if self.open.is_none() {
            let path = segment_path(&self.run, self.number);
            let segment = Segment::create(path, self.next_row);
            let segment = segment.map_err(|error| match error {
                Error::Io { source, .. } => source,
                other => std::io::Error::other(other),
            })?;
            self.open = Some(segment);
        }
        let Some(segment) = &mut self.open else {
            return Ok(());
        };
        let end = segment.end;
        segment.append(record)?;
        match self.options.sync {
            Fsync::Always => segment.sync().inspect_err(|_| segment.cut_back(end)),
            Fsync::Window | Fsync::Never => Ok(()),
        }
    }

    /// Tries again to write, where that has failed.
    pub fn try_again(&mut self) {
        if let LogState::Stopped(_) = self.state {
            self.state = LogState::On;
        }
    }

    /// The bytes that are there.
    pub fn bytes(&self) -> u64 {
        let closed: u64 = self.closed.iter().map(|own| own.end).sum();
        closed + self.open.as_ref().map_or(0, |own| own.end)
    }

    /// The records from `position` on that are in one file: the file, where to begin in it, and where they end. A position at
    /// the end of a segment stands for the beginning of the next.
    pub(super) fn from(&self, position: Position) -> Option<(PathBuf, Position, u64)> {
        let closed = self.closed.iter();
        let closed = closed.map(|own| (own.number, &own.path, own.begin, own.end));
        let open = self.open.iter();
        let open = open.map(|own| (self.number, &own.path, own.begin, own.end));
        let range = |(number, path, begin, end): (u64, &PathBuf, u64, u64)| {
            let byte = match number.cmp(&position.segment) {
                std::cmp::Ordering::Less => end,
                std::cmp::Ordering::Equal => position.byte.max(begin),
                std::cmp::Ordering::Greater => begin,
            };
            let from = Position {
                segment: number,
                byte,
            };
            (byte < end).then(|| (path.clone(), from, end))
        };
        closed.chain(open).find_map(range)
    }

    /// What a window is made of is on disk for good, where that is wanted.
    pub(super) fn sync_window(&self) -> Result<()> {
        match (self.options.sync, &self.open) {
            (Fsync::Window, Some(segment)) => segment.sync().map_err(Error::io(&segment.path)),
            _ => Ok(()),
        }
    }

    /// Lets go the closed segments that were read, if the run has adapted to all their rows, and the oldest tables as far as more
    /// is kept than may be. `next` is the first row that waits.
    pub(super) fn release(&mut self, position: Position, next: u64) -> Result<()> {
        let read = |own: &&Closed| own.number < position.segment && own.last_row < next;
        while let Some(first) = self.closed.first().filter(read) {
            std::fs::remove_file(&first.path).map_err(Error::io(&first.path))?;
            self.closed.remove(0);
        }
        let spans = window_files::all(&self.run);
        let sizes: Vec<u64> = spans
            .iter()
            .map(|span| window_files::bytes(&self.run, *span))
            .collect();
        let mut all = self.bytes() + sizes.iter().sum::<u64>();
        // The newest window can always be looked at.
        for (span, size) in spans.iter().zip(&sizes).rev().skip(1).rev() {
            if all <= self.options.keep {
                break;
            }
            window_files::remove(&self.run, *span)?;
            all -= size;
        }
        Ok(())
    }
}

pub(super) fn segment_path(run: &Path, number: u64) -> PathBuf {
    run.join(LOG).join(format!("{number:08}.log"))
}

pub(super) fn number_of(path: &Path) -> Option<u64> {
    path.file_name()?
        .to_str()?
        .strip_suffix(".log")?
        .parse()
        .ok()
}

/// The folders that belong to a log, for whoever replaces a run.
pub(crate) const FOLDERS: [&str; 2] = [LOG, LIVE];

/// Whether this is the name of a file of a log.
pub(crate) fn is_of_log(name: &std::ffi::OsStr) -> bool {
    let path = Path::new(name);
    let table = path.with_extension("csv");
    let stem = Span::of(&table).is_some();
    number_of(path).is_some()
        || (stem
            && path
                .extension()
                .is_some_and(|own| own == "csv" || own == "ids"))
        || FolderLock::is(name)
}
