//! One table written by pandas, polars, pyarrow, NumPy, SciPy and liac-arff (`reference/tables.py`) reads the same
//! everywhere.

use std::path::{Path, PathBuf};

use driftline_io::{ReadOptions, Time, open};

use super::table;

const ROWS: usize = 30;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/reference/tables")
        .join(name)
}

/// The recurrence of the script; `gaps` where the format has missing values.
fn expected(columns: &[&str], gaps: bool, moments: fn(i64) -> String) -> Vec<Vec<String>> {
    let cell = |i: usize, column: &&str| match *column {
        "number" if gaps && i == 5 => "-".into(),
        "number" => (i as f64 * 0.5 - 3.0).to_string(),
        "count" => ((i * i % 7) as i64 - 2).to_string(),
        "city" if gaps && i == 7 => "-".into(),
        "city" => ["Oslo", "Rome", "Łódź"][i % 3].into(),
        "when" => moments(i as i64),
        "label" => if i * i % 5 > 1 { "yes" } else { "no" }.into(),
        _ => i.to_string(),
    };
    (0..ROWS)
        .map(|i| columns.iter().map(|c| cell(i, c)).collect())
        .collect()
}

fn as_time(i: i64) -> String {
    let start = 1_420_070_400;
    Time::Moment((start + i * 6 * 3600) * 1_000_000).to_string()
}

fn as_text(i: i64) -> String {
    format!("2015-01-{:02} {:02}:00:00", i / 4 + 1, i % 4 * 6)
}

#[track_caller]
fn agrees(name: &str, columns: &[&str], gaps: bool, moments: fn(i64) -> String) {
    let (names, rows) = table(&path(name), &ReadOptions::default()).unwrap();
    assert_eq!(names, columns, "{name}");
    assert_eq!(rows, expected(columns, gaps, moments), "{name}");
}

const ALL: [&str; 5] = ["number", "count", "city", "when", "label"];

#[test]
fn parquet_of_pandas_polars_and_pyarrow_in_every_packing_and_encoding() {
    for name in [
        "pandas.parquet",
        "gzip.parquet",
        "lz4.parquet",
        "polars-zstd.parquet",
        "pages-v2.parquet",
        "byte-split.parquet",
    ] {
        agrees(name, &ALL, true, as_time);
    }
    assert_eq!(
        open(&path("gzip.parquet"), &ReadOptions::default())
            .unwrap()
            .head()
            .detected
            .clone(),
        "Parquet, 5 row groups"
    );
}

#[test]
fn arrays_of_numpy() {
    agrees("numpy.npz", &ALL, false, as_time);
    agrees("packed.npz", &ALL, false, as_time);
    let (names, rows) = table(&path("columns-first.npy"), &ReadOptions::default()).unwrap();
    assert_eq!(names, ["c0", "c1"]);
    assert_eq!(rows, expected(&["number", "count"], false, as_time));
}

#[test]
fn variables_of_scipy() {
    for name in ["plain.mat", "packed.mat"] {
        agrees(name, &["number", "count", "city", "label"], false, as_time);
    }
    let detected = open(&path("packed.mat"), &ReadOptions::default())
        .unwrap()
        .head()
        .detected
        .clone();
    assert!(detected.ends_with("(left out: note)"), "{detected}");
    // Examples last, as SVHN has them.
    let (names, rows) = table(&path("pictures.mat"), &ReadOptions::default()).unwrap();
    assert_eq!(names, ["X", "y"]);
    let pixels: Vec<String> = (18..36).map(|pixel: u8| pixel.to_string()).collect();
    assert_eq!(rows[1], [pixels.join(" "), "-1".into()]);
}

#[test]
fn text_of_pandas_and_liac_arff() {
    agrees("pandas.csv", &ALL, true, as_text);
    agrees("semicolons.csv", &ALL, true, as_text);
    agrees("liac.arff", &ALL, true, as_text);
    agrees("with-index.csv.gz", &ALL, true, as_text);
}

#[test]
fn columns_are_chosen_by_name_and_may_be_asked_for_as_text() {
    let options = ReadOptions {
        columns: Some(vec!["label".into(), "count".into(), "absent".into()]),
        text: vec!["count".into()],
        ..ReadOptions::default()
    };
    for name in [
        "pandas.csv",
        "pandas.parquet",
        "numpy.npz",
        "packed.mat",
        "liac.arff",
    ] {
        let (names, rows) = table(&path(name), &options).unwrap();
        assert_eq!(names, ["count", "label"], "{name}");
        assert_eq!(
            rows,
            expected(&["count", "label"], false, as_time),
            "{name}"
        );
    }
}
