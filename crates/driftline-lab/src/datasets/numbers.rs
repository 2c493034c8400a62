//! Known tables through the one reader of `reading`: what should hold numbers holds numbers.

use driftline_core::Result;
use driftline_core::error::DataFault;
use driftline_io::{Column, Field, Files, Kind, ReadOptions, TableSource};

/// Refuses a table with a column of anything but numbers, except those that `may_be_text`.
pub(super) fn expect_numbers(table: &Files, may_be_text: impl Fn(&str) -> bool) -> Result<()> {
    let mut frames = table.open(&ReadOptions::default())?;
    let other =
        |(_, field): &(usize, &Field)| field.kind != Kind::Number && !may_be_text(&field.name);
    let fields = frames.fields().to_vec();
    let Some((at, field)) = fields.iter().enumerate().find(other) else {
        return Ok(());
    };
    let path = frames.files()[0].clone();
    let frame = frames.next_frame()?;
    let word = frame.as_ref().and_then(|frame| match &frame.columns[at] {
        Column::Text(texts) => texts.iter().enumerate().find_map(|(row, text)| {
            let text = text.filter(|text| !text.parse::<f64>().is_ok_and(f64::is_finite))?;
            Some((frame.number_of(row), text))
        }),
        _ => None,
    });
    let fault = match word {
        Some((row, text)) => {
            let text: String = text.chars().take(40).collect();
            DataFault::new(path, format!("`{text}` is not a finite number")).row(row)
        }
        None => DataFault::new(
            path,
            format!("holds {} instead of numbers", field.kind.name()),
        ),
    };
    Err(fault.column(&field.name).into())
}

/// Reads such a table from end to end: how many rows it has. No number may be missing.
pub(super) fn count_rows(table: &Files, may_be_text: impl Fn(&str) -> bool) -> Result<usize> {
    expect_numbers(table, may_be_text)?;
    let mut frames = table.open(&ReadOptions::default())?;
    let mut rows = 0;
    while let Some(frame) = frames.next_frame()? {
        for (column, field) in frame.columns.iter().zip(frames.fields()) {
            let missing = match column {
                Column::Numbers(numbers) => numbers.iter().position(f64::is_nan),
                _ => None,
            };
            if let Some(row) = missing {
                return Err(
                    DataFault::new(&frames.files()[frame.file], "the value is missing")
                        .row(frame.number_of(row))
                        .column(&field.name)
                        .into(),
                );
            }
        }
        rows += frame.rows;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> std::result::Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let table = Files::new([&path]).unwrap();
        let told = count_rows(&table, |name| name == "label");
        told.map_err(|error| error.to_string().replace(&*path.to_string_lossy(), "t.csv"))
    }

    #[test]
    fn numbers_are_counted_and_words_are_named_with_their_place() {
        assert_eq!(counted("a,b,label\n1,2.5,x\n-3,4e2,y\n"), Ok(2));
        let error = counted("a,b,label\n1,2,x\n3,many,y\n").unwrap_err();
        assert_eq!(
            error,
            "t.csv: row 2, column `b`: `many` is not a finite number"
        );
        let error = counted("a,b,label\n1,2,x\n3,,y\n").unwrap_err();
        assert_eq!(error, "t.csv: row 2, column `b`: the value is missing");
        assert!(counted("a,b,label\n1,2,x\n3,y\n").is_err());
        assert!(counted("a,b,label\n").is_err());
    }
}
