//! A table split and joined again is the table.

use proptest::prelude::*;

use super::*;
use crate::{Files, Numbers};

/// Key, number and text of every row, with the number of the row; read through a part.
fn rows_of(part: &TablePart) -> Vec<(u64, String, f64, Option<String>)> {
    let mut frames = part.open(&ReadOptions::default()).unwrap();
    let mut all = vec![];
    while let Some(frame) = frames.next_frame().unwrap() {
        for row in 0..frame.rows {
            let text = |at: usize| cell_text(&frame.columns[at], row);
            let Column::Numbers(numbers) = &frame.columns[1] else {
                panic!("a column of numbers")
            };
            let number = Numbers::get(numbers, row);
            all.push((frame.number_of(row), text(0).unwrap(), number, text(2)));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn parts_hold_every_row_once_and_in_order(
        rows in prop::collection::vec((0usize..7, -1e3f64..1e3, prop::option::of("[a-z]{1,5}")), 1..200),
        buffer in 1usize..2000,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut text = String::from("key,x,note\n");
        for (key, x, note) in &rows {
            text += &format!("k{key},{x},{}\n", note.clone().unwrap_or_default());
        }
        std::fs::write(&path, text).unwrap();
        let options = ReadOptions { text: vec!["note".into()], ..ReadOptions::default() };
        let source = Files::new([&path]).unwrap();
        let split = Partition::split_within(buffer, &source, "key", &options, folder.path()).unwrap();
        let keys: Vec<(String, u64)> = split.keys().map(|(key, n)| (key.to_owned(), n)).collect();
        let mut seen = 0;
        for (place, (key, count)) in keys.iter().enumerate() {
            let expected: Vec<_> = rows
                .iter()
                .enumerate()
                .filter(|(_, row)| format!("k{}", row.0) == *key)
                .map(|(at, (_, x, note))| (at as u64 + 1, key.clone(), *x, note.clone()))
                .collect();
            prop_assert_eq!(rows_of(&split.part(place)), expected);
            prop_assert!(split.find(key).is_some());
            seen += count;
        }
        prop_assert_eq!(seen, rows.len() as u64);
        let some: Vec<usize> = (0..split.len()).step_by(2).collect();
        let mut bytes = b"before".to_vec();
        let sent = serde_json::to_string(&split.send(&some, &mut bytes).unwrap()).unwrap();
        let sent = || serde_json::from_str(&sent).unwrap();
        let received = Partition::receive(sent(), &bytes[6..], folder.path()).unwrap();
        prop_assert_eq!(received.len(), some.len());
        for (place, other) in some.iter().enumerate() {
            prop_assert_eq!(rows_of(&received.part(place)), rows_of(&split.part(*other)));
            prop_assert_eq!(received.part(place).digests(), split.part(*other).digests());
        }
        prop_assert!(Partition::receive(sent(), &bytes[7..], folder.path()).is_err());
        prop_assert!(split.find("none").is_none());
    }
}

#[test]
fn a_row_without_a_key_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "key,x\na,1\n,2\n").unwrap();
    let source = Files::new([&path]).unwrap();
    let split = Partition::split(&source, "key", &ReadOptions::default(), folder.path());
    let said = split.unwrap_err().to_string();
    assert!(
        said.contains("key of the stream is missing") && said.contains('2'),
        "{said}"
    );
    let none = Partition::split(&source, "nope", &ReadOptions::default(), folder.path());
    assert!(none.unwrap_err().to_string().contains("nope"));
}
