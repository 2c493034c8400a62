//! A log that is opened again: the rows that wait, the ids that are known, and the end that a killed process left unfinished.

use std::path::{Path, PathBuf};

use super::columns::Lines;
use super::entry::Entry;
use super::log::{Closed, RowLog, number_of, segment_path};
use super::segment::{Found, Whole, next_record};
use super::window_files;
use driftline_core::{Error, Result};

impl RowLog {
    /// Removes tables of windows that were never finished, and remembers the ids of the others.
    pub(super) fn tidy(&mut self, done: u64) -> Result<()> {
        for span in window_files::all(&self.run) {
            if span.last > done {
                window_files::remove(&self.run, span)?;
                continue;
            }
            let ids = window_files::ids(&self.run, span, &self.columns);
            for (row, id) in (span.first..).zip(&ids) {
                self.ids.add(id, row);
            }
        }
        Ok(())
    }

    pub(super) fn read_segments(&mut self, done: u64) -> Result<Option<(PathBuf, usize)>> {
        let folder = self.folder();
        let mut numbers: Vec<u64> = std::fs::read_dir(&folder)
            .map_err(Error::io(&folder))?
            .flatten()
            .filter_map(|entry| number_of(&entry.path()))
            .collect();
        numbers.sort_unstable();
        let mut torn = None;
        for (at, &number) in numbers.iter().enumerate() {
            let (path, last) = (segment_path(&self.run, number), at + 1 == numbers.len());
            let Some(whole) = Whole::read(&path, last)? else {
                // Nothing was ever in it.
                std::fs::remove_file(&path).map_err(Error::io(&path))?;
                continue;
            };
            let expected = match at {
                0 => whole.first_row <= done + 1,
                _ => whole.first_row == self.next_row,
            };
            if !expected {
                let message = format!(
                    "begins with row {}, and row {} was to come: a segment of the log is missing",
                    whole.first_row,
                    if at == 0 { done + 1 } else { self.next_row }
                );
                return Err(Error::corrupt(path, message));
            }
            self.next_row = whole.first_row;
            self.read_records(&path, &whole)?;
            self.number = number;
            match last {
                false => self.closed.push(Closed {
                    number,
                    path,
                    begin: whole.begin as u64,
                    end: whole.end as u64,
                    last_row: self.next_row - 1,
                }),
                true => {
                    torn = (whole.torn() > 0).then(|| (path.clone(), whole.torn()));
                    self.open = Some(whole.reopen(path)?);
                }
            }
        }
        if self.open.is_none() && !numbers.is_empty() {
            self.number = numbers.last().map_or(1, |number| number + 1);
        }
        // A power cut may leave less of the log than what was adapted to: nothing of it is needed any more.
        if self.next_row <= done {
            self.closed.clear();
            self.open = None;
            for number in numbers {
                let path = segment_path(&self.run, number);
                std::fs::remove_file(&path).map_err(Error::io(&path))?;
                self.number = number + 1;
            }
            self.next_row = done + 1;
        }
        Ok(torn)
    }

    fn read_records(&mut self, path: &Path, whole: &Whole) -> Result<()> {
        let mut at = whole.begin;
        while let Found::Record(body, length) = next_record(&whole.bytes[at..whole.end]) {
            let entry = Entry::from_bytes(body);
            let corrupt = |message: String| {
                Error::corrupt(path, format!("the record at byte {at} {message}"))
            };
            if let Entry::Rows(first, lines) = entry.map_err(corrupt)? {
                if first != self.next_row {
                    let message = format!("begins with row {first} instead of {}", self.next_row);
                    return Err(corrupt(message));
                }
                self.remember(first, &lines);
                self.next_row += lines.len() as u64;
            }
            at += length;
        }
        Ok(())
    }

    pub(super) fn remember(&mut self, first: u64, lines: &Lines) {
        for (row, id) in (first..).zip(lines.ids.iter().flatten()) {
            self.ids.add(id, row);
        }
    }
}
