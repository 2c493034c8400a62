//! The pages of a column chunk, looked through before they are unpacked: no page may claim more than its chunk, and no
//! chunk more than is allowed.

use std::path::Path;

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;

use super::chunk::Chunk;
use super::fault;
use super::thrift::{STRUCT, Walk};
use crate::Limits;
use driftline_core::{Error, Result};

/// Deflate and LZ4 never unpack a byte to more than this.
const MOST_PER_BYTE: u64 = 1032;

/// Where a chunk begins, and how long it is.
pub(super) fn place(chunk: &ColumnChunkMetaData) -> std::result::Result<(u64, u64), String> {
    let start = match chunk.dictionary_page_offset() {
        Some(dictionary) => dictionary,
        None => chunk.data_page_offset(),
    };
    match (u64::try_from(start), u64::try_from(chunk.compressed_size())) {
        (Ok(start), Ok(length)) => Ok((start, length)),
        _ => Err(format!(
            "column {} has a place or length below 0",
            chunk.column_path()
        )),
    }
}

/// How many bytes the chunk unpacks to. Only the headers of its pages are read.
pub(super) fn check(
    bytes: &Chunk,
    chunk: &ColumnChunkMetaData,
    limits: &Limits,
    path: &Path,
) -> Result<u64> {
    let name = chunk.column_path();
    let claimed = u64::try_from(chunk.uncompressed_size()).unwrap_or(0);
    let compression = chunk.compression();
    if matches!(compression, Compression::LZO | Compression::BROTLI(_)) {
        let packed = format!(
            "column {name} is packed by {compression}; Snappy, Gzip, Zstandard and LZ4 are read"
        );
        return Err(fault(path, packed));
    }
    let unbounded = matches!(compression, Compression::GZIP(_) | Compression::LZ4);
    let (mut at, mut unpacked) = (0, 0u64);
    while at < bytes.length {
        let found = Page::at(bytes, at).map_err(Error::io(path))?;
        let (page, header) =
            found.ok_or_else(|| fault(path, format!("column {name} has a damaged page")))?;
        let too_much = || {
            fault(
                path,
                format!("column {name} has a page that claims {page:?}"),
            )
        };
        let sizes = (u64::try_from(page.packed), u64::try_from(page.unpacked));
        let (Ok(packed), Ok(size)) = sizes else {
            return Err(too_much());
        };
        if packed > bytes.length - at - header
            || size > claimed
            || page
                .dictionary
                .is_some_and(|n| n < 0 || n > page.unpacked.max(64) * 8)
            || (unbounded && packed.saturating_mul(MOST_PER_BYTE) > limits.unpacked)
        {
            return Err(too_much());
        }
        unpacked = unpacked.saturating_add(size);
        at += header + packed;
    }
    Ok(unpacked)
}

/// What matters of a page's header.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    unpacked: i64,
    packed: i64,
    /// The number of values, if it is a dictionary.
    dictionary: Option<i64>,
}

impl Page {
    /// The page at a place of the chunk and the length of its header; none if it is damaged.
    fn at(bytes: &Chunk, at: u64) -> std::io::Result<Option<(Self, u64)>> {
        let left = usize::try_from(bytes.length - at).unwrap_or(usize::MAX);
        // Most headers are short; those with long statistics are not.
        let mut length = 256;
        loop {
            let start = bytes.bytes(bytes.start + at, length)?;
            let mut walk = Walk::new(&start);
            match Self::read(&mut walk) {
                Some(page) => return Ok(Some((page, (start.len() - walk.left()) as u64))),
                None if length >= left => return Ok(None),
                None => length = length.saturating_mul(16),
            }
        }
    }

    fn read(walk: &mut Walk) -> Option<Self> {
        let mut page = Self::default();
        walk.fields(0, |walk, id, kind| {
            match (id, kind) {
                (2, 5) => page.unpacked = walk.integer()?,
                (3, 5) => page.packed = walk.integer()?,
                (7, STRUCT) => walk.fields(1, |walk, id, kind| {
                    if (id, kind) != (1, 5) {
                        return Some(false);
                    }
                    page.dictionary = Some(walk.integer()?);
                    Some(true)
                })?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        Some(page)
    }
}
