//! The entries of a zip archive, as far as NPZ files use them: `rawzip` finds them, and each is unpacked by a reader of its
//! own, so that several are read in step. Sizes and checksums are verified.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ErrorKind, ZipArchive};

use crate::formats::bytes::{broken, torn};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// One file in an archive.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub name: String,
    pub unpacked: u64,
    /// Where its packed bytes begin and end.
    start: u64,
    end: u64,
    deflated: bool,
    crc: u32,
}

/// The directory of an archive.
pub(super) fn entries(path: &Path) -> Result<Vec<Entry>> {
    let file = File::open(path).map_err(Error::io(path))?;
    let length = file.metadata().map_err(Error::io(path))?.len();
    let damaged = |what: &str| torn(path, format!("is not a whole zip archive: {what}")).into();
    let fault = |error: rawzip::Error| match error.into_kind() {
        ErrorKind::IO(error) => broken(path, error),
        other => damaged(&other.to_string()),
    };
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(|error| match error.kind() {
        ErrorKind::IO(_) => fault(error),
        _ => damaged("its directory is missing"),
    })?;
    let mut records = archive.entries(&mut buffer);
    let (mut entries, mut claimed) = (vec![], 0u64);
    while let Some(record) = records.next_entry().map_err(fault)? {
        let name = String::from_utf8_lossy(record.file_path().as_bytes()).into_owned();
        let refuse = |message: String| Err(DataFault::new(path, message).into());
        let method = record.compression_method();
        if record.flags().is_encrypted() {
            return refuse(format!("entry {name} is encrypted"));
        }
        if ![CompressionMethod::STORE, CompressionMethod::DEFLATE].contains(&method) {
            return refuse(format!(
                "entry {name} is packed by method {method}; NumPy stores or deflates"
            ));
        }
        let found = archive.get_entry(record.wayfinder()).map_err(fault)?;
        let (start, end) = found.compressed_data_range();
        let (packed, unpacked) = (end.saturating_sub(start), record.uncompressed_size_hint());
        let deflated = method == CompressionMethod::DEFLATE;
        if !deflated && packed != unpacked {
            return refuse(format!("entry {name} has two sizes"));
        }
        // Many entries may share their bytes, and unpack to more than anybody has stored.
        claimed = claimed.saturating_add(packed);
        if claimed > length {
            return Err(damaged("its entries claim more bytes than it has"));
        }
        entries.push(Entry {
            name,
            unpacked,
            start,
            end,
            deflated,
            crc: record.crc32(),
        });
    }
    Ok(entries)
}

impl Entry {
    /// A reader of its own, unpacking as it goes. It never gives more than the directory announces.
    pub fn read(&self, path: &Path) -> Result<Box<dyn Read + Send>> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        file.seek(SeekFrom::Start(self.start))
            .map_err(|error| broken(path, error))?;
        let packed = BufReader::with_capacity(1 << 16, file).take(self.end - self.start);
        let checked = |inner| Checked {
            inner,
            left: self.unpacked,
            crc: Crc::new(),
            expected: self.crc,
        };
        Ok(if self.deflated {
            let unpacked: Box<dyn Read + Send> = Box::new(DeflateDecoder::new(packed));
            Box::new(BufReader::with_capacity(1 << 16, checked(unpacked)))
        } else {
            Box::new(checked(Box::new(packed)))
        })
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
