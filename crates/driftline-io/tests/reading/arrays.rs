//! NPY, NPZ, IDX and MAT: bombs, truncations, lengths that differ.

use driftline_io::{Limits, ReadOptions};
use expect_test::expect;
use proptest::prelude::*;

use super::make::{f32s, npy, zip};
use super::{Folder, fault, said, table};

#[test]
fn an_array_becomes_columns_or_pictures() {
    let folder = Folder::new();
    let read = |name, bytes| table(&folder.write(name, bytes), &ReadOptions::default()).unwrap();
    let (names, rows) = read(
        "a.npy",
        npy("<f4", "(2, 2)", &f32s(&[1.0, f32::NAN, 3.0, 4.5])),
    );
    assert_eq!(names, ["c0", "c1"]);
    assert_eq!(rows, [["1", "-"], ["3", "4.5"]]);
    let pictures = npy("|u1", "(2, 1, 2)", &[0, 255, 51, 7]);
    let labels = npy(
        "<i8",
        "(2,)",
        &[3, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0],
    );
    let single = npy("<f4", "()", &f32s(&[1.0]));
    let entries: [(&str, &[u8]); 4] = [
        ("x.npy", &pictures),
        ("y.npy", &labels),
        ("rate.npy", &single),
        ("readme.txt", b"hi"),
    ];
    for deflate in [false, true] {
        let (names, rows) = read("a.npz", zip(&entries, deflate, None));
        assert_eq!(names, ["x", "y"]);
        assert_eq!(rows, [["0 255", "3"], ["51 7", "9"]]);
    }
}

