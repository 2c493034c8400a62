//! Consecutive rows of a table as a table of their own.

use std::ops::Range;
use std::path::PathBuf;

use driftline_core::Result;
use driftline_io::{Batch, Batches, Column, Files, Head, ReadOptions, TableSource};

/// The rows `rows` of `table`, counted from 0 through all its files.
pub(super) struct RowRange {
    pub table: Files,
    pub rows: Range<u64>,
}

impl TableSource for RowRange {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>> {
        // A part of a file has no digest of the file's bytes: whoever reads it hashes the rows.
        let options = ReadOptions {
            digest: false,
            ..options.clone()
        };
        let frames = self.table.open(&options)?;
        let head = Head {
            rows: None,
            ..frames.head().clone()
        };
        Ok(Box::new(RangeFrames {
            frames,
            head,
            passed: 0,
            rows: self.rows.clone(),
        }))
    }

    fn paths(&self) -> &[PathBuf] {
        self.table.paths()
    }

    fn check(&self, options: &ReadOptions) -> Result<()> {
        self.table.check(options)
    }
}

struct RangeFrames {
    frames: Box<dyn Batches>,
    head: Head,
    passed: u64,
    rows: Range<u64>,
}

impl Batches for RangeFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        while self.passed < self.rows.end {
            let Some(frame) = self.frames.next_frame()? else {
                return Ok(None);
            };
            let first = self.passed;
            self.passed += frame.rows as u64;
            let inside = |row: u64| row.clamp(first, self.passed) - first;
            let part = inside(self.rows.start) as usize..inside(self.rows.end) as usize;
            if !part.is_empty() {
                return Ok(Some(cut(frame, part)));
            }
        }
        Ok(None)
    }
}

fn cut(frame: Batch, rows: Range<usize>) -> Batch {
    if rows == (0..frame.rows) {
        return frame;
    }
    let column = |column: &Column| column.slice(rows.clone(), frame.rows);
    Batch {
        file: frame.file,
        first_row: frame.number_of(rows.start),
        scattered: frame
            .scattered
            .as_ref()
            .map(|all| all[rows.clone()].to_vec()),
        columns: frame.columns.iter().map(column).collect(),
        rows: rows.len(),
    }
}

/// How many rows a table has. `column` is one of its columns.
pub(super) fn count_rows(table: &Files, column: &str) -> Result<u64> {
    let mut frames = table.open(&ReadOptions {
        columns: Some(vec![column.into()]),
        text: vec![column.into()],
        ..ReadOptions::default()
    })?;
    let mut rows = 0;
    while let Some(frame) = frames.next_frame()? {
        rows += frame.rows as u64;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows 1 to 9 in two files, a number and a text each.
    fn table(folder: &std::path::Path) -> Files {
        for (name, rows) in [("a-1.csv", 1..=4), ("a-2.csv", 5..=9)] {
            let lines = rows.map(|row| format!("{row},t{row}\n"));
            let text = "n,t\n".to_owned() + &lines.collect::<String>();
            std::fs::write(folder.join(name), text).unwrap();
        }
        Files::new([folder.join("a-*.csv")]).unwrap()
    }

    #[test]
    fn a_range_runs_across_files_and_keeps_the_places() {
        let folder = tempfile::tempdir().unwrap();
        let table = table(folder.path());
        assert_eq!(count_rows(&table, "n").unwrap(), 9);
        for (rows, expected) in [
            (0..9, (1..=9).collect::<Vec<u64>>()),
            (2..6, vec![3, 4, 5, 6]),
            (4..5, vec![5]),
            (7..100, vec![8, 9]),
            (9..12, vec![]),
        ] {
            let part = RowRange {
                table: table.clone(),
                rows,
            };
            let mut frames = part.open(&ReadOptions::default()).unwrap();
            let mut found = vec![];
            while let Some(frame) = frames.next_frame().unwrap() {
                let [Column::Numbers(numbers), Column::Text(texts)] = &frame.columns[..] else {
                    panic!("{:?}", frame.columns)
                };
                for (row, (number, text)) in numbers.iter().zip(texts.iter()).enumerate() {
                    assert_eq!(text.unwrap(), format!("t{number}"));
                    let place = frame.number_of(row) + 4 * frame.file as u64;
                    assert_eq!(place, number as u64);
                    found.push(number as u64);
                }
            }
            assert_eq!(found, expected);
        }
    }
}
