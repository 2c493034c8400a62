//! Adapts to what the log holds: reads on, closes windows, and makes each the next version as `step` would. What it does depends
//! on the log alone, so that a killed process that begins again ends with the same bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::columns::{LineColumns, Lines};
use super::cut::{Cut, Open};
use super::entry::{Entry, LoggedLabel};
use super::late;
use super::log::RowLog;
use super::reader::{LogReader, locked};
use super::window_files::{self, Span, adapted_to};
use crate::asked::OneFile;
use crate::folder::RunFolder;
use crate::record::WindowRecord;
use crate::step::{Stepped, step_live};
use driftline_core::Result;
use driftline_io::ReadOptions;
use driftline_models::Runtime;

#[derive(Debug)]
pub struct Follower {
    run: PathBuf,
    log: Arc<Mutex<RowLog>>,
    columns: LineColumns,
    cut: Cut,
    runtime: Runtime,
    /// Whether labels also train.
    learns: bool,
    reader: LogReader,
    /// A record of rows that was taken in part: the number of its first row, its rows, and the place of the next.
    begun: Option<(u64, Lines, usize)>,
    /// The window at hand.
    open: Open,
    rows: Lines,
    /// The number of its first row.
    first: u64,
    /// A window that is full, and its rows, until the run has it.
    full: Option<(Span, Lines)>,
    /// Labels that wait for the window of their row.
    early: Vec<LoggedLabel>,
    /// Labels that the run has still to take.
    labels: Vec<LoggedLabel>,
    /// Windows with labels that nothing has learned from yet.
    unlearned: BTreeSet<usize>,
}

/// What the follower has done.
#[derive(Debug)]
pub enum Turn {
    /// Nothing: the log was read to its end.
    Idle,
    Window(Box<Closed>),
    /// So many labels were taken, and what could not be done with them.
    Labels(usize, Vec<String>),
}

/// A window that was adapted to.
#[derive(Debug)]
pub struct Closed {
    /// The numbers of its rows in the log.
    pub first: u64,
    pub last: u64,
    pub record: WindowRecord,
    /// Versions that were made before it by learning from labels.
    pub learned: Vec<usize>,
}

impl Follower {
    pub fn open(
        run: &Path,
        log: Arc<Mutex<RowLog>>,
        cut: Cut,
        learns: bool,
        runtime: Runtime,
    ) -> Result<Self> {
        let opened = RunFolder::read(run)?;
        let columns = LineColumns::of(&opened)?;
        Ok(Self {
            run: run.into(),
            columns,
            log,
            cut,
            runtime,
            learns,
            reader: LogReader::default(),
            begun: None,
            open: Open::default(),
            rows: Lines::default(),
            first: adapted_to(opened.records()) + 1,
            full: None,
            early: vec![],
            labels: vec![],
            unlearned: BTreeSet::new(),
        })
    }

    /// Reads on until a window is adapted to, labels are taken, or the log is at its end. After an error the same is tried again.
    pub fn turn(&mut self) -> Result<Turn> {
        loop {
            if !self.labels.is_empty() {
                return self.take_labels();
            }
            if self.full.is_some() {
                return self.adapt();
            }
            if self.begun.is_some() {
                self.gather();
                continue;
            }
            match self.reader.next_entry(&self.log)? {
                None => return Ok(Turn::Idle),
                Some(Entry::Rows(first, lines)) => self.begun = Some((first, lines, 0)),
                Some(Entry::Labels(labels)) => {
                    let (late, early) = labels.into_iter().partition(|own| own.row < self.first);
                    self.labels = late;
                    self.early.extend::<Vec<_>>(early);
                }
            }
        }
    }

    /// The last row that the run has adapted to.
    pub fn adapted_to(&self) -> u64 {
        self.first - 1
    }

    /// Takes rows up to the end of a window.
    fn gather(&mut self) {
        let Some((first, lines, next)) = self.begun.take() else {
            return;
        };
        if self.rows.is_empty() {
            self.rows = lines.picked(&[]);
        }
        for row in next..lines.len() {
            // What was adapted to before the process began.
            if first + (row as u64) < self.first {
                continue;
            }
            let time = lines.times.as_ref().map(|times| &times[row]);
            if self.open.ends_before(&self.cut, time) {
                self.close();
                self.begun = Some((first, lines, row));
                return;
            }
            self.rows.push(&lines, row);
            if self.open.take(&self.cut, time) {
                self.close();
                self.begun = Some((first, lines, row + 1));
                return;
            }
        }
    }

    fn close(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.open = Open::default();
        let last = self.first + rows.len() as u64 - 1;
        let first = self.first;
        self.full = Some((Span { first, last }, rows));
    }

    fn adapt(&mut self) -> Result<Turn> {
        let Some((span, rows)) = &self.full else {
            return Ok(Turn::Idle);
        };
        locked(&self.log).sync_window()?;
        window_files::write(&self.run, *span, &self.columns, rows)?;
        let mut run = RunFolder::open(&self.run)?;
        let mut learned = vec![];
        while let Some(&window) = self.unlearned.first() {
            match late::learn_from(&mut run, window, &self.runtime) {
                Ok(Stepped::Added(version)) => learned.push(version),
                Ok(Stepped::Known(_)) => {}
                Err(error) if late::is_about_labels(&error) => {}
                Err(error) => return Err(error),
            }
            self.unlearned.remove(&window);
        }
        let path = span.path(&self.run);
        step_live(&mut run, &OneFile(&path), &plain_csv(), &self.runtime)?;
        let record = run.records().last().cloned().unwrap_or_default();
        drop(run);
        let (first, last) = (span.first, span.last);
        self.first = last + 1;
        self.full = None;
        let (late, early) = std::mem::take(&mut self.early)
            .into_iter()
            .partition(|own: &LoggedLabel| own.row < self.first);
        self.labels = late;
        self.early = early;
        self.release()?;
        Ok(Turn::Window(Box::new(Closed {
            first,
            last,
            record,
            learned,
        })))
    }

    fn take_labels(&mut self) -> Result<Turn> {
        let mut run = RunFolder::open(&self.run)?;
        let taken = late::take(&mut run, &self.labels, &self.runtime)?;
        drop(run);
        if self.learns {
            self.unlearned.extend(taken.windows);
        }
        let labels = std::mem::take(&mut self.labels).len();
        self.release()?;
        Ok(Turn::Labels(labels, taken.refused))
    }

    /// Lets go what nobody needs any more. Labels are needed until something has learned from them, where that is wanted.
    fn release(&mut self) -> Result<()> {
        let needed =
            !self.unlearned.is_empty() || !self.labels.is_empty() || !self.early.is_empty();
        match needed {
            true => Ok(()),
            false => locked(&self.log).release(self.reader.position, self.first),
        }
    }
}

/// How the tables of windows are written.
pub(super) fn plain_csv() -> ReadOptions {
    ReadOptions {
        delimiter: Some(b','),
        header: Some(true),
        ..ReadOptions::default()
    }
}
