//! Arrays whose first dimension counts the rows, read in step as one table: what NPY, NPZ, IDX and MAT share.
//!
//! n numbers are a column; n×d are d columns; n×height×width and n×height×width×channels are a column of images.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::bytes::broken;
use super::text_table::check_names;
use crate::elements::{Element, Order};
use crate::{Batch, Batches, Column, Field, Head, Kind, ReadOptions};
use driftline_core::Result;
use driftline_core::data::Shape;
use driftline_core::error::DataFault;

/// Pixels that were turned or standardised may lie beyond 0 and 1 by a little, but not by so much.
const BRIGHTEST: f32 = 16.0;

/// About so many bytes of the file are turned into a frame at once.
const FRAME_BYTES: u64 = 4 << 20;
const FRAME_ROWS: u64 = 16_384;

/// An array in a file: its header, and its values to come.
pub(crate) struct Array {
    pub path: PathBuf,
    /// The name in the file; empty if it has none.
    pub name: String,
    pub element: Element,
    pub order: Order,
    /// Rows first; never empty.
    pub dimensions: Vec<usize>,
    /// The values, row after row.
    pub values: Box<dyn Read + Send>,
}

impl Array {
    /// The columns it becomes.
    fn fields(&self, options: &ReadOptions) -> Result<Vec<Field>> {
        let fault = |message: String| DataFault::new(&self.path, message);
        let whole = |n: &[usize]| n.iter().try_fold(1usize, |a, &b| a.checked_mul(b));
        let or = |other: &'static str| match self.name.is_empty() {
            true => other,
            false => &*self.name,
        };
        let called = or("the array");
        let column = |name: String| {
            let text = options.is_text(&name);
            Field::new(name, self.element.kind(text))
        };
        match self.dimensions[1..] {
            [] => Ok(vec![column(or("c0").into())]),
            [1] if !self.name.is_empty() => Ok(vec![column(self.name.clone())]),
            [width] => {
                if width == 0 || width > options.limits.columns {
                    return Err(fault(format!(
                        "{called} has {width} columns; from 1 to {} can be read",
                        options.limits.columns
                    ))
                    .into());
                }
                let prefix = or("c");
                Ok((0..width).map(|at| column(format!("{prefix}{at}"))).collect())
            }
            ref size @ ([_, _] | [_, _, 1 | 3]) => {
                let shape = Shape::Image {
                    height: size[0],
                    width: size[1],
                    channels: size.get(2).copied().unwrap_or(1),
                };
                if whole(size).is_none_or(|n| n == 0 || n > 1 << 26) {
                    return Err(fault(format!("{called} has images of {shape}")).into());
                }
                if self.element.brightness().is_none() {
                    return Err(fault(format!(
                        "{called} has images of {}, but bytes or floats are needed",
                        self.element.name()
                    ))
                    .into());
                }
                Ok(vec![Field::new(or("image"), Kind::Image(shape))])
            }
            _ => Err(fault(format!(
                "{called} has dimensions {:?}, which are not a table",
                self.dimensions
            ))
            .help("rows come first: n, n×columns, n×height×width or n×height×width×channels with 1 or 3 channels")
            .into()),
        }
    }

    /// How many bytes one row has.
    fn row_bytes(&self) -> Result<u64> {
        let size = self.dimensions[1..]
            .iter()
            .try_fold(self.element.size() as u64, |a, &b| a.checked_mul(b as u64));
        size.filter(|&bytes| bytes <= 1 << 30).ok_or_else(|| {
            let message = format!("claims rows of dimensions {:?}", self.dimensions);
            DataFault::new(&self.path, message).into()
        })
    }
}

/// Several arrays of one length.
pub(crate) struct ArrayFrames {
    head: Head,
    arrays: Vec<Part>,
    rows: u64,
    next_row: u64,
    frame_rows: u64,
}

struct Part {
    array: Array,
    /// How many columns a row has, and those that are wanted; the others are read past.
    width: usize,
    wanted: Vec<(usize, Field)>,
    row_bytes: u64,
    buffer: Vec<u8>,
}

