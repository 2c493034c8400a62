//! NumPy's formats: NPY, one array, and NPZ, a zip archive of named ones.

mod header;
mod zip;

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use super::arrays::{Array, ArrayFrames};
use super::bytes::{broken, up_to};
use crate::ReadOptions;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use header::Header;

/// Opens an NPY file.
pub(crate) fn open_npy(path: &Path, options: &ReadOptions) -> Result<ArrayFrames> {
    let file = File::open(path).map_err(Error::io(path))?;
    let length = file.metadata().map_err(Error::io(path))?.len();
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let header = Header::read(&mut reader, path)?;
    header.expect_length(length, path, "the file")?;
    let detected = format!("NPY, {}", header.detected());
    let array = header.into_array(path, String::new(), Box::new(reader), options)?;
    ArrayFrames::new(path, vec![array], detected, options)
}

/// Opens an NPZ file.
pub(crate) fn open_npz(path: &Path, options: &ReadOptions) -> Result<ArrayFrames> {
    let (mut arrays, mut said, mut total) = (vec![], vec![], 0u64);
    for entry in zip::entries(path)? {
        let Some(name) = entry.name.strip_suffix(".npy") else {
            continue;
        };
        // Whatever is not needed is still unpacked to get past it, and arrays in column order are held whole.
        total = total.saturating_add(entry.unpacked);
        if total > options.limits.unpacked {
            let what = match entry.unpacked == total {
                true => format!("array {name} unpacks"),
                false => format!("the arrays up to {name} unpack"),
            };
            let message = format!(
                "{what} to {total} bytes, more than the {} allowed",
                options.limits.unpacked
            );
            return Err(DataFault::new(path, message)
                .help("save large arrays with numpy.save, unpacked, or split them")
                .into());
        }
        let mut values = entry.read(path)?;
        let header = Header::read(&mut values, path)?;
        header.expect_length(entry.unpacked, path, name)?;
        if header.dimensions.is_empty() {
            said.push(format!("{name} (a single value, left out)"));
            continue;
        }
        said.push(format!("{name} {}", header.detected()));
        arrays.push(header.into_array(path, name.into(), values, options)?);
    }
    if arrays.is_empty() {
        return Err(DataFault::new(path, "holds no array")
            .help("an NPZ file is written by numpy.savez or numpy.savez_compressed")
            .into());
    }
    ArrayFrames::new(path, arrays, format!("NPZ: {}", said.join(", ")), options)
}

impl Header {
    /// The array with its values row after row: an array stored column after column is read whole and turned.
    fn into_array(
        self,
        path: &Path,
        name: String,
        mut values: Box<dyn Read + Send>,
        options: &ReadOptions,
    ) -> Result<Array> {
        if self.dimensions.is_empty() {
            return Err(DataFault::new(path, "holds a single value, not rows").into());
        }
        if self.columns_first && self.dimensions.len() > 1 {
            let size = self.value_bytes().unwrap_or(u64::MAX);
            if size > options.limits.unpacked {
                let message = format!(
                    "is stored column after column and has {size} bytes, more than the {} that can be turned",
                    options.limits.unpacked
                );
                return Err(DataFault::new(path, message)
                    .help("save it in C order: numpy.save(file, numpy.ascontiguousarray(array))")
                    .into());
            }
            let bytes = up_to(&mut values, size)
                // What follows the last byte is where an archive compares its checksum.
                .and_then(|bytes| values.read(&mut [0]).map(|_| bytes))
                .map_err(|error| broken(path, error))?;
            let turned = rows_first(&bytes, &self.dimensions, self.element.size());
            values = Box::new(Cursor::new(turned));
        }
        Ok(Array {
            path: path.to_path_buf(),
            name,
            element: self.element,
            order: self.order,
            dimensions: self.dimensions,
            values,
        })
    }
}

/// Turns an array stored with its first dimension fastest into one with its last fastest. Fewer bytes than the dimensions
/// say give as many whole elements; the reader then finds the end too early.
pub(crate) fn rows_first(bytes: &[u8], dimensions: &[usize], size: usize) -> Vec<u8> {
    let n: usize = dimensions.iter().product();
    if size == 0 || bytes.len() / size < n {
        return bytes.to_vec();
    }
    let mut turned = Vec::with_capacity(n * size);
    let strides: Vec<usize> = dimensions
        .iter()
        .scan(1, |stride, &n| {
            let own = *stride;
            *stride *= n;
            Some(own)
        })
        .collect();
    let mut index = vec![0; dimensions.len()];
    for _ in 0..n {
        let at: usize = index
            .iter()
            .zip(&strides)
            .map(|(i, stride)| i * stride)
            .sum();
        turned.extend_from_slice(&bytes[at * size..(at + 1) * size]);
        for (place, &end) in index.iter_mut().zip(dimensions).rev() {
            *place += 1;
            if *place < end {
                break;
            }
            *place = 0;
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_stored_by_columns_is_turned() {
        // [[1, 2, 3], [4, 5, 6]] column after column.
        let bytes = [1, 4, 2, 5, 3, 6];
        assert_eq!(rows_first(&bytes, &[2, 3], 1), [1, 2, 3, 4, 5, 6]);
        assert_eq!(rows_first(&bytes, &[3, 1], 2), bytes);
    }
}
