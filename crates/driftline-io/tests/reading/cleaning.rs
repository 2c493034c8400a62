//! Columns that are dropped and values that are clipped when a table is read.

use driftline_core::data::ColumnCleaning;
use driftline_io::{
    ColumnChoice, EncodeOptions, Encoding, Files, Note, NoteCode, Notes, ReadOptions, read_all,
};

/// Columns that hardly vary are dropped, far values clipped; a stream may lack the dropped ones, and infinities are
/// refused as ever.
#[test]
fn cleaning_drops_columns_and_clips_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut text = String::from("x,flat,rare,kind,word,label\n");
    for row in 0..200 {
        let (rare, word) = (u8::from(row == 7), if row == 9 { "odd" } else { "usual" });
        let kind = ["a", "b", "c"][usize::from(row % 3 == 0) + usize::from(row == 3)];
        text += &format!("{},1,{rare},{kind},{word},{}\n", row % 10, row % 2);
    }
    std::fs::write(path("source.csv"), text).unwrap();
    let choice = ColumnChoice {
        label: Some("label".into()),
        ..ColumnChoice::default()
    };
    let fit = |cleaning: ColumnCleaning| {
        let how = EncodeOptions {
            standardize: true,
            cleaning,
        };
        let mut notes = Notes::new();
        let files = Files::new([path("source.csv")]).unwrap();
        let fitted = Encoding::fit(&files, &choice, &ReadOptions::default(), how, &mut notes);
        (fitted.unwrap().0, notes)
    };
    let (plain, _) = fit(ColumnCleaning::OFF);
    assert_eq!(plain.columns(), ["x", "flat", "rare", "kind", "word"]);
    let (clean, notes) = fit(ColumnCleaning::ON);
    assert_eq!(clean.columns(), ["x", "kind"]);
    assert_eq!(clean.cleaning().dropped, ["flat", "rare", "word"]);
    let told: Vec<String> = notes
        .with(NoteCode::ColumnsDropped)
        .map(Note::to_string)
        .collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("`flat`, `rare`, `word`"), "{told:?}");
    // Rare categories of a column that varies stay.
    assert_eq!(clean.input_names(), ["x", "kind=a", "kind=b", "kind=c"]);
    let json = serde_json::to_string(&clean).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&json).unwrap(), clean);
    assert!(!serde_json::to_string(&plain).unwrap().contains("cleaning"));
    std::fs::write(path("stream.csv"), "kind,x\na,1e6\nb,-1e6\nc,4.5\n").unwrap();
    let read = |name: &str, notes: &mut Notes| {
        let files = Files::new([path(name)]).unwrap();
        let choice = ColumnChoice::default();
        read_all(&files, &clean, &choice, &ReadOptions::default(), notes)
    };
    let mut notes = Notes::new();
    let rows = read("stream.csv", &mut notes).unwrap();
    assert_eq!((rows.inputs.row(0)[0], rows.inputs.row(1)[0]), (8.0, -8.0));
    assert!(notes.with(NoteCode::ColumnsAdded).next().is_none());
    std::fs::write(path("bad.csv"), "kind,x\na,inf\n").unwrap();
    assert!(read("bad.csv", &mut Notes::new()).is_err());
}

/// An empty column is no reason to refuse a table, with `impute` or without; a stream may have it, filled or not, or lack it.
#[test]
fn columns_without_a_value_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("source.csv"), "x,none,y,label\n1,,2,a\n3,NA,5,b\n").unwrap();
    let choice = ColumnChoice {
        label: Some("label".into()),
        ..ColumnChoice::default()
    };
    let options = ReadOptions::default();
    let how = EncodeOptions {
        standardize: true,
        cleaning: ColumnCleaning::OFF,
    };
    let mut notes = Notes::new();
    let files = Files::new([path("source.csv")]).unwrap();
    let (encoding, _) = Encoding::fit(&files, &choice, &options, how, &mut notes).unwrap();
    assert_eq!(encoding.columns(), ["x", "y"]);
    let told: Vec<&Note> = notes.with(NoteCode::EmptyColumns).collect();
    assert!(told.len() == 1 && told[0].message.contains("`none`"));
    for stream in ["x,none,y\n1,7,2\n", "x,none,y\n1,,2\n", "y,x\n2,1\n"] {
        std::fs::write(path("stream.csv"), stream).unwrap();
        let files = Files::new([path("stream.csv")]).unwrap();
        let choice = ColumnChoice::default();
        let mut notes = Notes::new();
        let rows = read_all(&files, &encoding, &choice, &options, &mut notes).unwrap();
        assert_eq!(rows.inputs.row(0), [-1.0, -1.0], "{stream}");
        assert!(notes.with(NoteCode::ColumnsAdded).next().is_none());
    }
    std::fs::write(path("source.csv"), "none,label\n,a\n,b\n").unwrap();
    let files = Files::new([path("source.csv")]).unwrap();
    let refused = Encoding::fit(&files, &choice, &options, how, &mut Notes::new());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("no column left"), "{message}");
}