impl ArrayFrames {
    pub(crate) fn new(
        path: &Path,
        arrays: Vec<Array>,
        detected: String,
        options: &ReadOptions,
    ) -> Result<Self> {
        let (mut parts, mut names, mut rows) = (vec![], vec![], None);
        for array in arrays {
            let n = array.dimensions[0] as u64;
            if rows.is_some_and(|rows| rows != n) {
                let lengths: Vec<String> = std::iter::once(&array)
                    .chain(parts.iter().map(|part: &Part| &part.array))
                    .map(|array| format!("{} {}", array.name, array.dimensions[0]))
                    .collect();
                let message = format!("holds arrays of different lengths: {}", lengths.join(", "));
                return Err(DataFault::new(path, message)
                    .help(
                        "one file is one table: keep the arrays of one length, for example X and y",
                    )
                    .into());
            }
            rows = Some(n);
            let fields = array.fields(options)?;
            names.extend(fields.iter().map(|field| field.name.clone()));
            parts.push(Part {
                width: fields.len(),
                row_bytes: array.row_bytes()?,
                wanted: (fields.into_iter().enumerate())
                    .filter(|(_, field)| options.wants(&field.name))
                    .collect(),
                array,
                buffer: vec![],
            });
        }
        let names = names.iter().map(String::as_str);
        check_names(path, names, options.limits.columns)?;
        parts.retain(|part| !part.wanted.is_empty());
        let wanted = parts.iter().flat_map(|part| &part.wanted);
        let fields = wanted.map(|(_, field)| field.clone()).collect();
        let rows = rows.unwrap_or(0);
        if rows == 0 {
            return Err(DataFault::new(path, "has no rows").into());
        }
        let row_bytes: u64 = parts.iter().map(|part| part.row_bytes).sum();
        Ok(Self {
            head: Head {
                rows: Some(rows),
                ..Head::new(path, fields, detected)
            },
            rows,
            next_row: 1,
            frame_rows: (FRAME_BYTES / row_bytes.max(1)).clamp(1, FRAME_ROWS),
            arrays: parts,
        })
    }
}

impl Batches for ArrayFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let first_row = self.next_row;
        let rows = (self.rows + 1 - first_row).min(self.frame_rows);
        if rows == 0 {
            return Ok(None);
        }
        let mut columns = vec![];
        for part in &mut self.arrays {
            match part.read(first_row, rows) {
                Ok(more) => columns.extend(more),
                Err(error) => {
                    self.next_row = self.rows + 1;
                    return Err(error);
                }
            }
        }
        self.next_row += rows;
        if self.next_row > self.rows {
            for part in &mut self.arrays {
                part.expect_end()?;
            }
        }
        Ok(Some(Batch::new(first_row, columns, rows as usize)))
    }
}

impl Part {
    fn read(&mut self, first_row: u64, rows: u64) -> Result<Vec<Column>> {
        let array = &mut self.array;
        let size = rows * self.row_bytes;
        self.buffer.clear();
        // Grows with what is really there.
        array
            .values
            .by_ref()
            .take(size)
            .read_to_end(&mut self.buffer)
            .map_err(|error| broken(&array.path, error))?;
        if (self.buffer.len() as u64) < size {
            let whole = first_row - 1 + self.buffer.len() as u64 / self.row_bytes.max(1);
            let message = format!(
                "ends after {whole} of the {} rows that it announces",
                array.dimensions[0]
            );
            return Err(DataFault::new(&array.path, message)
                .help("the file is cut off: copy or write it again")
                .into());
        }
        if let [(_, Field { name, kind, .. })] = &self.wanted[..]
            && let Kind::Image(shape) = kind
        {
            let pixels = array.element.pixels(&self.buffer, array.order);
            let odd = |value: &f32| !value.is_finite() || value.abs() > BRIGHTEST;
            if let Some(at) = pixels.iter().position(odd) {
                let row = first_row + (at / shape.size()) as u64;
                let message = format!("a pixel is {}; white is 1", pixels[at]);
                return Err(DataFault::new(&array.path, message)
                    .help("divide pixels from 0 to 255 by 255, or store them as bytes")
                    .row(row)
                    .column(name)
                    .into());
            }
            return Ok(vec![Column::Images(pixels)]);
        }
        let column = |(at, field): &(usize, Field)| {
            let text = field.kind == Kind::Text;
            let column = array
                .element
                .column(&self.buffer, array.order, *at, self.width, text);
            column.map_err(|(row, message)| {
                let fault = DataFault::new(&array.path, message).row(first_row + row as u64);
                fault.column(&field.name).into()
            })
        };
        self.wanted.iter().map(column).collect()
    }

    /// A file that goes on after its last row does not mean what it says.
    fn expect_end(&mut self) -> Result<()> {
        let path = &self.array.path;
        let mut one = [0];
        match self.array.values.read(&mut one) {
            Ok(0) => Ok(()),
            Ok(_) => Err(DataFault::new(
                path,
                format!(
                    "goes on after the {} rows that it announces",
                    self.array.dimensions[0]
                ),
            )
            .into()),
            Err(error) => Err(broken(path, error)),
        }
    }
}
