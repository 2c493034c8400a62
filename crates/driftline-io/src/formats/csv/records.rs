//! The careful way through a block: record by record with the `csv` crate, which knows quotes, and with the words for
//! every fault.

use std::io::{Cursor, Read};

use super::detection;
use super::layout::{Layout, Parsed};
use crate::formats::text_file::{damaged, not_utf8};
use crate::formats::text_table::not_a_number;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// What came before a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub rows: u64,
    /// Ends of lines, as `\n` counts them, up to the end of the last record.
    lines: u64,
    /// Those after it: of empty lines, and of `\r\n`, where a record ends with the first half. The `csv` crate counts
    /// them with the record that follows.
    empty: u64,
    /// Whether there was a record at all, were it the header.
    some: bool,
}

impl Before {
    /// What `text` with so many rows adds.
    pub fn of(text: &[u8], rows: usize) -> Self {
        let ends = |byte: &u8| !matches!(byte, b'\n' | b'\r');
        let records = text.iter().rposition(ends).map_or(0, |at| at + 1);
        // The first end of line after a record belongs to it.
        let own = match records {
            0 => 0,
            _ => text.len().min(records + 1),
        };
        Self {
            rows: rows as u64,
            lines: ends_of_lines(&text[..own]),
            empty: ends_of_lines(&text[own..]),
            some: records > 0,
        }
    }

    pub fn followed_by(self, next: Self) -> Self {
        // Without a record there is nothing that the empty lines could be counted with.
        let passed = if next.some { self.empty } else { 0 };
        Self {
            rows: self.rows + next.rows,
            lines: self.lines + passed + next.lines,
            empty: self.empty - passed + next.empty,
            some: self.some || next.some,
        }
    }
}

/// How many `\n` there are, in parts so short that a byte counts them: many are then looked at in one step.
fn ends_of_lines(text: &[u8]) -> u64 {
    let ends = |part: &[u8]| part.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>();
    text.chunks(255).map(|part| u64::from(ends(part))).sum()
}

pub(super) fn read(text: &[u8], layout: &Layout, before: Before) -> Result<Vec<Parsed>> {
    // An empty line first, so that no mark of byte order is looked for in the middle of a file.
    let mut reader = reader(layout.look.delimiter, Cursor::new(b"\r").chain(text));
    let mut record = csv::ByteRecord::new();
    let mut growing = layout.growing(0);
    loop {
        let rows = growing.rows() as u64;
        let row = before.rows + rows + 1;
        let more = reader.read_byte_record(&mut record);
        if !more.map_err(|error| broken(layout, error, row))? {
            return Ok(growing.finish());
        }
        if record.len() != layout.width() {
            let passed = if rows == 0 { 0 } else { before.empty };
            let line = record.position().map_or(0, csv::Position::line);
            let line = before.lines + passed + line;
            return Err(ragged(layout, record.len(), line, row));
        }
        if layout.look.repeats > 0 && is_header(&record, layout) {
            continue;
        }
        for ((&place, field), column) in layout
            .places
            .iter()
            .zip(&layout.fields)
            .zip(&mut growing.columns)
        {
            let text = std::str::from_utf8(&record[place])
                .map_err(|_| not_utf8(&layout.path).row(row).column(&field.name))?;
            if column.push(text) {
                continue;
            }
            if layout.look.header && is_header(&record, layout) {
                return Err(DataFault::new(&layout.path, "repeats the header")
                    .row(row)
                    .help("remove the line; a concatenated file must have only one header")
                    .into());
            }
            return Err(not_a_number(&layout.path, row, &field.name, text).into());
        }
        growing.end_row();
    }
}

/// Whether a record names the columns once more.
pub(super) fn is_header(record: &csv::ByteRecord, layout: &Layout) -> bool {
    let names = &layout.look.fields;
    record.len() == names.len()
        && record
            .iter()
            .zip(names)
            .enumerate()
            .all(|(at, (field, own))| {
                let field = std::str::from_utf8(field).map(str::trim);
                // A column without a name has been given one.
                field.is_ok_and(|field| {
                    field == own.name || field.is_empty() && own.name == format!("c{at}")
                })
            })
}

/// How long the first record of a text is, with the empty lines before it and what ends it; none if there is none.
pub(super) fn length_of_first(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut reader = reader(delimiter, text);
    // Reading from memory does not fail.
    let found = reader.read_byte_record(&mut csv::ByteRecord::new()).ok()?;
    found.then(|| reader.position().byte() as usize)
}

pub(super) fn reader<R: Read>(delimiter: u8, from: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(from)
}

pub(super) fn ragged(layout: &Layout, found: usize, line: u64, row: u64) -> Error {
    let plural = if found == 1 { "field" } else { "fields" };
    let look = &layout.look;
    DataFault::new(
        &layout.path,
        format!(
            "has {found} {plural} in line {line}, but {} {}",
            if look.header { "the header names" } else { "the first line has" },
            layout.width()
        ),
    )
    .row(row)
    .help(format!(
        "fields are separated by {}; put a field that holds one in double quotes, or name another delimiter with {{delimiter}}",
        detection::shown(look.delimiter)
    ))
    .into()
}

fn broken(layout: &Layout, error: csv::Error, row: u64) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => fault(layout, error, row),
        other => DataFault::new(&layout.path, format!("is not CSV: {other:?}"))
            .row(row)
            .into(),
    }
}

/// Why the file cannot be read further; row 0 is the header.
pub(super) fn fault(layout: &Layout, error: std::io::Error, row: u64) -> Error {
    match damaged(&layout.path, error) {
        Error::Data(fault) if row > 0 => fault.row(row).into(),
        other => other,
    }
}
