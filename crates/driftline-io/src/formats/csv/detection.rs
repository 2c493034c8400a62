//! The first look at a CSV file: which byte separates fields, whether the first line names the columns, and which columns
//! hold numbers.

use std::path::Path;

use super::records::reader;
use crate::formats::text_file::not_utf8;
use crate::formats::text_table::{check_names, number, number_with_comma};
use crate::{Field, Kind, ReadOptions};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// How much of the file is looked at.
pub(super) const LOOK: u64 = 4 << 20;
/// The separators that are tried, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Records that the choice among them is based on.
const SAMPLE: usize = 100;

/// What was seen.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    pub delimiter: u8,
    pub header: bool,
    pub fields: Vec<Field>,
    /// Whether the first column is the unnamed index that pandas writes.
    pub index: bool,
    /// How many of the records that were looked at are the header once more, as where files were put together.
    pub repeats: usize,
    comma: bool,
    guessed: bool,
}

impl Detection {
    /// `start` are the first bytes of the file, more than [`LOOK`] of them if there are more.
    pub fn at(path: &Path, start: &[u8], options: &ReadOptions) -> Result<Self> {
        let whole = start.len() as u64 <= LOOK;
        if start.iter().all(u8::is_ascii_whitespace) {
            return Err(empty(path));
        }
        if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
            return Err(DataFault::new(path, "is written in UTF-16")
                .help("save the file as UTF-8")
                .into());
        }
        if start[..start.len().min(1 << 12)].contains(&0) {
            return Err(
                DataFault::new(path, "holds zero bytes, so it is not a text file")
                    .help("known are CSV, Parquet, NPY, NPZ, IDX, MAT, ARFF and folders of images")
                    .into(),
            );
        }
        let delimiter = options
            .delimiter
            .unwrap_or_else(|| best(start, options.decimal_comma));
        let number = match options.decimal_comma {
            true => number_with_comma,
            false => number,
        };
        let mut records = records(start, delimiter, usize::MAX);
        if !whole && records.len() > 1 {
            // The last record may be cut off.
            records.pop();
        }
        let Some(first) = records.first() else {
            return Err(empty(path));
        };
        let first: Vec<&str> = first
            .iter()
            .map(|bytes| std::str::from_utf8(bytes).map(str::trim))
            .collect::<Result<_, _>>()
            .map_err(|_| not_utf8(path))?;
        let (rest, repeated): (Vec<_>, Vec<_>) = records[1..]
            .iter()
            .cloned()
            .partition(|record| !repeats(record, &first, number));
        let header = options
            .header
            .unwrap_or_else(|| first_line_names(&first, &rest, number));
        let repeats = if header { repeated.len() } else { 0 };
        let rest = &rest[..];
        if header && rest.is_empty() && whole {
            return Err(DataFault::new(path, "has a header but no rows").into());
        }
        let names: Vec<String> = (0..first.len())
            .map(|column| match (header, first[column]) {
                (true, name) if !name.is_empty() => name.to_string(),
                _ => format!("c{column}"),
            })
            .collect();
        check_names(
            path,
            names.iter().map(String::as_str),
            options.limits.columns,
        )?;
        let body = if header { rest } else { &records[..] };
        let fields = names
            .into_iter()
            .enumerate()
            .map(|(column, name)| {
                let text = options.text.contains(&name) || !numbers_in(body, column, number);
                Field::new(name, if text { Kind::Text } else { Kind::Number })
            })
            .collect();
        Ok(Self {
            delimiter,
            header,
            fields,
            index: header && is_index(&first, body),
            repeats,
            comma: options.decimal_comma,
            guessed: options.delimiter.is_none() || options.header.is_none(),
        })
    }

    pub fn detected(&self) -> String {
        let header = if self.header {
            "header in line 1"
        } else {
            "no header (columns are called c0, c1, …)"
        };
        let how = if self.guessed { " (detected)" } else { "" };
        let comma = if self.comma { ", decimal commas" } else { "" };
        let index = if self.index {
            ", the unnamed index left out"
        } else {
            ""
        };
        format!(
            "CSV, {} between fields{comma}, {header}{how}{index}",
            shown(self.delimiter)
        )
    }
}

