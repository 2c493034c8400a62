//! Parquet, some rows at a time. Columns are decoded side by side on all threads, each straight into its numbers and page
//! by page.

mod chunk;
mod footer;
mod meaning;
mod pages;
mod thrift;
mod values;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::column::reader::get_column_reader;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use rayon::prelude::*;

use super::text_table::check_names;
use crate::error::DataFault;
use crate::reading::guard::guarded;
use crate::reading::{Column, Field, Frame, Frames, Limits, ReadOptions, StoredType};
use crate::{Error, Result};
use chunk::Chunk;
use meaning::Meaning;
use values::Decoder;

/// Bytes of a frame, about, and its rows: enough to keep all threads busy, few enough to stay near the processor.
const FRAME_BYTES: u64 = 4 << 20;
const FRAME_ROWS: (u64, u64) = (1024, 65_536);

/// A Parquet file being read.
pub(crate) struct ParquetFrames {
    path: [PathBuf; 1],
    file: Arc<Mutex<File>>,
    /// How long the file is.
    length: u64,
    metadata: Arc<ParquetMetaData>,
    fields: Vec<Field>,
    all_fields: Vec<Field>,
    /// For each field: the column of the file, and how its values are meant.
    columns: Vec<(usize, Meaning)>,
    left_out: Vec<String>,
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
            match Meaning::of(column, options.text.contains(&name)) {
                Some(meaning) if !index => {
                    fields.push(Field::new(name, meaning.kind()));
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
        if let Some(wanted) = &options.columns {
            let keep: Vec<bool> = fields
                .iter()
                .map(|field| wanted.contains(&field.name))
                .collect();
            let mut kept = keep.iter();
            fields.retain(|_| kept.next() == Some(&true));
            let mut kept = keep.iter();
            columns.retain(|_| kept.next() == Some(&true));
        }
        let groups = metadata.row_groups();
        if groups.iter().any(|group| group.num_rows() < 0) {
            return Err(DataFault::new(path, "has a row group with fewer than 0 rows").into());
        }
        if groups.iter().all(|group| group.num_rows() == 0) {
            return Err(DataFault::new(path, "has no rows").into());
        }
        Ok(Self {
            path: [path.to_path_buf()],
            file: Arc::new(Mutex::new(file)),
            length,
            metadata: Arc::new(metadata),
            fields,
            all_fields,
            columns,
            left_out,
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
                let path = &self.path[0];
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
                    return Err(DataFault::new(
                        path,
                        format!(
                            "has a row group of more than {} bytes, the most that is unpacked at once",
                            self.limits.unpacked
                        ),
                    )
                    .help("write it with smaller row groups, for example of 100,000 rows")
                    .into());
                }
                let reader = guarded(path, || {
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

    fn read(&mut self) -> Result<Option<Frame>> {
        if !self.open_group()? {
            return Ok(None);
        }
        let about = FRAME_BYTES / (8 * self.fields.len().max(1) as u64);
        let rows = self.left.min(about.clamp(FRAME_ROWS.0, FRAME_ROWS.1)) as usize;
        let (path, fields, first_row) = (&self.path[0], &self.fields, self.next_row);
        let columns: Vec<Column> = self
            .decoders
            .par_iter_mut()
            .zip(fields)
            .map(|(decoder, field)| {
                guarded(path, || {
                    decoder.read(rows).map_err(|(row, message)| {
                        let place = row.map_or(first_row, |row| first_row + row as u64);
                        let fault = DataFault::new(path, message).row(place).column(&field.name);
                        let raw = fault.message == values::RAW_BYTES;
                        fault.help(if raw { LEAVE_OUT } else { DAMAGED }).into()
                    })
                })
            })
            .collect::<Vec<_>>()
            .into_iter()
            // In the order of the columns, so that the same file gives the same error.
            .collect::<Result<_>>()?;
        self.left -= rows as u64;
        self.next_row += rows as u64;
        Ok(Some(Frame {
            file: 0,
            first_row,
            scattered: None,
            columns,
            rows,
        }))
    }
}

const LEAVE_OUT: &str = "raw bytes are neither a feature nor a class: leave the column out with {exclude}, or write it as text";
const DAMAGED: &str = "the file is damaged or cut off: copy or write it again";

fn fault(path: &Path, message: String) -> Error {
    DataFault::new(path, message).help(DAMAGED).into()
}

impl Frames for ParquetFrames {
    fn stored_as(&self, column: &str) -> StoredType {
        let schema = self.metadata.file_metadata().schema_descr();
        let mut columns = schema.columns().iter();
        let found = columns.find(|found| found.path().parts().join(".") == column);
        found.map_or(StoredType::Text, |found| meaning::stored_as(found))
    }

    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn files(&self) -> &[PathBuf] {
        &self.path
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let frame = self.read();
        if frame.is_err() {
            self.left = 0;
            self.next_group = self.metadata.num_row_groups();
        }
        frame
    }

    fn detected(&self) -> String {
        let groups = self.metadata.num_row_groups();
        let mut detected = format!(
            "Parquet, {groups} row group{}",
            if groups == 1 { "" } else { "s" }
        );
        if !self.left_out.is_empty() {
            detected += &format!(" (left out: {})", self.left_out.join(", "));
        }
        detected
    }

    fn all_fields(&self) -> Option<&[Field]> {
        Some(&self.all_fields)
    }

    fn rows(&self) -> Option<u64> {
        let groups = self.metadata.row_groups().iter();
        Some(groups.fold(0, |sum, group| sum.saturating_add(group.num_rows() as u64)))
    }
}

/// The bytes of a part of the file, which must be there.
fn part(file: &mut File, start: u64, length: u64, path: &Path) -> Result<Bytes> {
    let mut bytes = vec![];
    let read = file
        .seek(SeekFrom::Start(start))
        .and_then(|_| file.take(length).read_to_end(&mut bytes));
    match read {
        Ok(n) if n as u64 == length => Ok(bytes.into()),
        Ok(_) => Err(short(path)),
        Err(error) => Err(Error::io(path)(error)),
    }
}

fn short(path: &Path) -> Error {
    fault(path, "ends before the rows that it announces".into())
}
