//! MATLAB's MAT files of level 5 (`save -v6` and `-v7`): numeric arrays, rows of characters and cells of text.
//!
//! The variables of one length become one table; the length is that of the largest variable, along the dimension that
//! agrees with a vector, as labels are one.

mod element;
mod variable;

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::ZlibDecoder;

use super::arrays::{Array, ArrayFrames};
use super::bytes::{broken, torn, up_to};
use super::npy::rows_first;
use crate::ReadOptions;
use crate::elements::Order;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use element::{COMPRESSED, MATRIX, Tag};
use variable::Variable;

/// Opens a MAT file. All its variables are read into memory, within the limit for unpacked arrays.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<ArrayFrames> {
    let (variables, order, mut left_out) = read(path, options.limits.unpacked)?;
    let Some(rows) = length(&variables) else {
        return Err(DataFault::new(path, "holds no numeric array")
            .help("variables that are arrays, rows of characters or cells of text are read")
            .into());
    };
    let (mut arrays, mut said) = (vec![], vec![]);
    for variable in variables {
        let name = variable.name.clone();
        match arranged(variable, rows) {
            Some((dimensions, element, bytes)) => {
                let sizes: Vec<String> = dimensions.iter().map(usize::to_string).collect();
                said.push(format!("{name} {}", sizes.join("×")));
                arrays.push(Array {
                    path: path.to_path_buf(),
                    name,
                    element,
                    order,
                    dimensions,
                    values: Box::new(Cursor::new(bytes)),
                });
            }
            None => left_out.push(name),
        }
    }
    let mut detected = format!("MAT level 5: {}", said.join(", "));
    if !left_out.is_empty() {
        detected += &format!(" (left out: {})", left_out.join(", "));
    }
    ArrayFrames::new(path, arrays, detected, options)
}

/// The variables, and the names of those that are not arrays.
fn read(path: &Path, limit: u64) -> Result<(Vec<Variable>, Order, Vec<String>)> {
    let file = File::open(path).map_err(Error::io(path))?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let order = read_header(&mut reader, path)?;
    let fault = |message: String| -> Error { torn(path, message).into() };
    let (mut variables, mut left_out) = (vec![], vec![]);
    let mut room = limit;
    loop {
        let start = up_to(&mut reader, 8).map_err(Error::io(path))?;
        if start.is_empty() {
            return Ok((variables, order, left_out));
        }
        let tag =
            Tag::parse(&start, order).ok_or_else(|| fault("ends within a variable".into()))?;
        let too_large = || {
            fault(format!(
                "its variables have more than the {limit} bytes that can be read"
            ))
        };
        if tag.size as u64 > room {
            return Err(too_large());
        }
        let mut bytes = up_to(&mut reader, tag.size as u64).map_err(Error::io(path))?;
        if bytes.len() < tag.size {
            return Err(fault(format!(
                "ends after {} variables, within the next",
                variables.len() + left_out.len()
            )));
        }
        let mut kind = tag.kind;
        if kind == COMPRESSED {
            let unpacked = up_to(&mut ZlibDecoder::new(&bytes[..]), room + 1)
                .map_err(|error| broken(path, error))?;
            if unpacked.len() as u64 > room {
                return Err(too_large());
            }
            let inner = Tag::parse(&unpacked, order)
                .filter(|inner| inner.start + inner.size <= unpacked.len())
                .ok_or_else(|| fault("a packed variable is cut off".into()))?;
            kind = inner.kind;
            bytes = unpacked[inner.start..inner.start + inner.size].to_vec();
        }
        room -= bytes.len() as u64;
        if kind == MATRIX {
            match Variable::parse(&bytes, order).map_err(fault)? {
                Ok(variable) => variables.push(variable),
                Err(name) => left_out.push(name),
            }
        }
    }
}

fn read_header(reader: &mut impl Read, path: &Path) -> Result<Order> {
    let header = up_to(reader, 128).map_err(Error::io(path))?;
    let help = "save it with `save('file.mat', '-v7')`, or from Python with scipy.io.savemat";
    if header.starts_with(b"MATLAB 7.3") || header.starts_with(b"\x89HDF") {
        let message = "is a MAT file of version 7.3 (HDF5), which is not read";
        return Err(DataFault::new(path, message).help(help).into());
    }
    match header.get(124..128) {
        Some([0, 1, b'I', b'M']) => Ok(Order::Little),
        Some([1, 0, b'M', b'I']) => Ok(Order::Big),
        _ => Err(DataFault::new(path, "is not a MAT file of level 5")
            .help(help)
            .into()),
    }
}

/// How many rows the table has.
fn length(variables: &[Variable]) -> Option<usize> {
    let largest = variables
        .iter()
        .max_by_key(|variable| variable.bytes.len())?;
    if let Some(length) = largest.vector_length() {
        return Some(length);
    }
    let (first, last) = (largest.dimensions[0], *largest.dimensions.last()?);
    let agrees = |n| variables.iter().any(|v| v.vector_length() == Some(n));
    Some(if !agrees(first) && agrees(last) {
        last
    } else {
        first
    })
}

/// The variable with its rows first and stored row after row; none if it does not have so many rows.
fn arranged(
    variable: Variable,
    rows: usize,
) -> Option<(Vec<usize>, crate::elements::Element, Vec<u8>)> {
    let Variable {
        dimensions,
        element,
        bytes,
        ..
    } = &variable;
    if variable.vector_length() == Some(rows) {
        return Some((vec![rows], *element, variable.bytes));
    }
    let (&last, inner) = dimensions.split_last()?;
    if dimensions[0] == rows {
        let turned = rows_first(bytes, dimensions, element.size());
        return Some((dimensions.clone(), *element, turned));
    }
    if last != rows {
        return None;
    }
    // Examples lie one after another, each with its first dimension fastest.
    let size: usize = inner.iter().product::<usize>() * element.size();
    let turned = bytes
        .chunks_exact(size.max(1))
        .flat_map(|example| rows_first(example, inner, element.size()));
    let all = std::iter::once(rows).chain(inner.iter().copied()).collect();
    Some((all, *element, turned.collect()))
}