/// A delimiter as people know it.
pub(super) fn shown(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "tab".into(),
        b' ' => "space".into(),
        other => format!("`{}`", char::from(other)),
    }
}

fn empty(path: &Path) -> Error {
    DataFault::new(path, "is empty").into()
}

/// The first records, as far as they go.
fn records(start: &[u8], delimiter: u8, most: usize) -> Vec<csv::ByteRecord> {
    reader(delimiter, start)
        .into_byte_records()
        .map_while(|record| record.ok())
        .take(most)
        .collect()
}

/// The delimiter under which most of the first records have the same number of fields, and more than one; the one that
/// makes more fields of them where several do.
fn best(start: &[u8], decimal_comma: bool) -> u8 {
    let score = |&delimiter: &u8| {
        let records = records(start, delimiter, SAMPLE);
        let width = records.first().map_or(0, csv::ByteRecord::len);
        let alike = records
            .iter()
            .filter(|record| record.len() == width)
            .count();
        let share = alike * 100 / records.len().max(1);
        if width < 2 { (0, 0) } else { (share, width) }
    };
    // `max_by_key` takes the last of equals: the likeliest must come last.
    let likeliest_last = DELIMITERS.iter().rev();
    let likeliest_last = likeliest_last.filter(|&&byte| !(decimal_comma && byte == b','));
    likeliest_last
        .max_by_key(|d| score(d))
        .copied()
        .unwrap_or(b',')
}

/// Whether the first line is a header: it has a word above a column of numbers, or nothing but different words, or it
/// counts the columns (0, 1, 2, …) with a word among them.
fn first_line_names(
    first: &[&str],
    rest: &[csv::ByteRecord],
    number: fn(&str) -> Option<f64>,
) -> bool {
    let is_word = |field: &&str| number(field).is_none();
    if rest.is_empty() {
        return first.iter().all(is_word);
    }
    let word_above_numbers = first
        .iter()
        .enumerate()
        .any(|(column, field)| is_word(field) && numbers_in(rest, column, number));
    let counted = first.iter().any(is_word)
        && first
            .iter()
            .enumerate()
            .all(|(column, field)| is_word(field) || field.parse() == Ok(column));
    // The first name may be empty: an index column.
    let all_words = first
        .iter()
        .enumerate()
        .all(|(column, field)| is_word(field) || (column == 0 && field.is_empty()));
    let mut names: Vec<&str> = first.to_vec();
    names.sort_unstable();
    names.dedup();
    word_above_numbers || ((counted || all_words) && names.len() == first.len())
}

/// Whether a record is the header once more. One of numbers alone, or of one word, may be a row like any other.
pub(super) fn repeats(
    record: &csv::ByteRecord,
    header: &[&str],
    number: fn(&str) -> Option<f64>,
) -> bool {
    let words = header.iter().filter(|name| number(name).is_none());
    words.count() > 1
        && record.len() == header.len()
        && record.iter().zip(header).all(|(field, name)| {
            std::str::from_utf8(field).is_ok_and(|field| field.trim() == *name)
        })
}

/// Whether every field of a column is a number or missing, and some is a number.
fn numbers_in(records: &[csv::ByteRecord], column: usize, number: fn(&str) -> Option<f64>) -> bool {
    let mut some = false;
    for record in records {
        let Some(field) = record.get(column) else {
            continue;
        };
        match std::str::from_utf8(field)
            .ok()
            .and_then(|text| number(text.trim()))
        {
            Some(value) => some |= !value.is_nan(),
            None => return false,
        }
    }
    some
}

/// Whether only the first column has no name, and different whole numbers in it: the numbers of rows, as pandas and R
/// write them.
fn is_index(names: &[&str], body: &[csv::ByteRecord]) -> bool {
    let whole = |record: &csv::ByteRecord| -> Option<i64> {
        std::str::from_utf8(record.get(0)?)
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let mut seen = std::collections::HashSet::new();
    names.len() > 1
        && names[0].is_empty()
        && names[1..].iter().all(|name| !name.is_empty())
        && body
            .iter()
            .all(|record| whole(record).is_some_and(|number| seen.insert(number)))
}
