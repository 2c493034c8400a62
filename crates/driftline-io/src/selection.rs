//! `--where`: which rows of a frame count.

use std::path::Path;

use super::columns::find;
use super::encoding::same_text;
use super::{Batch, Column, ColumnChoice, Field};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// For every column that is filtered by: where it stands, and the values that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    columns: Vec<(usize, Vec<String>)>,
}

impl Selection {
    pub fn new(choice: &ColumnChoice, fields: &[Field], path: &Path) -> Result<Self> {
        let mut columns: Vec<(usize, Vec<String>)> = vec![];
        for filter in &choice.filters {
            let at = find(fields, &filter.column, "a condition", path)?;
            match columns.iter_mut().find(|(other, _)| *other == at) {
                Some((_, values)) => values.push(filter.value.clone()),
                None => columns.push((at, vec![filter.value.clone()])),
            }
        }
        Ok(Self { columns })
    }

    /// The rows of a frame that count, in order.
    pub fn rows(&self, frame: &Batch) -> Vec<usize> {
        let counts = |row: usize| {
            self.columns.iter().all(|(at, values)| {
                let cell = cell_text(&frame.columns[*at], row);
                cell.is_some_and(|cell| values.iter().any(|value| same_text(&cell, value)))
            })
        };
        (0..frame.rows).filter(|&row| counts(row)).collect()
    }
}

/// What is said of files without a row that counts.
pub(super) fn no_rows(path: &Path, filtered: bool) -> Error {
    match filtered {
        true => DataFault::new(path, "no rows match the conditions")
            .help("check the columns and values of {where}")
            .into(),
        false => DataFault::new(path, "has no rows").into(),
    }
}

/// The value in a cell as text; none if it is missing or an image.
pub(super) fn cell_text(column: &Column, row: usize) -> Option<String> {
    match column {
        Column::Text(texts) => texts.get(row).map(String::from),
        Column::Numbers(numbers) => {
            let value = numbers.get(row);
            (!value.is_nan()).then(|| value.to_string())
        }
        Column::Times(times) => times[row].map(|micros| super::Time::Moment(micros).to_string()),
        Column::Images(_) => None,
    }
}
