//! The footer of a Parquet file: checked for lengths that cannot be true, then decoded.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use super::thrift::{LIST, STRUCT, Walk};
use super::{fault, part};
use crate::panics::catch_panics;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

const MAGIC: &[u8] = b"PAR1";
const ENCRYPTED: &[u8] = b"PARE";
/// A footer of a table with the most columns in thousands of row groups is smaller.
const LARGEST: u64 = 1 << 30;

pub(super) fn read(file: &mut File, path: &Path) -> Result<ParquetMetaData> {
    let length = file.metadata().map_err(Error::io(path))?.len();
    let cut = || {
        fault(
            path,
            "is not a whole Parquet file: its end is missing".into(),
        )
    };
    if length < 12 {
        return Err(cut());
    }
    let mut end = [0; 8];
    file.seek(SeekFrom::Start(length - 8))
        .and_then(|_| file.read_exact(&mut end))
        .map_err(Error::io(path))?;
    if &end[4..] == ENCRYPTED {
        return Err(DataFault::new(path, "is encrypted, which is not read").into());
    }
    let size = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    if &end[4..] != MAGIC || size > length - 8 || size > LARGEST {
        return Err(cut());
    }
    let bytes = part(file, length - 8 - size, size, path)?;
    let mut walk = Walk::new(&bytes);
    check(&mut walk).ok_or_else(|| fault(path, "has a damaged footer".into()))?;
    catch_panics(path, || {
        ParquetMetaDataReader::decode_metadata(&bytes)
            .map_err(|error| fault(path, format!("has a damaged footer ({error})")))
    })
}

/// A schema nested deeper would exhaust the decoder's stack.
const DEEPEST: usize = 64;

/// Every list must fit into the bytes that follow it, and no group of the schema (field 2) may have more children
/// (field 5 of an element) than the schema has elements, or lie too deep.
fn check(walk: &mut Walk) -> Option<()> {
    walk.fields(0, |walk, id, kind| {
        if (id, kind) != (2, LIST) {
            return Some(false);
        }
        let (element, n) = walk.list()?;
        if element != STRUCT {
            return None;
        }
        // The children that are still to come, for every group that is open.
        let mut open: Vec<usize> = vec![];
        for _ in 0..n {
            let own = children(walk, n)?;
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            if own > 0 {
                open.push(own);
            }
            if open.len() > DEEPEST {
                return None;
            }
        }
        Some(true)
    })
}

/// How many children an element of the schema has, at most `most`.
fn children(walk: &mut Walk, most: usize) -> Option<usize> {
    let mut children = 0;
    walk.fields(1, |walk, id, kind| {
        if id != 5 {
            return Some(false);
        }
        if !(4..=6).contains(&kind) {
            return None;
        }
        children = usize::try_from(walk.integer()?).ok()?;
        if children > most {
            return None;
        }
        Some(true)
    })?;
    Some(children)
}
