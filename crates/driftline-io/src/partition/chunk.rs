//! Rows as bytes, one after another, so that a row of a table whose keys interleave is one short write; and back into
//! columns when the rows of a key are read.

use serde::{Deserialize, Serialize};

use crate::{Batch, Column, Numbers, Texts};

/// What the bytes of some rows mean: the file they come from, and what each column holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    pub file: usize,
    pub columns: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Cell {
    Single,
    Double,
    Text,
    Time,
    /// So many pixels.
    Image(usize),
}

impl Layout {
    pub fn of(frame: &Batch) -> Self {
        let cell = |column: &Column| match column {
            Column::Numbers(Numbers::Single(_)) => Cell::Single,
            Column::Numbers(Numbers::Double(_)) => Cell::Double,
            Column::Text(_) => Cell::Text,
            Column::Times(_) => Cell::Time,
            Column::Images(pixels) => Cell::Image(pixels.len() / frame.rows.max(1)),
        };
        Self {
            file: frame.file,
            columns: frame.columns.iter().map(cell).collect(),
        }
    }

    fn column(cell: Cell, rows: usize) -> Column {
        match cell {
            Cell::Single => Column::Numbers(Numbers::Single(Vec::with_capacity(rows))),
            Cell::Double => Column::Numbers(Numbers::Double(Vec::with_capacity(rows))),
            Cell::Text => Column::Text(Texts::new()),
            Cell::Time => Column::Times(Vec::with_capacity(rows)),
            Cell::Image(size) => Column::Images(Vec::with_capacity(rows * size)),
        }
    }
}

/// A missing text has this length, a missing time this value.
const NO_TEXT: u32 = u32::MAX;
const NO_TIME: i64 = i64::MIN;

/// Appends one row.
pub(super) fn write_row(frame: &Batch, row: usize, to: &mut Vec<u8>) {
    to.extend(frame.number_of(row).to_le_bytes());
    for column in &frame.columns {
        match column {
            Column::Numbers(Numbers::Single(values)) => to.extend(values[row].to_le_bytes()),
            Column::Numbers(Numbers::Double(values)) => to.extend(values[row].to_le_bytes()),
            Column::Text(texts) => match texts.get(row) {
                Some(text) => {
                    to.extend((text.len() as u32).to_le_bytes());
                    to.extend(text.as_bytes());
                }
                None => to.extend(NO_TEXT.to_le_bytes()),
            },
            Column::Times(times) => to.extend(times[row].unwrap_or(NO_TIME).to_le_bytes()),
            Column::Images(pixels) => {
                let size = pixels.len() / frame.rows;
                for pixel in &pixels[row * size..(row + 1) * size] {
                    to.extend(pixel.to_le_bytes());
                }
            }
        }
    }
}

/// The rows that were written with this layout; none if the bytes end within one.
pub(super) fn read_rows(layout: &Layout, bytes: &[u8], rows: usize) -> Option<Batch> {
    let column = |cell: &Cell| Layout::column(*cell, rows);
    let mut columns: Vec<Column> = layout.columns.iter().map(column).collect();
    let mut numbers = Vec::with_capacity(rows);
    let mut from = Reader { bytes };
    for _ in 0..rows {
        numbers.push(u64::from_le_bytes(from.take()?));
        for (column, cell) in columns.iter_mut().zip(&layout.columns) {
            match column {
                Column::Numbers(Numbers::Single(values)) => {
                    values.push(f32::from_le_bytes(from.take()?));
                }
                Column::Numbers(Numbers::Double(values)) => {
                    values.push(f64::from_le_bytes(from.take()?));
                }
                Column::Text(texts) => match u32::from_le_bytes(from.take()?) {
                    NO_TEXT => texts.push(None),
                    length => {
                        let text = from.slice(length as usize)?;
                        texts.push(Some(std::str::from_utf8(text).ok()?));
                    }
                },
                Column::Times(times) => {
                    let time = i64::from_le_bytes(from.take()?);
                    times.push((time != NO_TIME).then_some(time));
                }
                Column::Images(pixels) => {
                    let Cell::Image(size) = cell else {
                        return None;
                    };
                    for _ in 0..*size {
                        pixels.push(f32::from_le_bytes(from.take()?));
                    }
                }
            }
        }
    }
    Some(Batch {
        file: layout.file,
        first_row: numbers.first().copied()?,
        scattered: Some(numbers),
        columns,
        rows,
    })
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*first)
    }

    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(first)
    }
}
