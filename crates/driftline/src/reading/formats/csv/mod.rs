//! CSV, plain or gzip. Delimiter, header and the kinds of columns are found in a first look, and stated.

mod look;

use std::path::{Path, PathBuf};

use super::text_file::{TextFile, damaged, not_utf8};
use super::text_table::{Filling, not_a_number};
use crate::error::DataFault;
use crate::reading::{Column, Field, Frame, Frames, InputDigest, ReadOptions};
use crate::{Error, Result};
use look::Look;

/// A CSV file being read.
#[derive(Debug)]
pub struct CsvFrames {
    path: [PathBuf; 1],
    reader: csv::Reader<TextFile>,
    /// The columns that are given, and where they stand in a record.
    fields: Vec<Field>,
    places: Vec<usize>,
    filling: Vec<Filling>,
    /// How many fields a record has.
    width: usize,
    next_row: u64,
    look: Look,
    record: csv::ByteRecord,
    ended: bool,
}

/// Rows of a frame are at most so many, and about so many bytes of the file.
const FRAME_ROWS: usize = 8192;
const FRAME_BYTES: u64 = 4 << 20;

impl CsvFrames {
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let look = Look::at(path, options)?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(look.delimiter)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 18)
            .from_reader(TextFile::open(path, options.limits.record, options.digest)?);
        let mut record = csv::ByteRecord::new();
        if look.header {
            reader
                .read_byte_record(&mut record)
                .map_err(|error| broken(path, error, 0))?;
            reader.get_mut().since_record = 0;
        }
        let wanted = |name: &String| match &options.columns {
            Some(columns) => columns.contains(name),
            None => true,
        };
        let (places, fields): (Vec<usize>, Vec<Field>) = look
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| wanted(&field.name))
            .map(|(place, field)| (place, field.clone()))
            .unzip();
        let filling = fields
            .iter()
            .map(|field| Filling::new(field.kind, options.text.contains(&field.name)))
            .collect();
        Ok(Self {
            path: [path.to_path_buf()],
            reader,
            places,
            filling,
            width: look.fields.len(),
            fields,
            next_row: 1,
            look,
            record,
            ended: false,
        })
    }

    /// Reads one record into the columns; false at the end.
    fn read_row(&mut self) -> Result<bool> {
        let row = self.next_row;
        let path = &self.path[0];
        let more = self
            .reader
            .read_byte_record(&mut self.record)
            .map_err(|error| broken(path, error, row))?;
        self.reader.get_mut().since_record = 0;
        if !more {
            return Ok(false);
        }
        if self.record.len() != self.width {
            return Err(self.ragged(row));
        }
        for ((&place, field), filling) in
            self.places.iter().zip(&self.fields).zip(&mut self.filling)
        {
            let bytes = &self.record[place];
            let text = std::str::from_utf8(bytes)
                .map_err(|_| not_utf8(path).row(row).column(&field.name))?;
            if !filling.push(text) {
                return Err(not_a_number(path, row, &field.name, text).into());
            }
        }
        self.next_row += 1;
        Ok(true)
    }

    fn ragged(&self, row: u64) -> Error {
        let line = self.record.position().map_or(0, csv::Position::line);
        let found = self.record.len();
        let plural = if found == 1 { "field" } else { "fields" };
        DataFault::new(
            &self.path[0],
            format!(
                "has {found} {plural} in line {line}, but {} {}",
                if self.look.header { "the header names" } else { "the first line has" },
                self.width
            ),
        )
        .row(row)
        .help(format!(
            "fields are separated by {}; put a field that holds one in double quotes, or name another delimiter with --delimiter",
            look::shown(self.look.delimiter)
        ))
        .into()
    }
}

impl Frames for CsvFrames {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn files(&self) -> &[PathBuf] {
        &self.path
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let first_row = self.next_row;
        let start = self.reader.position().byte();
        while !self.ended
            && (self.next_row - first_row) < FRAME_ROWS as u64
            && self.reader.position().byte() - start < FRAME_BYTES
        {
            match self.read_row() {
                Ok(more) => self.ended = !more,
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        let rows = (self.next_row - first_row) as usize;
        let columns: Vec<Column> = self.filling.iter_mut().map(Filling::take).collect();
        Ok((rows > 0).then_some(Frame {
            file: 0,
            first_row,
            columns,
            rows,
        }))
    }

    fn stated(&self) -> String {
        self.look.stated()
    }

    fn all_fields(&self) -> Option<&[Field]> {
        Some(&self.look.fields)
    }

    fn hashes_files(&self) -> bool {
        self.reader.get_ref().digest().is_some()
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(self.reader.get_ref().digest().into_iter().collect())
    }
}

fn broken(path: &Path, error: csv::Error, row: u64) -> Error {
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => damaged(path, error),
        other => DataFault::new(path, format!("is not CSV: {other:?}")).into(),
    };
    match error {
        Error::Data(fault) if row > 0 => fault.row(row).into(),
        other => other,
    }
}
