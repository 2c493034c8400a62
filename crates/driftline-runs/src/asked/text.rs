//! Some columns of a table as texts, whatever the file holds.

use std::path::PathBuf;

use driftline_core::Result;
use driftline_io::{Column, InputDigest, Numbers, ReadOptions, TableSource};

/// What a file says in some columns.
pub(crate) struct TextColumns {
    pub path: PathBuf,
    /// One for each name; none where the file has no such column.
    pub columns: Vec<Option<Vec<String>>>,
    pub rows: usize,
    pub digests: Vec<InputDigest>,
}

/// Reads the columns of these names. A missing value is an empty text.
pub(crate) fn text_columns(
    data: &dyn TableSource,
    names: &[&str],
    read: &ReadOptions,
) -> Result<TextColumns> {
    let mut read = read.clone();
    read.text = names.iter().map(|name| (*name).to_owned()).collect();
    read.columns = Some(read.text.clone());
    read.digest = true;
    let mut frames = data.open(&read)?;
    let fields = frames.fields();
    let places: Vec<Option<usize>> = names
        .iter()
        .map(|name| fields.iter().position(|field| field.name == **name))
        .collect();
    let mut columns: Vec<Option<Vec<String>>> =
        places.iter().map(|place| place.map(|_| vec![])).collect();
    let mut rows = 0;
    while let Some(frame) = frames.next_frame()? {
        for (column, place) in columns.iter_mut().zip(&places) {
            if let (Some(column), Some(place)) = (column, place) {
                column.extend((0..frame.rows).map(|row| cell(&frame.columns[*place], row)));
            }
        }
        rows += frame.rows;
    }
    Ok(TextColumns {
        path: frames.files()[0].clone(),
        digests: frames.digests()?,
        columns,
        rows,
    })
}

/// A value as text; an image has none.
pub(crate) fn cell(column: &Column, row: usize) -> String {
    match column {
        Column::Text(texts) => texts.get(row).unwrap_or_default().to_owned(),
        Column::Numbers(numbers) if numbers.get(row).is_nan() => String::new(),
        Column::Numbers(Numbers::Single(numbers)) => numbers[row].to_string(),
        Column::Numbers(numbers) => numbers.get(row).to_string(),
        Column::Times(_) | Column::Images(_) => String::new(),
    }
}
