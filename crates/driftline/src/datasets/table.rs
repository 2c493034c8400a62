//! Numeric tables as CSV with a header line.

use std::fs::File;
use std::path::Path;

use crate::{Error, Result};

/// Rows of finite numbers under named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    values: Vec<f32>,
}

impl Table {
    pub fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        Self::decode(file, path)
    }

    /// Reads from `reader`; `path` only names the source in errors.
    pub fn decode(reader: impl std::io::Read, path: &Path) -> Result<Self> {
        let fault = |error: csv::Error| match error.into_kind() {
            csv::ErrorKind::Io(error) => Error::io(path)(error),
            csv::ErrorKind::UnequalLengths {
                pos,
                expected_len,
                len,
            } => Error::corrupt(
                path,
                format!(
                    "line {} has {len} values, but the header names {expected_len} columns",
                    pos.map_or(0, |pos| pos.line())
                ),
            ),
            other => Error::corrupt(path, format!("is not CSV: {other:?}")),
        };
        let mut reader = csv::ReaderBuilder::new()
            .buffer_capacity(1 << 18)
            .from_reader(reader);
        let header = reader.byte_headers().map_err(fault)?;
        let columns: Vec<String> = header
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim().to_string())
            .collect();
        let mut values = Vec::new();
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).map_err(fault)? {
            for (field, column) in record.iter().zip(&columns) {
                let number = std::str::from_utf8(field)
                    .ok()
                    .and_then(|text| text.trim().parse::<f32>().ok())
                    .filter(|value| value.is_finite());
                values.push(number.ok_or_else(|| {
                    Error::corrupt(
                        path,
                        format!(
                            "line {}, column {column}: `{}` is not a finite number",
                            record.position().map_or(0, |pos| pos.line()),
                            String::from_utf8_lossy(field)
                        ),
                    )
                })?);
            }
        }
        Ok(Self { columns, values })
    }

    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.columns.len().max(1)
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The rows, each with one value per column.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.values.chunks_exact(self.columns.len().max(1))
    }

    /// Where the column `name` stands; `path` names the file in the error.
    pub fn column(&self, name: &str, path: &Path) -> Result<usize> {
        self.columns
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| {
                Error::corrupt(
                    path,
                    format!("has no column `{name}`; it has {}", self.columns.join(", ")),
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(text: &[u8]) -> Result<Table> {
        Table::decode(text, Path::new("t.csv"))
    }

    #[test]
    fn columns_are_found_by_name() {
        let table = decode(b"a, b\n1,2.5\n-3,4e2\n").unwrap();
        assert_eq!(table.len(), 2);
        assert_eq!(table.column("b", Path::new("t.csv")).unwrap(), 1);
        assert_eq!(table.rows().nth(1).unwrap(), [-3.0, 400.0]);
        let error = table.column("c", Path::new("t.csv")).unwrap_err();
        assert_eq!(error.to_string(), "t.csv: has no column `c`; it has a, b");
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let message = |text: &[u8]| decode(text).unwrap_err().to_string();
        assert_eq!(
            message(b"a,b\n1,2\n3,x\n"),
            "t.csv: line 3, column b: `x` is not a finite number"
        );
        assert_eq!(
            message(b"a,b\n1,2\n3\n"),
            "t.csv: line 3 has 1 values, but the header names 2 columns"
        );
        assert!(message(b"a\ninf\n").contains("`inf` is not a finite number"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = decode(&bytes).map(|table| table.rows().count());
        }
    }
}
