//! From the source to an encoding, and from later rows to inputs.

use std::path::PathBuf;

use driftline_core::Result;
use driftline_core::data::Shape;
use driftline_io::{
    Answer, Coding, ColumnChoice, EncodeOptions, Encoding, Files, InputEncoding, LabeledRows, Note,
    NoteCode, Notes, ReadOptions, RowFilter, RowReader, Rows, read_all, read_numbers,
};
use expect_test::expect;

use super::make::picture;
use super::{Folder, said};

const SOURCE: &str = "size,colour,flat,kind\n1,red,7,b\n3,blue,7,a\n2,red,7,b\n";

fn label(name: &str) -> ColumnChoice {
    ColumnChoice {
        label: Some(name.into()),
        ..ColumnChoice::default()
    }
}

fn fit(path: PathBuf, choice: &ColumnChoice) -> Result<(Encoding, LabeledRows, Notes)> {
    let mut notes = Notes::new();
    let files = Files::new([path])?;
    let (encoding, rows) = Encoding::fit(
        &files,
        choice,
        &ReadOptions::default(),
        EncodeOptions::default(),
        &mut notes,
    )?;
    Ok((encoding, rows, notes))
}

fn apply(path: PathBuf, encoding: &Encoding, choice: &ColumnChoice) -> Result<(Rows, Notes)> {
    let mut notes = Notes::new();
    let files = Files::new([path])?;
    let rows = read_all(
        &files,
        encoding,
        choice,
        &ReadOptions::default(),
        &mut notes,
    )?;
    Ok((rows, notes))
}

fn codes(notes: &Notes) -> Vec<NoteCode> {
    notes.as_slice().iter().map(|note| note.code).collect()
}

#[test]
fn the_source_fixes_everything() {
    let folder = Folder::new();
    let (encoding, rows, notes) = fit(folder.write("s.csv", SOURCE), &label("kind")).unwrap();
    assert_eq!(encoding.classes(), ["a", "b"]);
    assert_eq!(
        encoding.input_names(),
        ["size", "colour=blue", "colour=red", "flat"]
    );
    assert_eq!(encoding.shape(), Shape::Vector(4));
    assert_eq!(rows.labels.as_slice(), [1, 0, 1]);
    let deviation = (2.0f64 / 3.0).sqrt();
    assert_eq!(
        rows.inputs.row(0),
        [(-1.0 / deviation) as f32, 0.0, 1.0, 0.0]
    );
    assert_eq!(
        rows.inputs.row(1),
        [(1.0 / deviation) as f32, 1.0, 0.0, 0.0]
    );
    let notes: Vec<String> = notes.as_slice().iter().map(Note::to_string).collect();
    assert_eq!(
        notes,
        ["columns with a single value in the source are not used: `flat`"]
    );
    assert_eq!(rows.origins.get(2), (&*folder.path("s.csv"), 3));

    let json = serde_json::to_string(&encoding).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&json).unwrap(), encoding);
    for (from, to) in [
        ("\"classes\":[\"a\",\"b\"]", "\"classes\":[\"a\"]"),
        ("\"classes\":[\"a\",\"b\"]", "\"classes\":[\"a\",\"a\"]"),
        ("\"scale\":1.0", "\"scale\":0.0"),
        ("\"most_frequent\":1", "\"most_frequent\":2"),
        ("\"label\":", "\"labels\":"),
        ("\"name\":\"flat\"", "\"name\":\"size\""),
    ] {
        let wrong = json.replace(from, to);
        assert_ne!(wrong, json, "{from}");
        assert!(serde_json::from_str::<Encoding>(&wrong).is_err(), "{to}");
    }
}

#[test]
fn later_rows_are_matched_by_name_and_what_is_odd_is_noted() {
    let folder = Folder::new();
    let (encoding, ..) = fit(folder.write("s.csv", SOURCE), &label("kind")).unwrap();
    let text = "new,flat,colour,size,kind\n1,7,teal,2,a\n2,7,red,1,c\n3,7,pink,3,\n";
    let path = folder.write("t.csv", text);
    let (rows, notes) = apply(path.clone(), &encoding, &ColumnChoice::default()).unwrap();
    assert_eq!(rows.inputs.row(0), [0.0, 0.0, 0.0, 0.0]);
    assert!(rows.answers.is_none());
    assert_eq!(
        codes(&notes),
        [
            NoteCode::LabelIgnored,
            NoteCode::ColumnsAdded,
            NoteCode::ColumnsReordered,
            NoteCode::UnseenCategories
        ]
    );
    assert_eq!(
        notes.with(NoteCode::UnseenCategories).next().unwrap().count,
        2
    );

    let choice = ColumnChoice {
        answers: Some("kind".into()),
        ids: vec!["new".into(), "colour".into()],
        ..ColumnChoice::default()
    };
    let (rows, notes) = apply(path, &encoding, &choice).unwrap();
    assert_eq!(
        rows.answers.unwrap(),
        [Answer::Class(0), Answer::Unknown, Answer::Missing]
    );
    assert_eq!(rows.ids[0].values, ["1", "2", "3"]);
    assert_eq!(rows.ids[1].values, ["teal", "red", "pink"]);
    assert_eq!(
        notes.with(NoteCode::UnknownClasses).next().unwrap().about,
        "c"
    );
    assert_eq!(notes.with(NoteCode::LabelIgnored).count(), 0);
}

