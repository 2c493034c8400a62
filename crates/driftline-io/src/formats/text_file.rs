//! Text files, plain or gzip, without the byte order mark, and with a limit on the length of one record. Their bytes are
//! hashed on the way where that is asked for.

use std::io::{Cursor, Read};
use std::path::Path;

use super::bytes::{torn, unpacked, up_to};
use super::cp1252::Recoded;
use crate::InputDigest;
use crate::digest::{HashedFile, Seen};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// A file that refuses to go on when one record has become too long: a quote that is never closed would otherwise take
/// the rest of the file for one field. Whoever reads it sets `since_record` to 0 after each record.
pub(crate) struct TextFile {
    inner: Box<dyn Read + Send>,
    seen: Option<Seen>,
    pub since_record: u64,
    limit: u64,
}

impl std::fmt::Debug for TextFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextFile").finish_non_exhaustive()
    }
}

impl TextFile {
    pub(crate) fn open(path: &Path, limit: u64, hash: bool) -> Result<Self> {
        let file = HashedFile::open(path, hash)?;
        let seen = file.seen();
        let mut inner = unpacked(file).map_err(Error::io(path))?;
        let start = up_to(&mut inner, 3).map_err(|error| damaged(path, error))?;
        if start != [0xef, 0xbb, 0xbf] {
            inner = Box::new(Cursor::new(start).chain(inner));
        }
        Ok(Self {
            inner,
            seen,
            since_record: 0,
            limit,
        })
    }

    /// From here on, takes what is read for cp1252 and gives UTF-8.
    pub(crate) fn recode(&mut self) {
        let inner = std::mem::replace(&mut self.inner, Box::new(std::io::empty()));
        self.inner = Box::new(Recoded::new(inner));
    }

    /// What the file is known by, once it was read to its end.
    pub(crate) fn digest(&self) -> Option<InputDigest> {
        self.seen.as_ref().map(Seen::digest)
    }
}

impl Read for TextFile {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.since_record > self.limit {
            return Err(std::io::Error::other(TooLong(self.limit)));
        }
        let n = self.inner.read(buffer)?;
        self.since_record += n as u64;
        Ok(n)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("one record is longer than the {0} bytes that are allowed")]
pub(crate) struct TooLong(pub u64);

/// What is wrong when reading fails: the length of a record and the faults that decompression finds are faults of the
/// file.
pub(crate) fn damaged(path: &Path, error: std::io::Error) -> Error {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    let too_long = error.get_ref().is_some_and(|inner| inner.is::<TooLong>());
    match error.kind() {
        _ if too_long => DataFault::new(path, error.to_string())
            .help("a quote may be open that is never closed, or this is not a text file")
            .into(),
        InvalidData | InvalidInput | UnexpectedEof => {
            torn(path, format!("is not a whole gzip file ({error})")).into()
        }
        _ => Error::io(path)(error),
    }
}

pub(crate) fn not_utf8(path: &Path) -> DataFault {
    DataFault::new(path, "holds bytes that are not UTF-8")
        .help("save the file as UTF-8, or read it with {encoding} cp1252")
}
