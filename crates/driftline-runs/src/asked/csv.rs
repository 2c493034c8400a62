//! `labels/asked.csv`: the store of asked rows in a run folder. A window's lines count once the manifest counts the window;
//! what the judge asked must be as the records have it, and labels must be classes.

use std::collections::HashMap;
use std::path::Path;

use super::{AskedLine, AskedRows, JUDGE, OTHER_CLASS, known_label, text_columns};
use crate::record::WindowRecord;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use driftline_io::{Batches, ClassLookup, ReadOptions, TableSource, open};

/// The place of the store in a run folder.
pub const ASKED: &str = "labels/asked.csv";

/// Its columns.
pub(super) const COLUMNS: [&str; 8] = [
    "window",
    "window_row",
    "id",
    "file",
    "row",
    "weight",
    "asked_by",
    "label",
];

/// One line for each row, behind a line of names.
pub fn to_csv(lines: &[AskedLine]) -> Vec<u8> {
    let mut text = COLUMNS.join(",") + "\n";
    for line in lines {
        text += &(cells(line).join(",") + "\n");
    }
    text.into_bytes()
}

pub(super) fn cells(line: &AskedLine) -> Vec<String> {
    vec![
        line.window.to_string(),
        line.window_row.to_string(),
        quoted(&line.id),
        quoted(&line.file),
        line.row.to_string(),
        line.weight.to_string(),
        quoted(&line.asked_by),
        quoted(&line.label),
    ]
}

pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', ';', '"', '\n', '\r', '\t']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// One path that no pattern is read into.
pub(crate) struct OneFile<'a>(pub &'a Path);

impl TableSource for OneFile<'_> {
    fn open(&self, read: &ReadOptions) -> Result<Box<dyn Batches>> {
        open(self.0, read)
    }
}

impl AskedRows {
    /// The store of a run folder: what its records say, with the labels of the file and what audits have asked.
    pub(crate) fn read(
        folder: &Path,
        records: &[WindowRecord],
        classes: &[String],
    ) -> Result<Self> {
        let mut all = Self::of(records, classes);
        let path = folder.join(ASKED);
        if !path.exists() {
            return Ok(all);
        }
        let read = ReadOptions {
            header: Some(true),
            ..ReadOptions::default()
        };
        let found = text_columns(&OneFile(&path), &COLUMNS, &read)?;
        let fault = |row: usize, column: &str, message: String| -> Error {
            let fault = DataFault::new(&path, message)
                .row(row as u64 + 1)
                .column(column);
            let help = "only the column `label` may be changed; `driftline label RUN --labels FILE` takes labels from any file";
            fault.help(help.to_owned()).into()
        };
        if let Some((name, _)) = COLUMNS
            .iter()
            .zip(&found.columns)
            .find(|(_, own)| own.is_none())
        {
            return Err(DataFault::new(&path, format!("has no column `{name}`")).into());
        }
        let text = |row: usize, at: usize| -> &str {
            found.columns[at].as_ref().map_or("", |column| &column[row])
        };
        let lookup = ClassLookup::new(classes);
        let by_place: HashMap<(usize, usize), usize> = all
            .lines
            .iter()
            .enumerate()
            .map(|(at, line)| ((line.window, line.window_row), at))
            .collect();
        for row in 0..found.rows {
            let whole = |at: usize| {
                let number = text(row, at).parse::<usize>();
                number.map_err(|_| {
                    fault(
                        row,
                        COLUMNS[at],
                        format!("`{}` is not a whole number", text(row, at)),
                    )
                })
            };
            let (window, window_row) = (whole(0)?, whole(1)?);
            // What a killed writer left of a window that does not count yet.
            if window > records.len() {
                continue;
            }
            let label = known_label(text(row, 7), &lookup).ok_or_else(|| {
                let names = classes.join("`, `");
                let message = format!("`{}` is not a class of the model, which knows `{names}`; for any other class write `{OTHER_CLASS}`", text(row, 7));
                fault(row, "label", message)
            })?;
            if text(row, 6) == JUDGE {
                let Some(&at) = by_place.get(&(window, window_row)) else {
                    let message = format!("row {window_row} of window {window} was not asked for");
                    return Err(fault(row, "window_row", message));
                };
                all.lines[at].label = label;
                continue;
            }
            let weight = text(row, 5).parse().ok();
            let weight = weight.filter(|weight: &f64| weight.is_finite() && *weight > 0.0);
            let weight = weight.ok_or_else(|| {
                fault(
                    row,
                    "weight",
                    format!("`{}` is not a number above 0", text(row, 5)),
                )
            })?;
            all.lines.push(AskedLine {
                window,
                window_row,
                id: text(row, 2).into(),
                file: text(row, 3).into(),
                row: whole(4)? as u64,
                weight,
                asked_by: text(row, 6).into(),
                label,
            });
        }
        all.expect_untaken(records, classes)
            .map_err(|message| Error::from(DataFault::new(&path, message)))?;
        all.expect_agreement()
            .map_err(|message| Error::from(DataFault::new(&path, message)))?;
        // A window's lines stand together, as they were written.
        all.lines.sort_by_key(|line| line.window);
        Ok(all)
    }

    /// A row that two have asked about has one label, which both may use.
    pub(super) fn expect_agreement(&mut self) -> Result<(), String> {
        let mut known: HashMap<(usize, usize), String> = HashMap::new();
        for line in self.lines.iter().filter(|line| !line.is_open()) {
            let place = (line.window, line.window_row);
            let before = known.entry(place).or_insert_with(|| line.label.clone());
            if *before != line.label {
                let (window, row) = place;
                return Err(format!(
                    "row {row} of window {window} has two labels, `{before}` and `{}`",
                    line.label
                ));
            }
        }
        for line in self.lines.iter_mut().filter(|line| line.is_open()) {
            if let Some(label) = known.get(&(line.window, line.window_row)) {
                line.label.clone_from(label);
            }
        }
        Ok(())
    }
}
