//! Parquet, some rows at a time. Columns are decoded side by side on all threads, each straight into its numbers and page
//! by page.

mod chunk;
mod footer;
mod meaning;
mod pages;
mod thrift;
mod values;

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::column::reader::get_column_reader;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use rayon::prelude::*;

use super::bytes::{torn, up_to};
use super::text_table::check_names;
use crate::panics::catch_panics;
use crate::{Batch, Batches, Column, Field, Head, Limits, ReadOptions};
use chunk::Chunk;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use meaning::Meaning;
use values::Decoder;

/// Bytes of a frame, about, and its rows: enough to keep all threads busy, few enough to stay near the processor.
const FRAME_BYTES: u64 = 4 << 20;
const FRAME_ROWS: (u64, u64) = (1024, 65_536);

/// A Parquet file being read.
pub(crate) struct ParquetFrames {
    head: Head,
    file: Arc<Mutex<File>>,
    /// How long the file is.
    length: u64,
    metadata: Arc<ParquetMetaData>,
    /// For each field: the column of the file, and how its values are meant.
    columns: Vec<(usize, Meaning)>,
    limits: Limits,
    /// The next row group, and the decoders of the current one with the rows that are left in it.
    next_group: usize,
    decoders: Vec<Decoder>,
    left: u64,
    next_row: u64,
}

impl ParquetFrames {
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let metadata = footer::read(&mut file, path)?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        let schema = metadata.file_metadata().schema_descr_ptr();
        let (mut fields, mut columns, mut left_out) = (vec![], vec![], vec![]);
        for (at, column) in schema.columns().iter().enumerate() {
            let name = column.path().parts().join(".");
            // pandas stores an index that is not a column of the table under this name.
            let index = name.starts_with("__index_level_") && name.ends_with("__");
            match Meaning::of(column, options.is_text(&name)) {
                Some(meaning) if !index => {
                    fields.push(Field {
                        stored: meaning::stored_as(column),
                        ..Field::new(name, meaning.kind())
                    });
                    columns.push((at, meaning));
                }
                _ => left_out.push(name),
            }
        }
        let names = fields.iter().map(|field| &*field.name);
        check_names(path, names, options.limits.columns)?;
        if fields.is_empty() {
            return Err(DataFault::new(path, "has no column of numbers or text").into());
        }
        let all_fields = fields.clone();
        let (fields, columns) = fields
            .into_iter()
            .zip(columns)
            .filter(|(field, _)| options.wants(&field.name))
            .unzip();
        let groups = metadata.row_groups();
        if groups.iter().any(|group| group.num_rows() < 0) {
            return Err(DataFault::new(path, "has a row group with fewer than 0 rows").into());
        }
        if groups.iter().all(|group| group.num_rows() == 0) {
            return Err(DataFault::new(path, "has no rows").into());
        }
        let rows = groups.iter().map(|group| group.num_rows() as u64);
        let mut detected = format!(
            "Parquet, {} row group{}",
            groups.len(),
            if groups.len() == 1 { "" } else { "s" }
        );
        if !left_out.is_empty() {
            detected += &format!(" (left out: {})", left_out.join(", "));
        }
        Ok(Self {
            head: Head {
                all_fields: Some(all_fields),
                rows: Some(rows.fold(0, u64::saturating_add)),
                ..Head::new(path, fields, detected)
            },
            file: Arc::new(Mutex::new(file)),
            length,
            metadata: Arc::new(metadata),
            columns,
            limits: options.limits,
            next_group: 0,
            decoders: vec![],
            left: 0,
            next_row: 1,
        })
    }

    /// Goes on to the next row group that has rows; false if there is none.
    fn open_group(&mut self) -> Result<bool> {
        while self.left == 0 {
            if self.next_group == self.metadata.num_row_groups() {
                return Ok(false);
            }
            let group = self.metadata.row_group(self.next_group);
            let rows = group.num_rows() as u64;
            let mut unpacked = 0;
            let mut decoders = vec![];
            for &(at, meaning) in &self.columns {
                let path = &self.head.files[0];
                let chunk = group
                    .columns()
                    .get(at)
                    .ok_or_else(|| DataFault::new(path, "has a row group with too few columns"))?;
                let (start, length) =
                    pages::place(chunk).map_err(|message| fault(path, message))?;
                if start
                    .checked_add(length)
                    .is_none_or(|end| end > self.length)
                {
                    return Err(short(path));
                }
                let bytes = Chunk {
                    file: self.file.clone(),
                    start,
                    length,
                };
                unpacked += pages::check(&bytes, chunk, &self.limits, path)?;
                if unpacked > self.limits.unpacked {
                    let message = format!(
                        "has a row group of more than {} bytes, the most that is unpacked at once",
                        self.limits.unpacked
                    );
                    return Err(DataFault::new(path, message)
                        .help("write it with smaller row groups, for example of 100,000 rows")
                        .into());
                }
                let reader = catch_panics(path, || {
                    let pages =
                        SerializedPageReader::new(Arc::new(bytes), chunk, rows as usize, None)
                            .map_err(|error| fault(path, error.to_string()))?;
                    Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
                })?;
                decoders.push(Decoder::new(
                    reader,
                    meaning,
                    chunk.column_descr().max_def_level(),
                ));
            }
            self.decoders = decoders;
            self.left = rows;
            self.next_group += 1;
        }
        Ok(true)
    }

    fn read(&mut self) -> Result<Option<Batch>> {
        if !self.open_group()? {
            return Ok(None);
        }
        let about = FRAME_BYTES / (8 * self.head.fields.len().max(1) as u64);
        let rows = self.left.min(about.clamp(FRAME_ROWS.0, FRAME_ROWS.1)) as usize;
        let (path, fields, first_row) = (&self.head.files[0], &self.head.fields, self.next_row);
        let columns: Vec<Column> = self
            .decoders
            .par_iter_mut()
            .zip(fields)
            .map(|(decoder, field)| {
                catch_panics(path, || {
                    decoder.read(rows).map_err(|(row, message)| {
                        let place = row.map_or(first_row, |row| first_row + row as u64);
                        let fault = match message == values::RAW_BYTES {
                            true => DataFault::new(path, message).help(LEAVE_OUT),
                            false => torn(path, message),
                        };
                        fault.row(place).column(&field.name).into()
                    })
                })
            })
            .collect::<Vec<_>>()
            .into_iter()
            // In the order of the columns, so that the same file gives the same error.
            .collect::<Result<_>>()?;
        self.left -= rows as u64;
        self.next_row += rows as u64;
        Ok(Some(Batch::new(first_row, columns, rows)))
    }
}

const LEAVE_OUT: &str = "raw bytes cannot be a feature or a class: leave the column out with {exclude}, or write it as text";

fn fault(path: &Path, message: String) -> Error {
    torn(path, message).into()
}

impl Batches for ParquetFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let frame = self.read();
        if frame.is_err() {
            self.left = 0;
            self.next_group = self.metadata.num_row_groups();
        }
        frame
    }
}

/// The bytes of a part of the file, which must be there.
fn part(file: &mut File, start: u64, length: u64, path: &Path) -> Result<Bytes> {
    let read = file.seek(SeekFrom::Start(start));
    let bytes = read
        .and_then(|_| up_to(file, length))
        .map_err(Error::io(path))?;
    match bytes.len() as u64 == length {
        true => Ok(bytes.into()),
        false => Err(short(path)),
    }
}

fn short(path: &Path) -> Error {
    fault(path, "ends before the rows that it announces".into())
}
