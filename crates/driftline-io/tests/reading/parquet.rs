//! Parquet: row groups, packings, truncation.

use driftline_io::{
    AsMemory, Column, Files, Limits, Numbers, Partition, ReadOptions, StoredType, TableSource, open,
};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use proptest::prelude::*;

use super::make::{optional_columns, parquet};
use super::{Folder, fault, table};

#[test]
fn row_groups_follow_each_other_in_every_packing() {
    let folder = Folder::new();
    for packing in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ] {
        let path = folder.write("a.parquet", parquet(250, 100, packing));
        let (names, rows) = table(&path, &ReadOptions::default()).unwrap();
        assert_eq!(names, ["x", "n", "label"]);
        assert_eq!(rows.len(), 250);
        for (i, row) in rows.iter().enumerate() {
            let label = if i % 2 == 0 { "even" } else { "odd" };
            assert_eq!(
                row[..],
                [
                    (i as f64 * 0.1).to_string(),
                    (i % 5).to_string(),
                    label.into()
                ]
            );
        }
    }
    let frames = open(&folder.path("a.parquet"), &ReadOptions::default()).unwrap();
    assert_eq!(frames.head().rows, Some(250));
}

#[test]
fn whole_numbers_are_single_and_nothing_is_lost() {
    let folder = Folder::new();
    let path = folder.write("a.parquet", parquet(10, 10, Compression::SNAPPY));
    let mut frames = open(&path, &ReadOptions::default()).unwrap();
    let frame = frames.next_frame().unwrap().unwrap();
    assert!(matches!(
        frame.columns[0],
        Column::Numbers(Numbers::Double(_))
    ));
    assert!(matches!(
        frame.columns[1],
        Column::Numbers(Numbers::Single(_))
    ));
}

#[test]
fn every_truncation_is_an_error() {
    let whole = parquet(60, 30, Compression::SNAPPY);
    for cut in (0..whole.len()).step_by(7) {
        let said = fault("a.parquet", &whole[..cut]);
        assert!(said.starts_with("a.parquet: "), "{said}");
    }
}

#[test]
fn raw_bytes_are_to_be_left_out() {
    let mut bytes = parquet(4, 4, Compression::UNCOMPRESSED);
    while let Some(at) = bytes.windows(4).position(|word| word == b"even") {
        bytes[at] = 0xff;
    }
    let said = fault("a.parquet", bytes);
    assert!(
        said.contains("column `label`: holds bytes that are not UTF-8"),
        "{said}"
    );
    assert!(said.contains("--exclude"), "{said}");
}

#[test]
fn a_row_group_larger_than_allowed_is_refused() {
    let folder = Folder::new();
    let path = folder.write("a.parquet", parquet(1000, 1000, Compression::SNAPPY));
    let options = ReadOptions {
        limits: Limits {
            unpacked: 1000,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    let error = table(&path, &options).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("row group of more than 1000 bytes"),
        "{error}"
    );
    assert!(
        error
            .help()
            .unwrap()
            .to_string()
            .contains("smaller row groups")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Any numbers, whole numbers and texts, missing or not, survive being written and read.
    #[test]
    fn tables_survive_a_round_trip(
        cells in prop::collection::vec(
            (prop::option::of(prop::num::f64::NORMAL), prop::option::of(-(1i64 << 53)..1 << 53), prop::option::of("[a-zé]{1,6}")),
            1..200,
        ),
        group in 1usize..80,
    ) {
        let folder = Folder::new();
        let path = folder.write("a.parquet", optional_columns(&cells, group));
        let (_, rows) = table(&path, &ReadOptions::default()).unwrap();
        prop_assert_eq!(rows.len(), cells.len());
        for (row, (number, whole, text)) in rows.iter().zip(&cells) {
            let shown = |value: Option<String>| value.unwrap_or("-".into());
            let expected = [
                shown(number.map(|value| value.to_string())),
                shown(whole.map(|value| value.to_string())),
                shown(text.clone()),
            ];
            prop_assert_eq!(&row[..], &expected[..]);
        }
    }
}

/// What a file says about its columns is not lost on the way through hashing, lists of files and names for memory.
#[test]
fn stored_types_and_hashes_are_told_however_a_file_is_opened() {
    let folder = Folder::new();
    let one = folder.write("1.parquet", parquet(30, 10, Compression::SNAPPY));
    let two = folder.write("2.parquet", parquet(20, 10, Compression::SNAPPY));
    let hashed = ReadOptions {
        digest: true,
        columns: Some(vec!["n".into(), "label".into()]),
        ..ReadOptions::default()
    };
    let stored = |source: &dyn TableSource| {
        let mut frames = source.open(&hashed).unwrap();
        let rows = super::rows(&mut *frames).map_or(0, |rows| rows.len());
        let head = frames.head().clone();
        let all = head.all_fields.map_or(0, |all| all.len());
        let types: Vec<_> = head.fields.iter().map(|field| field.stored).collect();
        assert_eq!(types, [StoredType::Whole, StoredType::Text]);
        let digests = frames.digests().unwrap().len();
        (rows, all, head.files.len(), head.hashes_files, digests)
    };
    let files = |paths: &[&std::path::PathBuf]| Files::new(paths).unwrap();
    assert_eq!(stored(&files(&[&one])), (30, 3, 1, true, 1));
    let memory = AsMemory(Box::new(files(&[&one])));
    assert_eq!(stored(&memory), (30, 3, 1, false, 0));
    let part = Partition::split(&files(&[&one, &two]), "label", &hashed, folder.0.path()).unwrap();
    assert_eq!(part.keys().collect::<Vec<_>>(), [("even", 25), ("odd", 25)]);
    let mut frames = part.part(1).open(&hashed).unwrap();
    let head = frames.head().clone();
    assert_eq!((head.rows, head.files.len()), (Some(25), 2));
    assert_eq!(head.fields[0].stored, StoredType::Whole);
    assert_eq!(frames.digests().unwrap().len(), 2);
}