#[test]
fn missing_values_are_refused_or_filled_from_the_source() {
    let folder = Folder::new();
    let (encoding, ..) = fit(folder.write("s.csv", SOURCE), &label("kind")).unwrap();
    let path = folder.write("t.csv", "size,colour,flat\n1,red,7\n,,7\n");
    let error = apply(path.clone(), &encoding, &ColumnChoice::default()).unwrap_err();
    expect![[r#"
        t.csv: row 2, column `size`: the value is missing
        help: fill it in, fill missing values from the source with --impute, or leave the column out with --exclude when fitting"#]]
    .assert_eq(&said(&folder, &error));
    let choice = ColumnChoice {
        impute: true,
        ..ColumnChoice::default()
    };
    let (rows, notes) = apply(path, &encoding, &choice).unwrap();
    assert_eq!(rows.inputs.row(1), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(codes(&notes), [NoteCode::Imputed, NoteCode::Imputed]);
    let error = fit(folder.write("u.csv", "a,k\n1,x\n,y\n3,x\n"), &label("k")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("row 2, column `a`: the value is missing"),
        "{error}"
    );
    let choice = ColumnChoice {
        impute: true,
        ..label("k")
    };
    let (encoding, rows, _) = fit(folder.path("u.csv"), &choice).unwrap();
    let InputEncoding::Features(features) = encoding.input() else {
        panic!()
    };
    assert_eq!(
        features[0].coding,
        Coding::Number {
            shift: 2.0,
            scale: 1.0,
            mean: 2.0,
            mark: false
        }
    );
    assert_eq!(rows.inputs.row(1), [0.0]);
}

/// A number gets a second input, a category none of its own; what is not missing in the source stays as it was.
#[test]
fn missing_values_are_marked_where_the_source_has_some() {
    let folder = Folder::new();
    let choice = ColumnChoice {
        impute: true,
        mark_missing: true,
        ..label("k")
    };
    let text = "a,b,c,k\n1,5,red,x\n,6,,y\n3,7,blue,x\n";
    let (encoding, rows, _) = fit(folder.write("u.csv", text), &choice).unwrap();
    let names = ["a", "a=missing", "b", "c=blue", "c=red"];
    assert_eq!(encoding.input_names(), names);
    let layout = encoding.layout();
    assert_eq!(
        (&*layout.marked, &*layout.one_hot),
        (&[0][..], &[3..5; 1][..])
    );
    assert_eq!(rows.inputs.row(1), [0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(rows.inputs.row(2)[..2], [1.0, 0.0]);
    let stored = serde_json::to_string(&encoding).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&stored).unwrap(), encoding);
    // The model knows what to do about its marked columns; of the others a stream must have every value.
    let gaps = folder.write("t.csv", "a,b,c\n,6,\n");
    let (rows, _) = apply(gaps, &encoding, &ColumnChoice::default()).unwrap();
    assert_eq!(rows.inputs.row(0), [0.0, 1.0, 0.0, 0.0, 0.0]);
    let gap = folder.write("v.csv", "a,b,c\n1,,red\n");
    assert!(apply(gap, &encoding, &ColumnChoice::default()).is_err());
}

#[test]
fn texts_of_many_kinds_are_noted() {
    let folder = Folder::new();
    let noted = |texts: usize, rows: usize| {
        let row = |row: usize| format!("t{},{}\n", row % texts, row % 2);
        let rows: String = (0..rows).map(row).collect();
        let path = folder.write("s.csv", format!("text,y\n{rows}"));
        codes(&fit(path, &label("y")).unwrap().2).contains(&NoteCode::ManyCategories)
    };
    // As many as trees can tell apart, more, and a text for most rows.
    assert_eq!(
        [noted(255, 2000), noted(257, 2000), noted(40, 60)],
        [false, true, true]
    );
}

/// Ranks of time and numbers of groups, as far as the columns tell.
#[test]
fn the_order_of_the_source_is_told() {
    let folder = Folder::new();
    let text = "id,when,who,x,y\n1,2024-03-05,b,1,no\n2,2024-03-04,a,2,yes\n3,2024-03-05,b,5,no\n";
    let with = |text: &str, ids: &[&str]| {
        let choice = ColumnChoice {
            time: Some("when".into()),
            ids: ids.iter().map(|id| id.to_string()).collect(),
            exclude: vec!["id".into(), "who".into()]
                .into_iter()
                .filter(|name: &String| !ids.contains(&&**name))
                .collect(),
            ..label("y")
        };
        let order = fit(folder.write("s.csv", text), &choice).unwrap().1.order;
        order.map(|order| (order.times, order.groups))
    };
    let (times, groups) = (Some(vec![1, 0, 1]), Some(vec![0, 1, 0]));
    assert_eq!(
        with(text, &["id", "who"]),
        Some((times.clone(), groups.clone()))
    );
    assert_eq!(with(text, &["id"]), Some((times, None)));
    // One time that is missing takes the others with it.
    let gap = text.replace("2024-03-04", "");
    assert_eq!(with(&gap, &["who"]), Some((None, groups)));
    assert_eq!(with(&gap, &["id"]), None);
}

#[test]
fn columns_and_rows_are_chosen() {
    let folder = Folder::new();
    let text =
        "id,when,part,x,code,y\n1,5,a,1,10,no\n2,4,b,2,20,yes\n3,3,a,5,20,yes\n4,2,a,3,10,no\n";
    let path = folder.write("s.csv", text);
    let choice = ColumnChoice {
        time: Some("when".into()),
        ids: vec!["id".into()],
        categories: vec!["code".into()],
        filters: vec![RowFilter {
            column: "part".into(),
            value: "a".into(),
        }],
        ..label("y")
    };
    let (encoding, rows, _) = fit(path, &choice).unwrap();
    assert_eq!(encoding.input_names(), ["x", "code=10", "code=20"]);
    assert_eq!(rows.labels.as_slice(), [0, 1, 0]);
    assert_eq!(rows.origins.get(1).1, 3);
    // The same rows as a stream: sorted by time, and `10.0` is the category `10`.
    let path = folder.write("t.csv", text.replace(",10,", ",10.0,"));
    let (rows, notes) = apply(path, &encoding, &choice).unwrap();
    assert_eq!(rows.inputs.row(0)[1..], [1.0, 0.0]);
    let times: Vec<String> = rows
        .times
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(times, ["2", "3", "5"]);
    assert_eq!(rows.ids[0].values, ["4", "3", "1"]);
    assert!(codes(&notes).contains(&NoteCode::Unsorted));
    assert_eq!(notes.with(NoteCode::Filtered).next().unwrap().count, 1);
}

#[test]
fn bad_sources_and_streams_are_explained() {
    let folder = Folder::new();
    let refuse = |text: &str, choice: &ColumnChoice| {
        let error = fit(folder.write("s.csv", text), choice).err().unwrap();
        said(&folder, &error)
    };
    expect![[r#"
        s.csv: has no column `kinds` for the label
        help: did you mean `kind`?"#]]
    .assert_eq(&refuse(SOURCE, &label("kinds")));
    expect![[r#"
        s.csv: has no column `y` for the label
        help: the whole line `a:b y:y` was read as one column: name the delimiter with --delimiter"#]]
    .assert_eq(&refuse("a:b y:y\n1:2:x\n", &label("y")));
    expect![[r#"
        s.csv: row 2, column `k`: the label is missing
        help: every row of the source needs a label: remove the rows without one"#]]
    .assert_eq(&refuse("a,k\n1,x\n2,\n", &label("k")));
    assert!(refuse("a,k\n1,x\n2,x\n", &label("k")).contains("only the class `x`"));
    assert!(
        refuse(
            "k,l\nx,1\ny,1\n",
            &ColumnChoice {
                exclude: vec!["l".into()],
                ..label("k")
            }
        )
        .contains("no column left")
    );
    let filtered = ColumnChoice {
        filters: vec![RowFilter {
            column: "a".into(),
            value: "9".into(),
        }],
        ..label("k")
    };
    assert!(refuse("a,k\n1,x\n2,y\n", &filtered).contains("no rows match the conditions"));
    let names: String = (0..1100).map(|i| format!("n{i},{}\n", i % 2)).collect();
    assert!(
        refuse(&format!("who,k\n{names}"), &label("k")).contains("more than 1000 different texts")
    );
    let dates: String = (0..1100)
        .map(|i| format!("{:04}-01-01,{}\n", 1000 + i, i % 2))
        .collect();
    assert!(refuse(&format!("day,k\n{dates}"), &label("k")).contains("--time"));

    let (encoding, ..) = fit(folder.write("s.csv", SOURCE), &label("kind")).unwrap();
    let refuse = |text: &str, choice: &ColumnChoice| {
        let error = apply(folder.write("t.csv", text), &encoding, choice)
            .err()
            .unwrap();
        said(&folder, &error)
    };
    expect![[r#"
        t.csv: has no column `flat` for a feature of the model
        help: its columns are `size`, `colour`"#]]
    .assert_eq(&refuse("size,colour\n1,red\n", &ColumnChoice::default()));
    assert!(
        refuse("size,colour,flat\nbig,red,7\n", &ColumnChoice::default())
            .contains("row 1, column `size`: `big` is not a finite number")
    );
    let leaking = ColumnChoice {
        answers: Some("size".into()),
        ..ColumnChoice::default()
    };
    assert!(refuse("size,colour,flat\n1,red,7\n", &leaking).contains("cannot be the answers"));
    assert!(
        refuse("size,colour,flat\n1e300,red,7\n", &ColumnChoice::default())
            .contains("row 1, column `size`: 1e300")
    );
}

#[test]
fn numeric_labels_agree_however_they_are_written() {
    let folder = Folder::new();
    let (encoding, ..) = fit(folder.write("s.csv", "x,y\n1,10\n2,9\n3,10\n"), &label("y")).unwrap();
    assert_eq!(encoding.classes(), ["9", "10"]);
    let choice = ColumnChoice {
        answers: Some("y".into()),
        ..ColumnChoice::default()
    };
    let (rows, _) = apply(
        folder.write("t.csv", "x,y\n1,9.0\n2,10.00\n3,9.5\n"),
        &encoding,
        &choice,
    )
    .unwrap();
    assert_eq!(
        rows.answers.unwrap(),
        [Answer::Class(0), Answer::Class(1), Answer::Unknown]
    );
}

#[test]
fn pictures_must_have_the_size_of_the_source() {
    let folder = Folder::new();
    for (name, first) in [("s/a/1.png", 1), ("s/b/2.png", 2), ("s/b/3.png", 3)] {
        folder.write(name, picture(2, 2, first, false, "png"));
    }
    folder.write("t/1.png", picture(2, 3, 1, false, "png"));
    folder.write("u/1.png", picture(2, 2, 51, false, "png"));
    let (encoding, rows, notes) = fit(folder.path("s"), &label("label")).unwrap();
    assert_eq!(rows.labels.as_slice(), [0, 1, 1]);
    assert_eq!(codes(&notes), [NoteCode::ColumnsUnused]);
    let error = apply(folder.path("t"), &encoding, &ColumnChoice::default()).unwrap_err();
    assert!(
        error.to_string().contains("is 2×3, but the others are 2×2"),
        "{error}"
    );
    let choice = ColumnChoice {
        ids: vec!["file".into()],
        ..ColumnChoice::default()
    };
    let (rows, _) = apply(folder.path("u"), &encoding, &choice).unwrap();
    assert_eq!(rows.inputs.row(0)[0], 0.2);
    assert_eq!(rows.ids[0].values, ["1.png"]);
}

#[test]
fn a_large_file_is_read_in_batches() {
    let folder = Folder::new();
    let (encoding, ..) = fit(folder.write("s.csv", "x,y\n1,a\n2,b\n"), &label("y")).unwrap();
    let many: String = (0..20_000).map(|i| format!("{i}\n")).collect();
    let files = Files::new([folder.write("t.csv", format!("x\n{many}"))]).unwrap();
    let mut reader = RowReader::open(
        &files,
        &encoding,
        &ColumnChoice::default(),
        &ReadOptions::default(),
    )
    .unwrap();
    let (mut rows, mut batches) = (0, 0);
    while let Some(batch) = reader.next_rows().unwrap() {
        assert_eq!(batch.inputs.row(0), [((rows as f64 - 1.5) / 0.5) as f32]);
        rows += batch.len();
        batches += 1;
    }
    assert!(rows == 20_000 && batches > 1);
}

#[test]
fn a_table_of_numbers_is_read_as_it_stands() {
    let folder = Folder::new();
    let files = Files::new([folder.write("t.csv", "a,name,b\n1,x,2.5\n-3,y,4\n")]).unwrap();
    let (names, inputs) = read_numbers(&files, &ReadOptions::default()).unwrap();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(&*inputs.contiguous(), [1.0, 2.5, -3.0, 4.0]);
    let files = Files::new([folder.write("t.csv", "a\n1\n\"\"\n")]).unwrap();
    let error = read_numbers(&files, &ReadOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("row 2, column `a`: the value is missing")
    );
}
