//! As much of zip archives as NPZ files use: the directory at the end, entries stored or deflated, 64-bit sizes.
//! Every entry can be read on its own, so that several are read in step; sizes and checksums are verified.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::error::DataFault;
use crate::reading::formats::arrays::broken;
use crate::{Error, Result};

const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// The directory is read at once; a larger one is not that of an NPZ file.
const LARGEST_DIRECTORY: u64 = 16 << 20;

/// The directory of an archive.
pub(super) struct Archive {
    path: PathBuf,
    entries: Vec<Entry>,
}

/// One file in it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub name: String,
    pub unpacked: u64,
    packed: u64,
    deflated: bool,
    crc: u32,
    local: u64,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        let damaged = |what: &str| -> Error {
            DataFault::new(path, format!("is not a whole zip archive: {what}"))
                .help("the file is damaged or cut off: copy or write it again")
                .into()
        };
        // The end record has 22 bytes and a comment of at most 65,535.
        let tail_start = length.saturating_sub(22 + 65_535);
        let tail = part(&mut file, tail_start, length - tail_start, path)?;
        let at = (0..tail.len().saturating_sub(21))
            .rev()
            .find(|&at| tail[at..].starts_with(END))
            .ok_or_else(|| damaged("its directory is missing"))?;
        let end = &tail[at..];
        let (mut count, mut size, mut start) = (
            u64::from(u16_at(end, 10)),
            u64::from(u32_at(end, 12)),
            u64::from(u32_at(end, 16)),
        );
        if (count == 0xffff || size == 0xffff_ffff || start == 0xffff_ffff) && at >= 20 {
            // The locator stands before the end record and says where the 64-bit one is.
            let record = part(&mut file, u64_at(&tail[at - 20..], 8), 56, path)?;
            if record.len() < 56 || !record.starts_with(END_64) {
                return Err(damaged("its 64-bit directory is missing"));
            }
            (count, size, start) = (
                u64_at(&record, 32),
                u64_at(&record, 40),
                u64_at(&record, 48),
            );
        }
        if size > LARGEST_DIRECTORY {
            return Err(damaged("its directory is too large"));
        }
        let directory = part(&mut file, start, size, path)?;
        let mut entries = vec![];
        let mut rest = &directory[..];
        for _ in 0..count {
            let (entry, after) =
                Entry::parse(rest).ok_or_else(|| damaged("its directory is cut off"))?;
            entries.push(entry.map_err(|message| DataFault::new(path, message))?);
            rest = after;
        }
        let claimed = entries.iter().map(|entry| entry.packed);
        if claimed.fold(0u64, u64::saturating_add) > length {
            return Err(damaged("its entries claim more bytes than it has"));
        }
        Ok(Self {
            path: path.to_path_buf(),
            entries,
        })
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A reader of its own for one entry, unpacking as it goes. It never gives more than the directory announces.
    pub fn read(&self, entry: &Entry) -> Result<Box<dyn Read + Send>> {
        let path = &self.path;
        let mut file = File::open(path).map_err(Error::io(path))?;
        let local = part(&mut file, entry.local, 30, path)?;
        if local.len() < 30 || !local.starts_with(LOCAL) {
            return Err(DataFault::new(
                path,
                format!("has no entry where {} should be", entry.name),
            )
            .into());
        }
        let start =
            entry.local + 30 + u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
        file.seek(SeekFrom::Start(start)).map_err(Error::io(path))?;
        let packed = BufReader::with_capacity(1 << 16, file).take(entry.packed);
        let checked = |inner| Checked {
            inner,
            left: entry.unpacked,
            crc: Crc::new(),
            expected: entry.crc,
        };
        Ok(if entry.deflated {
            let unpacked: Box<dyn Read + Send> = Box::new(DeflateDecoder::new(packed));
            Box::new(BufReader::with_capacity(1 << 16, checked(unpacked)))
        } else {
            Box::new(checked(Box::new(packed)))
        })
    }
}

impl Entry {
    /// The entry at the start of `bytes` and what follows it; none if the bytes end within it.
    fn parse(bytes: &[u8]) -> Option<(Result<Self, String>, &[u8])> {
        if bytes.len() < 46 || !bytes.starts_with(ENTRY) {
            return None;
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(bytes, at)));
        let name = bytes.get(46..46 + lengths[0])?;
        let mut extra = bytes.get(46 + lengths[0]..46 + lengths[0] + lengths[1])?;
        let after = bytes.get(46 + lengths.iter().sum::<usize>()..)?;
        let name = String::from_utf8_lossy(name).into_owned();
        let mut sizes = [u32_at(bytes, 24), u32_at(bytes, 20), u32_at(bytes, 42)].map(u64::from);
        // Sizes that do not fit into 32 bits stand in extra field 1, in this order.
        while extra.len() >= 4 {
            let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
            let mut field = extra.get(4..4 + length)?;
            if id == 1 {
                for size in sizes.iter_mut().filter(|size| **size == 0xffff_ffff) {
                    *size = u64_at(field.get(..8)?, 0);
                    field = &field[8..];
                }
            }
            extra = &extra[4 + length..];
        }
        let [unpacked, packed, local] = sizes;
        let method = u16_at(bytes, 10);
        let entry = match method {
            _ if u16_at(bytes, 8) & 1 != 0 => Err(format!("entry {name} is encrypted")),
            0 if packed != unpacked => Err(format!("entry {name} has two sizes")),
            0 | 8 => Ok(Self {
                name,
                unpacked,
                packed,
                deflated: method == 8,
                crc: u32_at(bytes, 16),
                local,
            }),
            other => Err(format!(
                "entry {name} is packed by method {other}; NumPy stores or deflates"
            )),
        };
        Some((entry, after))
    }
}

/// Ends after the announced size, where the checksum must be right and nothing may follow.
struct Checked {
    inner: Box<dyn Read + Send>,
    left: u64,
    crc: Crc,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bad = |what| std::io::Error::new(std::io::ErrorKind::InvalidData, what);
        let room = buffer
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if room == 0 && !buffer.is_empty() {
            if self.inner.read(&mut [0])? != 0 {
                return Err(bad("unpacks to more than it announces"));
            }
            if self.crc.sum() != self.expected {
                return Err(bad("its checksum is wrong"));
            }
            return Ok(0);
        }
        let n = self.inner.read(&mut buffer[..room])?;
        if n == 0 && room > 0 {
            return Err(bad("unpacks to less than it announces"));
        }
        self.crc.update(&buffer[..n]);
        self.left -= n as u64;
        Ok(n)
    }
}

/// Up to `length` bytes from `start`; fewer at the end of the file.
fn part(file: &mut File, start: u64, length: u64, path: &Path) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))
        .map_err(|error| broken(path, error))?;
    let mut bytes = vec![];
    file.take(length)
        .read_to_end(&mut bytes)
        .map_err(Error::io(path))?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
