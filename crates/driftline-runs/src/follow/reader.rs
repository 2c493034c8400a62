//! Reads the log from its beginning to what was appended last, while more is appended.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::entry::Entry;
use super::log::{Position, RowLog};
use super::segment::{Found, next_record};
use driftline_core::{Error, Result};

/// The log, shared by whoever appends and whoever adapts.
pub(super) fn locked(log: &Mutex<RowLog>) -> MutexGuard<'_, RowLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
pub(super) struct LogReader {
    /// Where the next record begins.
    pub position: Position,
    /// Records that were read and not given yet, and how far they were given.
    bytes: Vec<u8>,
    given: usize,
}

impl LogReader {
    /// The next record, or none at the end.
    pub fn next_entry(&mut self, log: &Mutex<RowLog>) -> Result<Option<Entry>> {
        if self.given == self.bytes.len() && !self.fill(log)? {
            return Ok(None);
        }
        let corrupt = |message: &str| {
            let folder = locked(log).folder();
            let Position { segment, byte } = self.position;
            Error::corrupt(
                folder,
                format!("the record at byte {byte} of segment {segment} {message}"),
            )
        };
        let Found::Record(body, length) = next_record(&self.bytes[self.given..]) else {
            return Err(corrupt("was changed or damaged"));
        };
        let entry = Entry::from_bytes(body).map_err(|message| corrupt(&message))?;
        self.given += length;
        self.position.byte += length as u64;
        Ok(Some(entry))
    }

    fn fill(&mut self, log: &Mutex<RowLog>) -> Result<bool> {
        let Some((path, from, end)) = locked(log).from(self.position) else {
            return Ok(false);
        };
        self.bytes.clear();
        self.given = 0;
        let read = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(from.byte))?;
            file.take(end - from.byte).read_to_end(&mut self.bytes)
        });
        read.map_err(Error::io(&path))?;
        self.position = from;
        Ok(true)
    }
}
