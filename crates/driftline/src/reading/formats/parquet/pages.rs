//! The pages of a column chunk, looked through before they are unpacked: no page may claim more than its chunk, and no
//! chunk more than is allowed.

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;

use super::thrift::{Broken, STRUCT, Walk};
use crate::reading::Limits;

/// Deflate and LZ4 never unpack a byte to more than this.
const MOST_PER_BYTE: u64 = 1032;

/// Where a chunk begins, and how long it is.
pub(super) fn place(chunk: &ColumnChunkMetaData) -> Result<(u64, u64), String> {
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

/// How many bytes the chunk unpacks to.
pub(super) fn check(
    bytes: &[u8],
    chunk: &ColumnChunkMetaData,
    limits: &Limits,
) -> Result<u64, String> {
    let name = chunk.column_path();
    let claimed = u64::try_from(chunk.uncompressed_size()).unwrap_or(0);
    let compression = chunk.compression();
    if matches!(compression, Compression::LZO | Compression::BROTLI(_)) {
        return Err(format!(
            "column {name} is packed by {compression}; Snappy, Gzip, Zstandard and LZ4 are read"
        ));
    }
    let unbounded = matches!(compression, Compression::GZIP(_) | Compression::LZ4);
    let (mut rest, mut unpacked) = (bytes, 0u64);
    while !rest.is_empty() {
        let mut walk = Walk::new(rest);
        let page =
            Page::read(&mut walk).map_err(|_| format!("column {name} has a damaged page"))?;
        let too_much = || format!("column {name} has a page that claims {page:?}");
        let sizes = (usize::try_from(page.packed), u64::try_from(page.unpacked));
        let (Ok(packed), Ok(size)) = sizes else {
            return Err(too_much());
        };
        if packed > walk.left()
            || size > claimed
            || page
                .dictionary
                .is_some_and(|n| n < 0 || n > page.unpacked.max(64) * 8)
            || (unbounded && packed as u64 * MOST_PER_BYTE > limits.unpacked)
        {
            return Err(too_much());
        }
        unpacked = unpacked.saturating_add(size);
        rest = &rest[rest.len() - walk.left() + packed..];
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
    fn read(walk: &mut Walk) -> Result<Self, Broken> {
        let mut page = Self::default();
        walk.fields(0, |walk, id, kind| {
            match (id, kind) {
                (2, 5) => page.unpacked = walk.integer()?,
                (3, 5) => page.packed = walk.integer()?,
                (7, STRUCT) => walk.fields(1, |walk, id, kind| {
                    if (id, kind) != (1, 5) {
                        return Ok(false);
                    }
                    page.dictionary = Some(walk.integer()?);
                    Ok(true)
                })?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(page)
    }
}
