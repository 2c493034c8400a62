//! A file that runs are appended to: a head that says whose windows follow and how the stream stands, and their files.
//! Whatever a killed writer left half-written at its end does not count, and the next one writes over it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::row::StreamRow;
use driftline_core::{Error, Result};

const MARK: [u8; 4] = *b"DLF1";
/// Mark, length of the head, length of the body, hash of both.
const START: usize = 4 + 4 + 8 + 32;
/// A head is a row of a table.
const LARGEST_HEAD: u32 = 1 << 20;
/// So many bytes may be on their way to the disk.
const UNSAFE: u64 = 32 << 20;

/// What stands before the files of some windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The windows before these, and those with them.
    pub from: usize,
    pub to: usize,
    /// Whether the stream came to its end with them.
    pub done: bool,
    /// What the run is known by; empty for one that failed.
    pub identity: String,
    pub row: StreamRow,
}

impl Head {
    /// Of a stream that could not be adapted to, after the windows that its row counts.
    pub fn failed(row: &StreamRow) -> Self {
        Self {
            from: row.windows,
            to: row.windows,
            done: false,
            identity: String::new(),
            row: row.clone(),
        }
    }
}

/// Where the files of some windows are.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub pack: PathBuf,
    offset: u64,
    head: u32,
    body: u64,
}

/// A pack that is being written.
#[derive(Debug)]
pub(crate) struct PackWriter {
    path: PathBuf,
    file: File,
    end: u64,
    /// Written since the disk was asked to keep it.
    pending: u64,
}

impl PackWriter {
    /// Opens or makes the file and refuses one that another process writes to; what does not count is cut off.
    pub fn open(path: &Path) -> Result<Self> {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(Error::io(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(Error::Busy { path: path.into() });
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(Error::io(path)(error)),
        }
        let mut end = 0;
        visit(path, |_, place| end = place.end())?;
        file.set_len(end).map_err(Error::io(path))?;
        Ok(Self {
            path: path.into(),
            file,
            end,
            pending: 0,
        })
    }

    pub fn append(&mut self, head: &Head, body: &[u8]) -> Result<Place> {
        let head = serde_json::to_vec(head).expect("a head has string keys only");
        let mut hasher = blake3::Hasher::new();
        hasher.update(&head).update(body);
        let mut bytes = Vec::with_capacity(START + head.len() + body.len());
        bytes.extend(MARK);
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(hasher.finalize().as_bytes());
        bytes.extend(&head);
        bytes.extend(body);
        let sought = self.file.seek(SeekFrom::Start(self.end));
        let written = sought.and_then(|_| self.file.write_all(&bytes));
        written.map_err(Error::io(&self.path))?;
        let place = Place {
            pack: self.path.clone(),
            offset: self.end,
            head: head.len() as u32,
            body: body.len() as u64,
        };
        self.end = place.end();
        self.pending += bytes.len() as u64;
        if self.pending > UNSAFE {
            self.sync()?;
        }
        Ok(place)
    }

    pub fn sync(&mut self) -> Result<()> {
        self.pending = 0;
        self.file.sync_data().map_err(Error::io(&self.path))
    }
}

impl Place {
    fn end(&self) -> u64 {
        self.offset + START as u64 + u64::from(self.head) + self.body
    }

    /// The files, still packed, if they are what was written.
    pub fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = self.whole()?;
        bytes.drain(..START + self.head as usize);
        Ok(bytes)
    }

    /// The same with what stands before them.
    pub fn whole(&self) -> Result<Vec<u8>> {
        let path = &self.pack;
        let mut file = File::open(path).map_err(Error::io(path))?;
        let mut bytes = vec![0; START + self.head as usize + self.body as usize];
        let sought = file.seek(SeekFrom::Start(self.offset));
        let read = sought.and_then(|_| file.read_exact(&mut bytes));
        read.map_err(Error::io(path))?;
        let own = blake3::hash(&bytes[START..]);
        if bytes[16..START] != *own.as_bytes() {
            let message = "was changed or damaged: a checksum differs";
            return Err(Error::corrupt(path, message));
        }
        Ok(bytes)
    }
}

/// Calls `see` for everything in the file that counts. Bodies are passed over, but for the last: a killed writer may have
/// left it incomplete.
pub(crate) fn visit(path: &Path, mut see: impl FnMut(Head, Place)) -> Result<()> {
    let file = File::open(path).map_err(Error::io(path))?;
    let size = file.metadata().map_err(Error::io(path))?.len();
    let mut file = BufReader::new(file);
    let mut offset = 0;
    while let Some((head, place)) = next(&mut file, path, offset, size)? {
        // A body that ends the file may have been cut short in its middle.
        if place.end() == size && place.read().is_err() {
            break;
        }
        offset = place.end();
        see(head, place);
    }
    Ok(())
}

/// What begins at `offset`; none if it is not whole.
fn next(
    file: &mut BufReader<File>,
    path: &Path,
    offset: u64,
    size: u64,
) -> Result<Option<(Head, Place)>> {
    let mut start = [0; START];
    if size - offset < START as u64 {
        return Ok(None);
    }
    file.read_exact(&mut start).map_err(Error::io(path))?;
    let number = |from: usize| u32::from_le_bytes([0, 1, 2, 3].map(|at| start[from + at]));
    let head_length = number(4);
    let place = Place {
        pack: path.into(),
        offset,
        head: head_length,
        body: u64::from(number(8)) | u64::from(number(12)) << 32,
    };
    let end = offset
        .checked_add(START as u64 + u64::from(head_length))
        .and_then(|end| end.checked_add(place.body));
    // After a power cut the end of a file may be there in size only.
    if start == [0; START] {
        return Ok(None);
    }
    let damaged = || Error::corrupt(path, format!("was changed or damaged at byte {offset}"));
    if start[..4] != MARK || head_length > LARGEST_HEAD {
        return Err(damaged());
    }
    if end.is_none_or(|end| end > size) {
        return Ok(None);
    }
    let mut head = vec![0; head_length as usize];
    file.read_exact(&mut head).map_err(Error::io(path))?;
    let head = serde_json::from_slice(&head).map_err(|_| damaged())?;
    let body = i64::try_from(place.body).unwrap_or(i64::MAX);
    file.seek_relative(body).map_err(Error::io(path))?;
    Ok(Some((head, place)))
}
