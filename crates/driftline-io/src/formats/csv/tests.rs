//! Reading in blocks against its plain twin: the `csv` crate over the whole text, record by record.

use proptest::prelude::*;

use super::*;
use crate::Kind;
use crate::formats::text_file::not_utf8;
use crate::formats::text_table::{Filling, not_a_number};

/// Rows and frames' columns put together, or what is said about the fault.
type Outcome = std::result::Result<(usize, Vec<String>), String>;

/// What the file says, in blocks of `size` bytes.
fn in_blocks(path: &Path, options: &ReadOptions, size: usize) -> Outcome {
    let said = |error: driftline_core::Error| format!("{error} {:?}", error.help());
    let mut frames = CsvFrames::in_blocks_of(size, path, options).map_err(said)?;
    let (mut rows, mut cells) = (0, vec![]);
    while let Some(frame) = frames.next_frame().map_err(said)? {
        assert_eq!(frame.first_row, rows as u64 + 1);
        assert!(frame.rows > 0);
        for row in 0..frame.rows {
            let shown = |column| crate::selection::cell_text(column, row);
            cells.extend(
                frame
                    .columns
                    .iter()
                    .map(|column| format!("{:?}", shown(column))),
            );
        }
        rows += frame.rows;
    }
    assert!(frames.next_frame().unwrap().is_none());
    Ok((rows, cells))
}

/// The same by the plain way.
fn by_records(path: &Path, options: &ReadOptions) -> Outcome {
    let said = |error: driftline_core::Error| format!("{error} {:?}", error.help());
    let frames = CsvFrames::open(path, options).map_err(said)?;
    let (layout, text) = (&frames.layout, std::fs::read(path).unwrap());
    let mut reader = records::reader(layout.look.delimiter, &text[..]);
    let mut record = csv::ByteRecord::new();
    if layout.look.header {
        reader.read_byte_record(&mut record).unwrap();
    }
    let (mut rows, mut cells) = (0, vec![]);
    while reader.read_byte_record(&mut record).unwrap() {
        let row = rows as u64 + 1;
        if record.len() != layout.width() {
            let line = record.position().unwrap().line();
            return Err(said(records::ragged(layout, record.len(), line, row)));
        }
        if layout.look.repeats > 0 && records::is_header(&record, layout) {
            continue;
        }
        for (&place, field) in layout.places.iter().zip(&layout.fields) {
            let mut cell = Filling::new(field.kind, options.text.contains(&field.name));
            let text = std::str::from_utf8(&record[place]);
            let text =
                text.map_err(|_| said(not_utf8(path).row(row).column(&field.name).into()))?;
            if !cell.push(text) {
                return Err(said(not_a_number(path, row, &field.name, text).into()));
            }
            cells.push(format!(
                "{:?}",
                crate::selection::cell_text(&cell.take(), 0)
            ));
        }
        rows += 1;
    }
    Ok((rows, cells))
}

#[track_caller]
fn agree(text: &[u8], options: &ReadOptions) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    // The plain way does not recode.
    let options = &ReadOptions {
        encoding: Some(TextEncoding::Utf8),
        ..options.clone()
    };
    let expected = by_records(&path, options);
    for size in [1, 2, 3, 7, 16, 64, BLOCK] {
        let found = in_blocks(&path, options, size);
        assert_eq!(
            found,
            expected,
            "{size}: {:?}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn lines_are_counted_as_before() {
    let options = ReadOptions::default();
    for end in ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n"] {
        for bad in [
            "3",
            "3,4,5",
            "x,4",
            "3,\"y\"",
            "\"3\n\n\",4",
            "\"\"\"3\"\"\r\n\",4,5",
        ] {
            let rows = ["a,b", "1,2", "5,6", "1,2", bad, "7,8"];
            agree(rows.join(end).as_bytes(), &options);
            let quoted = ["\"a\",b", "1,\"2\"", "\"5\",6", "1,2", bad, "7,8"];
            agree(quoted.join(end).as_bytes(), &options);
        }
    }
}

#[test]
fn columns_left_out_need_not_be_readable() {
    let options = ReadOptions {
        columns: Some(vec!["b".into()]),
        ..ReadOptions::default()
    };
    agree(b"a,b,c\n1,2,3\n\xff,3,4\nx,4,\xfe\n", &options);
    agree(b"a,b,c\n1,2,3\nx,y,4\n", &options);
    let text = ReadOptions {
        text: vec!["b".into()],
        ..options
    };
    agree(b"a,b,c\n1,NA,3\n1,,4\n1, 3 ,4\n", &text);
    agree(b"a,b,c\n1,2,3\n1,\xff,4\n", &text);
}

#[test]
fn odd_delimiters_are_taken_as_they_are() {
    for delimiter in [b'e', b'1', b'.', b'"', b'-', b' ', b'x', 0xff] {
        let options = ReadOptions {
            delimiter: Some(delimiter),
            ..ReadOptions::default()
        };
        let joined = |fields: &[&str]| {
            let fields: Vec<&[u8]> = fields.iter().map(|field| field.as_bytes()).collect();
            fields.join(&delimiter)
        };
        let rows = [
            joined(&["a", "b"]),
            joined(&["7", "8"]),
            joined(&["9", "4"]),
        ];
        for end in [&b"\n"[..], b"\r\n"] {
            agree(&rows.join(end), &options);
        }
    }
}

#[test]
fn a_record_that_is_too_long_is_told_after_the_rows_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let text = format!("a,b\n1,2\n3,4\n5,\"{}", "x,\n".repeat(100_000));
    std::fs::write(&path, text).unwrap();
    let mut options = ReadOptions::default();
    options.limits.record = 1 << 16;
    for size in [10, 1000, BLOCK] {
        let mut frames = CsvFrames::in_blocks_of(size, &path, &options).unwrap();
        assert_eq!(frames.fields()[0].kind, Kind::Number);
        let mut rows = 0;
        let error = loop {
            match frames.next_frame() {
                Ok(frame) => rows += frame.unwrap().rows,
                Err(error) => break error.to_string(),
            }
        };
        assert_eq!(rows, 2);
        assert!(
            error.ends_with(
                "t.csv: row 3: one record is longer than the 65536 bytes that are allowed"
            ),
            "{error}"
        );
        assert!(frames.next_frame().unwrap().is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any text of the bytes that matter.
    #[test]
    fn any_text_is_read_as_its_twin_reads_it(text in "[\"\"\",,,\n\n\r12.5 xéN-]{0,80}", header: bool) {
        let options = ReadOptions { header: Some(header), delimiter: Some(b','), ..ReadOptions::default() };
        agree(text.as_bytes(), &options);
    }

    /// Tables that are fine but for their quotes and ends of lines.
    #[test]
    fn tables_are_read_as_their_twin_reads_them(
        cells in prop::collection::vec((-1e9f64..1e9, "[a-z\",\n\r ]{0,6}", 0u8..4), 1..30),
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let mut text = format!("x,y,z{end}");
        for (number, word, kind) in cells {
            let word = match kind {
                0 => format!("\"{}\"", word.replace('"', "\"\"")),
                1 => word.replace(['"', ',', '\n', '\r'], ""),
                _ => "w".into(),
            };
            text += &format!("{number},{word},{number:.3}{end}");
        }
        agree(text.as_bytes(), &ReadOptions::default());
    }
}
