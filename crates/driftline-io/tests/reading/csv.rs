//! CSV and ARFF: what is detected, and what is refused.

use driftline_io::{ReadOptions, open};
use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::make::gzip;
use super::{Folder, fault, table};

/// What is stated about a file, its columns and its first row.
#[track_caller]
fn looks(text: &str, expected: Expect) {
    let folder = Folder::new();
    let path = folder.write("t.csv", text);
    let detected = open(&path, &ReadOptions::default())
        .unwrap()
        .head()
        .detected
        .clone();
    let (names, rows) = table(&path, &ReadOptions::default()).unwrap();
    expected.assert_eq(&format!(
        "{detected}\n{}\n{}",
        names.join(" "),
        rows[0].join(" ")
    ));
}

#[test]
fn delimiter_and_header_are_detected_and_stated() {
    looks(
        "a,b\n1,2\n",
        expect![[r#"
        CSV, `,` between fields, header in line 1 (detected)
        a b
        1 2"#]],
    );
    looks(
        "a;b\n1,5;2\n3,5;4\n",
        expect![[r#"
        CSV, `;` between fields, header in line 1 (detected)
        a b
        1,5 2"#]],
    );
    looks(
        "x\ty z\n1\thello, you\n",
        expect![[r#"
        CSV, tab between fields, header in line 1 (detected)
        x y z
        1 hello, you"#]],
    );
    looks(
        "a|b\n1|2\n",
        expect![[r#"
        CSV, `|` between fields, header in line 1 (detected)
        a b
        1 2"#]],
    );
    looks(
        "1,2,3\n4,5,6\n",
        expect![[r#"
        CSV, `,` between fields, no header (columns are called c0, c1, …) (detected)
        c0 c1 c2
        1 2 3"#]],
    );
    looks(
        "0,1,label\n0.5,2,cat\n",
        expect![[r#"
        CSV, `,` between fields, header in line 1 (detected)
        0 1 label
        0.5 2 cat"#]],
    );
    looks(
        "red,2\nblue,3\n",
        expect![[r#"
        CSV, `,` between fields, no header (columns are called c0, c1, …) (detected)
        c0 c1
        red 2"#]],
    );
    looks(
        "\u{feff}\"a, or b\",c\r\n\"say \"\"hi\"\"\",1\r\n",
        expect![[r#"
        CSV, `,` between fields, header in line 1 (detected)
        a, or b c
        say "hi" 1"#]],
    );
}

#[test]
fn missing_values_are_seen_and_gzip_is_unpacked() {
    let folder = Folder::new();
    let path = folder.write("t.csv", gzip(b"a,b\n1,x\nNA,?\n,NULL\n"));
    let (_, rows) = table(&path, &ReadOptions::default()).unwrap();
    assert_eq!(rows, [["1", "x"], ["-", "-"], ["-", "-"]]);
    // A column asked for as text keeps such words: a class may be called `NA`.
    let options = ReadOptions {
        text: vec!["b".into()],
        ..ReadOptions::default()
    };
    let (_, rows) = table(&path, &options).unwrap();
    assert_eq!(rows, [["1", "x"], ["-", "?"], ["-", "NULL"]]);
}

#[test]
fn faults_of_csv() {
    let long = format!("a,b\n1,\"{}", "x,\n".repeat(6_000_000));
    for (text, expected) in [
        ("", expect!["t.csv: is empty"]),
        ("\n \n", expect!["t.csv: is empty"]),
        ("a,b\n", expect!["t.csv: has a header but no rows"]),
        (
            "a,b\n1,2\n3\n",
            expect![[r#"
            t.csv: row 2: has 1 field in line 3, but the header names 2
            help: fields are separated by `,`; put a field that holds one in double quotes, or name another delimiter with --delimiter"#]],
        ),
        (
            "a,a\n1,2\n",
            expect![[r#"
            t.csv: has two columns called `a`
            help: columns are known by their names: rename one of them"#]],
        ),
        (
            &long,
            expect![[r#"
            t.csv: row 1: one record is longer than the 16777216 bytes that are allowed
            help: a quote may be open that is never closed, or this is not a text file"#]],
        ),
    ] {
        expected.assert_eq(&fault("t.csv", text));
    }
    let late = format!("a,b\n{}7,oops\n", "1,2\n".repeat(1_200_000));
    expect![[r#"
        t.csv: row 1200001, column `b`: `oops` is not a finite number
        help: the fields before it are numbers: correct the field, leave the column out with --exclude, or read the column as categories with --category"#]]
    .assert_eq(&fault("t.csv", late));
    expect![[r#"
        t.csv: row 1, column `b`: holds bytes that are not UTF-8
        help: save the file as UTF-8, or read it with --encoding cp1252"#]]
    .assert_eq(&fault("t.csv", b"a,b\n1,caf\xe9\n2,caf\xc3\xa9\n"));
    expect![[r#"
        t.csv: is written in UTF-16
        help: save the file as UTF-8"#]]
    .assert_eq(&fault("t.csv", b"\xff\xfea\0,\0"));
    expect![[r#"
        t.csv: holds zero bytes, so it is not a text file
        help: known are CSV, Parquet, NPY, NPZ, IDX, MAT, ARFF and folders of images"#]]
    .assert_eq(&fault("t.csv", b"\x00\x01\x02\x03"));
    let packed = gzip(b"a,b\n1,2\n");
    let cut = fault("t.csv.gz", &packed[..packed.len() - 6]);
    assert!(cut.contains("is not a whole gzip file"), "{cut}");
    let missing = Folder::new();
    let error = open(&missing.path("none.csv"), &ReadOptions::default())
        .err()
        .unwrap();
    assert!(error.to_string().ends_with("there is no such file"));
}

#[test]
fn faults_of_arff() {
    let head = "@relation r\n% a comment\n@attribute x numeric\n@attribute c {a,b}\n";
    for (rest, expected) in [
        ("", expect!["t.arff: has no `@data` line, so no rows"]),
        ("@data\n", expect!["t.arff: has no rows"]),
        (
            "@attribute\n",
            expect!["t.arff: line 5: an attribute has no name"],
        ),
        (
            "@data\n1,a\n1\n",
            expect!["t.arff: row 2: has 1 values, but 2 attributes are declared"],
        ),
        (
            "@data\n1,z\n",
            expect![
                "t.arff: row 1, column `c`: `z` is not among the values that its attribute declares"
            ],
        ),
        (
            "@data\nx,a\n",
            expect![[r#"
            t.arff: row 1, column `x`: `x` is not a finite number
            help: the fields before it are numbers: correct the field, leave the column out with --exclude, or read the column as categories with --category"#]],
        ),
    ] {
        expected.assert_eq(&fault("t.arff", format!("{head}{rest}")));
    }
    expect!["t.arff: line 1: `hello` is not `@relation`, `@attribute` or `@data`"]
        .assert_eq(&fault("t.arff", "hello\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any table of numbers and text survives being written and read.
    #[test]
    fn tables_survive_a_round_trip(
        cells in prop::collection::vec((any::<i32>(), -1e30f64..1e30, "[ -~]{1,8}"), 2..40),
        delimiter in prop::sample::select(vec![b',', b';', b'\t', b'|']),
    ) {
        let mut writer = ::csv::WriterBuilder::new().delimiter(delimiter).from_writer(vec![]);
        writer.write_record(["whole", "number", "text"]).unwrap();
        for (whole, number, text) in &cells {
            writer.write_record([whole.to_string(), number.to_string(), format!("t{text}")]).unwrap();
        }
        let folder = Folder::new();
        let path = folder.write("t.csv", writer.into_inner().unwrap());
        let options = ReadOptions { delimiter: Some(delimiter), ..ReadOptions::default() };
        let (names, rows) = table(&path, &options).unwrap();
        prop_assert_eq!(names, ["whole", "number", "text"]);
        for (row, (whole, number, text)) in rows.iter().zip(&cells) {
            let expected = [whole.to_string(), number.to_string(), format!("t{text}").trim().into()];
            prop_assert_eq!(&row[..], &expected[..]);
        }
    }
}
