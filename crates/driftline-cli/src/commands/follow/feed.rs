//! Lines of JSON into the log. Nothing that can be read is left out: where there is no room, it waits.

use std::io::BufRead;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use driftline_core::{Cancel, Error};
use driftline_io::{Encoding, Table};
use driftline_runs::{Cut, LineColumns, Lines, RowLog, RunFolder};
use serde_json::{Map, Value};

use super::Opened;
use crate::commands::serve::{json, rows_of};
use crate::failure::Result;
use crate::output;

/// Lines that are logged together, if so many are there.
const BATCH: usize = 512;
/// How long it waits for room.
const PAUSE: Duration = Duration::from_millis(100);

pub struct Feed {
    log: Arc<Mutex<RowLog>>,
    cut: Cut,
    columns: LineColumns,
    encoding: Encoding,
    pub logged: usize,
    pub duplicates: usize,
    pub refused: usize,
}

impl Feed {
    pub fn open(folder: &Path, opened: &Opened) -> Result<Self> {
        let run = RunFolder::read(folder)?;
        Ok(Self {
            log: opened.log.clone(),
            cut: opened.cut,
            columns: opened.columns(),
            encoding: run.model(Some(0))?.encoding,
            logged: 0,
            duplicates: 0,
            refused: 0,
        })
    }

    /// Rows in the log.
    pub fn rows(&self) -> u64 {
        self.locked().rows()
    }

    fn locked(&self) -> MutexGuard<'_, RowLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all lines to the end of the input; `acknowledged` is the last one that is in the log or was refused.
    pub fn take_all(
        &mut self,
        input: &mut (impl BufRead + ?Sized),
        cancel: &Cancel,
        acknowledged: &AtomicU64,
    ) -> Result<()> {
        let (mut at, mut batch, mut line) = (0, vec![], String::new());
        loop {
            line.clear();
            let read = input
                .read_line(&mut line)
                .map_err(Error::io("standard input"))?;
            if read > 0 {
                at += 1;
                if !line.trim().is_empty() {
                    batch.push((at, std::mem::take(&mut line)));
                }
            }
            // What is there already is logged together; nobody waits for more.
            let more = read > 0 && batch.len() < BATCH && has_line(input);
            if !more && !batch.is_empty() {
                self.take(&batch, cancel)?;
                batch.clear();
            }
            if !more {
                acknowledged.store(at, Ordering::Release);
            }
            if read == 0 {
                return Ok(());
            }
            cancel.check()?;
        }
    }

    fn take(&mut self, batch: &[(u64, String)], cancel: &Cancel) -> Result<()> {
        let parsed: Vec<_> = batch
            .iter()
            .map(|(_, text)| serde_json::from_str(text))
            .collect();
        let all: std::result::Result<Vec<Map<String, Value>>, _> = parsed.into_iter().collect();
        let together = all
            .map_err(|error| error.to_string())
            .and_then(|rows| self.lines(rows));
        if let Ok(lines) = together {
            return self.append(&lines, cancel);
        }
        // One of them is not as the others: row by row, so that only that one is left out.
        for (at, text) in batch {
            let row = serde_json::from_str(text);
            let row = row.map_err(|error| format!("{error}; expected one row as {{…}}"));
            match row.and_then(|row| self.lines(vec![row])) {
                Ok(lines) => self.append(&lines, cancel)?,
                Err(message) => {
                    self.refused += 1;
                    output::tell(&format!("line {at} is passed over: {message}"));
                }
            }
        }
        Ok(())
    }

    fn lines(&self, rows: Vec<Map<String, Value>>) -> std::result::Result<Lines, String> {
        let table: Table = json::by_rows(rows)?;
        let rows = rows_of(&table, &self.encoding, self.columns.choice())?;
        self.columns.lines(&table, &rows, None, &self.cut)
    }

    /// Waits until there is room.
    fn append(&mut self, lines: &Lines, cancel: &Cancel) -> Result<()> {
        let mut is_told = false;
        loop {
            let told = self.locked().append(lines);
            self.logged += told.logged;
            self.duplicates += told.duplicates;
            let Some(why) = told
                .why_not
                .filter(|_| told.logged + told.duplicates < lines.len())
            else {
                return Ok(());
            };
            self.duplicates -= told.duplicates;
            if !std::mem::replace(&mut is_told, true) {
                output::tell(&format!("warning: rows wait for room: {why}"));
            }
            std::thread::sleep(PAUSE);
            cancel.check()?;
            self.locked().try_again();
        }
    }
}

/// Whether a whole line is at hand.
fn has_line(input: &mut (impl BufRead + ?Sized)) -> bool {
    input.fill_buf().is_ok_and(|bytes| bytes.contains(&b'\n'))
}
