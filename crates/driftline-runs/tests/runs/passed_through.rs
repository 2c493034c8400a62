//! Columns that are passed through to Parquet stay what they are in Parquet.

use std::sync::Arc;

use driftline_io::{Column, ColumnChoice, Files, Kind, ReadOptions, open};
use driftline_models::Runtime;
use driftline_runs::{Fit, predict};
use parquet::data_type::{ByteArrayType, DoubleType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// Rows with a whole number that may be missing, a moment, a name, an input and a label.
fn table(rows: usize) -> Vec<u8> {
    let schema = "message t { OPTIONAL INT64 key; REQUIRED INT64 when (TIMESTAMP_MICROS); REQUIRED DOUBLE share; \
        REQUIRED BYTE_ARRAY name (UTF8); REQUIRED DOUBLE x; REQUIRED BYTE_ARRAY label (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(vec![], schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let all = 0..rows as i64;
    let mut whole = |values: Vec<i64>, levels: Option<Vec<i16>>| {
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<Int64Type>();
        typed.write_batch(&values, levels.as_deref(), None).unwrap();
        column.close().unwrap();
    };
    let levels = all.clone().map(|at| i16::from(at != 3));
    whole(
        all.clone()
            .filter(|at| *at != 3)
            .map(|at| (1 << 60) + at)
            .collect(),
        Some(levels.collect()),
    );
    whole(
        all.clone()
            .map(|at| 1_425_211_200_000_000 + at * 1_000)
            .collect(),
        None,
    );
    for texts in [false, true] {
        let mut column = group.next_column().unwrap().unwrap();
        let numbers: Vec<f64> = all
            .clone()
            .map(|at| (at % 2) as f64 + at as f64 / 1000.0)
            .collect();
        column
            .typed::<DoubleType>()
            .write_batch(&numbers, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let name = |at: i64| {
            if texts {
                ["a", "b"][at as usize % 2].to_owned()
            } else {
                format!("n{at}")
            }
        };
        let names: Vec<_> = all.clone().map(|at| (&*name(at)).into()).collect();
        column
            .typed::<ByteArrayType>()
            .write_batch(&names, None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn identifiers_keep_their_type_in_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (
        folder.path().join("t.parquet"),
        folder.path().join("p.parquet"),
    );
    std::fs::write(&input, table(40)).unwrap();
    let data = Files::new([&input]).unwrap();
    let ids = ["key", "when", "share", "name"].map(String::from).to_vec();
    let mut fit = Fit::new("label");
    fit.choice.ids = ids.clone();
    let model = fit.run(&data).unwrap();
    let choice = ColumnChoice {
        ids,
        ..ColumnChoice::default()
    };
    let read = ReadOptions::default();
    predict(&model, &data, &choice, &read, &out, &Runtime::default()).unwrap();
    let columns = |path: &std::path::Path| {
        let mut frames = open(
            path,
            &ReadOptions {
                text: vec!["key".into()],
                ..ReadOptions::default()
            },
        )
        .unwrap();
        let kinds: Vec<Kind> = frames.fields()[..4]
            .iter()
            .map(|field| field.kind)
            .collect();
        let mut frame = frames.next_frame().unwrap().unwrap();
        frame.columns.truncate(4);
        (kinds, frame.columns)
    };
    let ((before, given), (after, written)) = (columns(&input), columns(&out));
    assert_eq!(before, after);
    assert_eq!(after, [Kind::Text, Kind::Time, Kind::Number, Kind::Text]);
    assert_eq!(format!("{given:?}"), format!("{written:?}"));
    let Column::Text(keys) = &written[0] else {
        panic!()
    };
    assert_eq!(
        (keys.get(3), keys.get(4)),
        (None, Some("1152921504606846980"))
    );
    // As it stands in the file: a number, not a text of digits.
    let frames = open(&out, &ReadOptions::default()).unwrap();
    assert_eq!(frames.fields()[0].kind, Kind::Number);
}