#[test]
fn faults_of_npy_and_npz() {
    let whole = npy("<f4", "(2, 2)", &f32s(&[1.0, 2.0, 3.0, 4.0]));
    expect![[r#"
        a.npy: announces the shape [2, 2], for which the file should have 144 bytes, but it has 141
        help: the file is damaged or cut off: copy or write it again"#]]
    .assert_eq(&fault("a.npy", &whole[..whole.len() - 3]));
    assert!(fault("a.npy", &whole[..40]).contains("ends within the header"));
    assert!(fault("a.npy", npy("|O", "(2,)", &[0; 16])).contains("Python objects"));
    assert!(fault("a.npy", npy("<f4", "(1, 1, 1, 5)", &[0; 20])).contains("not a table"));
    assert!(fault("a.npy", npy("<f4", "(0, 3)", &[])).contains("has no rows"));
    let huge = npy("<f8", "(4611686018427387904, 4)", &[0; 8]);
    assert!(fault("a.npy", huge).contains("more bytes than can be counted"));

    let archive = zip(&[("x.npy", &whole)], true, None);
    assert!(fault("a.npz", &archive[..archive.len() - 10]).contains("its directory is missing"));
    let other = npy("<f4", "(3,)", &f32s(&[1.0; 3]));
    expect![[r#"
        a.npz: holds arrays of different lengths: y 3, x 2
        help: one file is one table: keep the arrays of one length, for example X and y"#]]
    .assert_eq(&fault(
        "a.npz",
        zip(&[("x.npy", &whole), ("y.npy", &other)], false, None),
    ));
    assert!(fault("a.npz", zip(&[("a.txt", b"x")], false, None)).contains("holds no array"));
    let mut wrong = archive.clone();
    // A byte of the checksum in the directory.
    let at = archive.len() - 22 - 46 - 5 + 16;
    wrong[at] ^= 1;
    assert!(fault("a.npz", wrong).contains("checksum"));
    // The same for an array that is turned before its rows are handed out.
    let mut columns_first = whole.clone();
    let at = whole.windows(5).position(|word| word == b"False").unwrap();
    columns_first[at..at + 5].copy_from_slice(b"True ");
    let mut wrong = zip(&[("x.npy", &columns_first)], false, None);
    let at = wrong.len() - 22 - 46 - 5 + 16;
    wrong[at] ^= 1;
    assert!(fault("a.npz", wrong).contains("checksum"));
    let bright = npy("<f4", "(1, 2, 2)", &f32s(&[0.0, 255.0, 0.0, 0.0]));
    assert!(fault("a.npy", bright).contains("white is 1"));
}

/// A few kilobytes that unpack to gigabytes are refused by what they announce, before memory is taken; and if they
/// announce less, they end there.
#[test]
fn zip_bombs_are_refused() {
    let zeros = npy("|u1", "(8000000,)", &[0; 8_000_000]);
    let bomb = zip(&[("x.npy", &zeros)], true, None);
    assert!(bomb.len() < 20_000);
    let folder = Folder::new();
    let path = folder.write("bomb.npz", &bomb);
    let options = ReadOptions {
        limits: Limits {
            unpacked: 1 << 20,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    let error = table(&path, &options).unwrap_err();
    expect![[r#"
        bomb.npz: array x unpacks to 8000128 bytes, more than the 1048576 allowed
        help: save large arrays with numpy.save, unpacked, or split them"#]]
    .assert_eq(&said(&folder, &error));
    // Nor may many arrays together have what one may not.
    let part = npy("|u1", "(400000,)", &[0; 400_000]);
    let parts = [("a.npy", &*part), ("b.npy", &*part), ("c.npy", &*part)];
    let path = folder.write("parts.npz", zip(&parts, true, None));
    let error = table(&path, &options).unwrap_err().to_string();
    assert!(
        error.contains("the arrays up to c unpack to 1200384 bytes"),
        "{error}"
    );
    let lying = zip(&[("x.npy", &zeros)], true, Some(1000));
    let path = folder.write("lying.npz", lying);
    let error = table(&path, &options).unwrap_err();
    assert!(error.to_string().contains("announces the shape"), "{error}");
}

/// However many arrays are read in step, their rows are handed out in pieces of one size.
#[test]
fn many_arrays_take_no_more_memory_than_one() {
    let array = npy("<f4", "(5000, 10)", &f32s(&[0.5; 50_000]));
    let names: Vec<String> = (0..100).map(|at| format!("a{at}_.npy")).collect();
    let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*array)).collect();
    let folder = Folder::new();
    let path = folder.write("many.npz", zip(&parts, true, None));
    let mut frames = driftline_io::open(&path, &ReadOptions::default()).unwrap();
    let mut rows = vec![];
    while let Some(frame) = frames.next_frame().unwrap() {
        rows.push(frame.rows);
    }
    assert_eq!(rows.iter().sum::<usize>(), 5000);
    assert!(rows.iter().all(|rows| rows * 4000 <= 4 << 20), "{rows:?}");
}

#[test]
fn faults_of_idx_and_mat() {
    expect![[r#"
        x.idx: ends after 1 of the 2 rows that it announces
        help: the file is cut off: copy or write it again"#]]
    .assert_eq(&fault(
        "x.idx",
        [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4],
    ));
    assert!(fault("x.idx", [0, 0, 8, 1, 0, 0, 0, 1, 1, 1]).contains("goes on after the 1 rows"));
    assert!(fault("a.mat", [b'x'; 200]).contains("is not a MAT file of level 5"));
    expect![[r#"
        a.mat: is a MAT file of version 7.3 (HDF5), which is not read
        help: save it with `save('file.mat', '-v7')`, or from Python with scipy.io.savemat"#]]
    .assert_eq(&fault("a.mat", b"MATLAB 7.3 MAT-file, Platform: GLNXA64"));
    let mut head = [b' '; 128];
    head[..10].copy_from_slice(b"MATLAB 5.0");
    head[124..].copy_from_slice(b"\0\x01IM");
    assert!(fault("a.mat", head).contains("holds no numeric array"));
    let mut claims = head.to_vec();
    claims.extend([14, 0, 0, 0, 0, 0, 0, 0x40, 1, 2, 3]);
    assert!(fault("a.mat", claims).contains("ends after 0 variables"));
}

#[test]
fn other_kinds_of_files_are_named() {
    assert!(fault("a", [0x89, b'P', b'N', b'G', 1, 2]).contains("is a single image"));
    assert!(fault("a", b"ARROW1\0\0").contains("Arrow"));
    assert!(fault("table.xls", [0xd0, 0xcf, 0x11, 0xe0]).contains("save the table as CSV"));
    assert!(fault("a.parquet", b"a,b\n1,2\n").contains("not a whole Parquet file"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Arrays of any shape survive being written and read, stored or deflated.
    #[test]
    fn arrays_survive_a_round_trip(rows in 1usize..30, columns in 1usize..6, seed: u32, deflate: bool) {
        let values: Vec<f32> = (0..rows * columns).map(|i| (seed as f32) + i as f32 / 8.0).collect();
        let matrix = npy("<f4", &format!("({rows}, {columns})"), &f32s(&values));
        let folder = Folder::new();
        let expected: Vec<Vec<String>> = values
            .chunks(columns)
            .map(|row| row.iter().map(|&value| f64::from(value).to_string()).collect())
            .collect();
        let path = folder.write("a.npy", &matrix);
        prop_assert_eq!(&table(&path, &ReadOptions::default()).unwrap().1, &expected);
        let path = folder.write("a.npz", zip(&[("x.npy", &matrix)], deflate, None));
        prop_assert_eq!(&table(&path, &ReadOptions::default()).unwrap().1, &expected);
    }
}

/// What the directory of an archive says is looked at before anything is unpacked.
#[test]
fn archives_that_numpy_does_not_write_are_refused() {
    let whole = npy("<f4", "(2, 2)", &f32s(&[1.0, 2.0, 3.0, 4.0]));
    let stored = zip(&[("x.npy", &whole)], false, None);
    let entry = stored.len() - 22 - 46 - 5;
    let changed = |at: usize, bytes: &[u8]| {
        let mut other = stored.clone();
        other[entry + at..entry + at + bytes.len()].copy_from_slice(bytes);
        fault("a.npz", other)
    };
    assert!(changed(8, &[1, 0]).contains("entry x.npy is encrypted"));
    assert!(changed(10, &[12, 0]).contains("entry x.npy is packed by method"));
    assert!(changed(24, &[1, 0, 0, 0]).contains("entry x.npy has two sizes"));
    let cut = changed(20, &[255, 255, 255, 0]);
    assert!(cut.contains("a.npz: ") && cut.contains("x.npy") || cut.contains("zip"));
    assert!(changed(42, &[7, 0, 0, 0]).contains("not a whole zip archive"));
    assert!(fault("a.npz", &stored[..40]).contains("its directory is missing"));
    assert!(fault("a.npz", &stored[4..]).contains("a.npz: "));
}
