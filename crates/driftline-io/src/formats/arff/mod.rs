//! ARFF, the format of Weka: attributes declared with their types, then rows, dense or sparse.

mod header;
mod line;

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::text_file::{TextFile, damaged, not_utf8};
use super::text_table::{Filling, check_names, is_missing, not_a_number};
use crate::{Batch, Batches, Field, Head, InputDigest, Kind, ReadOptions};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use header::{Attribute, Type};
use line::fields_of;

const FRAME_ROWS: u64 = 8192;
const FRAME_BYTES: usize = 4 << 20;

/// An ARFF file being read.
#[derive(Debug)]
pub(crate) struct ArffFrames {
    head: Head,
    lines: Lines,
    attributes: Vec<Attribute>,
    /// The attributes that are given.
    places: Vec<usize>,
    filling: Vec<Filling>,
    next_row: u64,
    ended: bool,
}

impl ArffFrames {
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let mut lines = Lines::open(path, options)?;
        let mut attributes = vec![];
        loop {
            let Some((number, line)) = lines.next(path)? else {
                return Err(DataFault::new(path, "has no `@data` line, so no rows").into());
            };
            let wrong = |message| DataFault::new(path, format!("line {number}: {message}"));
            match header::parse(line).map_err(wrong)? {
                header::Line::Attribute(attribute) => attributes.push(attribute),
                header::Line::Data => break,
                header::Line::Other => {}
            }
            if attributes.len() > options.limits.columns {
                return Err(wrong(format!(
                    "more than {} attributes, the most that are read",
                    options.limits.columns
                ))
                .into());
            }
        }
        if attributes.is_empty() {
            return Err(DataFault::new(path, "declares no attribute").into());
        }
        let names = attributes.iter().map(|attribute| &*attribute.name);
        check_names(path, names, options.limits.columns)?;
        let places: Vec<usize> = (0..attributes.len())
            .filter(|&at| options.wants(&attributes[at].name))
            .collect();
        let fields: Vec<Field> = places
            .iter()
            .map(|&at| {
                let Attribute { name, kind } = &attributes[at];
                let text = options.is_text(name) || *kind != Type::Numeric;
                Field::new(name, if text { Kind::Text } else { Kind::Number })
            })
            .collect();
        // `?` is the one word for a missing value, whatever the column.
        let filling = fields.iter().map(|field| Filling::new(field.kind, true));
        let filling = filling.collect();
        let detected = format!("ARFF, {} attributes", attributes.len());
        Ok(Self {
            head: Head {
                hashes_files: options.digest,
                ..Head::new(path, fields, detected)
            },
            lines,
            filling,
            attributes,
            places,
            next_row: 1,
            ended: false,
        })
    }

    /// Reads one row into the columns and says how long its line was; none at the end.
    fn read_row(&mut self) -> Result<Option<usize>> {
        let path = &self.head.files[0];
        let Some((_, line)) = self.lines.next(path)? else {
            return Ok(None);
        };
        let row = self.next_row;
        let wrong = |message: String| DataFault::new(path, message).row(row);
        let fields = fields_of(line, &self.attributes).map_err(wrong)?;
        let places = self.places.iter().zip(&self.head.fields);
        for ((&at, field), filling) in places.zip(&mut self.filling) {
            let value = &fields[at];
            if let Type::Nominal { values: known, .. } = &self.attributes[at].kind
                && !is_missing(value)
                && !known.contains(&**value)
            {
                let message =
                    format!("`{value}` is not among the values that its attribute declares");
                return Err(wrong(message).column(&field.name).into());
            }
            let value = if value == "?" { "" } else { value };
            if !filling.push(value) {
                return Err(not_a_number(path, row, &field.name, value).into());
            }
        }
        self.next_row += 1;
        Ok(Some(line.len()))
    }
}

impl Batches for ArffFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let first_row = self.next_row;
        let mut bytes = 0;
        while !self.ended && self.next_row - first_row < FRAME_ROWS && bytes < FRAME_BYTES {
            match self.read_row() {
                Ok(Some(length)) => bytes += length,
                Ok(None) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        let rows = (self.next_row - first_row) as usize;
        if rows == 0 {
            return match first_row {
                1 => Err(DataFault::new(&self.head.files[0], "has no rows").into()),
                _ => Ok(None),
            };
        }
        let columns = self.filling.iter_mut().map(Filling::take).collect();
        Ok(Some(Batch::new(first_row, columns, rows)))
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(self.lines.reader.get_ref().digest().into_iter().collect())
    }
}

/// Lines that say something: neither empty nor comments.
#[derive(Debug)]
struct Lines {
    reader: BufReader<TextFile>,
    buffer: Vec<u8>,
    number: u64,
}

impl Lines {
    fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let file = TextFile::open(path, options.limits.record, options.digest)?;
        Ok(Self {
            reader: BufReader::with_capacity(1 << 16, file),
            buffer: vec![],
            number: 0,
        })
    }

    /// The next line and its number.
    fn next(&mut self, path: &Path) -> Result<Option<(u64, &str)>> {
        loop {
            self.buffer.clear();
            let n = self
                .reader
                .read_until(b'\n', &mut self.buffer)
                .map_err(|error| damaged(path, error))?;
            self.reader.get_mut().since_record = 0;
            if n == 0 {
                return Ok(None);
            }
            self.number += 1;
            let line = self.buffer.trim_ascii();
            if !line.is_empty() && !line.starts_with(b"%") {
                break;
            }
        }
        let number = self.number;
        let text = std::str::from_utf8(&self.buffer)
            .map(str::trim)
            .map_err(|_| {
                let fault = not_utf8(path);
                let message = format!("line {number} {}", fault.message);
                Error::from(DataFault { message, ..fault })
            })?;
        Ok(Some((number, text)))
    }
}
