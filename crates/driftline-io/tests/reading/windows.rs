//! Streams cut into windows: by rows, number, calendar; sorted where needed; larger than memory.

use std::num::NonZeroUsize;

use driftline_core::Result;
use driftline_core::data::{Remainder, Tail, Windowing};
use driftline_io::{
    Batch, Batches, Column, ColumnChoice, EncodeOptions, Encoding, Field, Files, Head, Kind,
    Limits, NoteCode, Notes, Numbers, ReadOptions, RowFilter, TableSource, WindowedStream,
};
use expect_test::expect;
use proptest::prelude::*;

use super::{Folder, said};

fn encoding(folder: &Folder) -> Encoding {
    let files = Files::new([folder.write("s.csv", "x,y\n0,a\n2,b\n")]).unwrap();
    let choice = ColumnChoice {
        label: Some("y".into()),
        ..ColumnChoice::default()
    };
    let how = EncodeOptions {
        standardize: false,
        ..EncodeOptions::default()
    };
    Encoding::fit(
        &files,
        &choice,
        &ReadOptions::default(),
        how,
        &mut Notes::new(),
    )
    .unwrap()
    .0
}

fn size(n: usize, tail: Tail) -> Windowing {
    Windowing::Size(NonZeroUsize::new(n).unwrap(), tail)
}

fn open(
    folder: &Folder,
    patterns: &[&str],
    choice: &ColumnChoice,
    cut: Windowing,
    options: &ReadOptions,
) -> Result<WindowedStream> {
    let paths = patterns.iter().map(|pattern| folder.path(pattern));
    WindowedStream::open(
        Box::new(Files::new(paths)?),
        &encoding(folder),
        choice,
        &cut,
        options,
    )
}

/// The values of `x`, window by window.
fn values(stream: WindowedStream) -> Vec<Vec<f32>> {
    let mut all = vec![];
    for (at, window) in stream.enumerate() {
        let window = window.unwrap();
        assert_eq!(window.number, at + 1);
        all.push(window.rows.inputs.iter().map(|row| row[0]).collect());
    }
    all
}

fn timed() -> ColumnChoice {
    ColumnChoice {
        time: Some("t".into()),
        ..ColumnChoice::default()
    }
}

#[test]
fn windows_by_rows_and_number_with_every_tail() {
    let folder = Folder::new();
    let text: String = (0..10).map(|i| format!("{i}\n")).collect();
    folder.write("t.csv", format!("x\n{text}"));
    let choice = ColumnChoice::default();
    let cut = |cut| open(&folder, &["t.csv"], &choice, cut, &ReadOptions::default());
    let lengths = |stream: WindowedStream| values(stream).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(cut(size(4, Tail::Merge)).unwrap()), [4, 6]);
    assert_eq!(lengths(cut(size(4, Tail::Keep)).unwrap()), [4, 4, 2]);
    assert_eq!(lengths(cut(size(4, Tail::Drop)).unwrap()), [4, 4]);
    assert_eq!(
        lengths(cut(Windowing::Count(NonZeroUsize::new(3).unwrap())).unwrap()),
        [3, 3, 4]
    );
    let refused = |tail, n| said(&folder, &cut(size(n, tail)).unwrap_err());
    expect![[r#"
        t.csv: has 10 rows: 2 are left over after windows of 4, and the tail is forbidden
        help: let --tail merge, keep or drop them, or choose another --window"#]]
    .assert_eq(&refused(Tail::Forbid, 4));
    expect![[r#"
        t.csv: has 10 rows, fewer than one window of 11
        help: choose a smaller --window, or the number of --windows"#]]
    .assert_eq(&refused(Tail::Keep, 11));
    let stream = cut(size(4, Tail::Drop)).unwrap();
    assert_eq!(stream.outline().remainder, Remainder::Dropped(2));
    assert_eq!(stream.notes().with(NoteCode::Tail).next().unwrap().count, 2);
    assert!(
        cut(Windowing::Every("P1D".parse().unwrap()))
            .unwrap_err()
            .to_string()
            .contains("need a time column")
    );
}

#[test]
fn several_files_are_one_stream_and_columns_are_matched_by_name() {
    let folder = Folder::new();
    folder.write("p-2.csv", "x,z\n1,7\n2,7\n");
    folder.write("p-10.csv", "z;x\n7;3\n7;4\n");
    let stream = open(
        &folder,
        &["p-*.csv"],
        &ColumnChoice::default(),
        size(3, Tail::Keep),
        &ReadOptions::default(),
    );
    let windows: Vec<_> = stream.unwrap().map(Result::unwrap).collect();
    assert_eq!(windows[0].rows.inputs.row(2), [3.0]);
    assert_eq!(
        windows[1].rows.origins.get(0),
        (&*folder.path("p-10.csv"), 2)
    );
    folder.write("p-11.csv", "z\n1\n");
    let error = open(
        &folder,
        &["p-*.csv"],
        &ColumnChoice::default(),
        size(3, Tail::Keep),
        &ReadOptions::default(),
    );
    assert!(said(&folder, &error.unwrap_err()).starts_with("p-11.csv: has no column `x`"));
}

#[test]
fn calendar_periods() {
    let folder = Folder::new();
    folder.write(
        "t.csv",
        "t,x\n2015-01-30,1\n2015-01-31T23:59:59,2\n2015-02-01 00:00,3\n2015-05-01T00:00+01:00,4\n",
    );
    let cut = |period: &str| {
        let cut = Windowing::Every(period.parse().unwrap());
        open(&folder, &["t.csv"], &timed(), cut, &ReadOptions::default())
    };
    let stream = cut("P1M").unwrap();
    // March has no row; 00:00 in a zone one hour ahead is still April.
    assert_eq!(
        stream
            .notes()
            .with(NoteCode::EmptyPeriods)
            .next()
            .unwrap()
            .count,
        1
    );
    let windows: Vec<_> = stream.map(Result::unwrap).collect();
    assert_eq!(windows.len(), 3);
    let (from, to) = windows[0].span.unwrap();
    assert_eq!(
        (from.to_string(), to.to_string()),
        ("2015-01-30".into(), "2015-01-31T23:59:59Z".into())
    );
    assert_eq!(
        values(cut("P2D").unwrap()),
        [vec![1.0, 2.0], vec![3.0], vec![4.0]]
    );
    assert!(
        cut("5")
            .unwrap_err()
            .help()
            .unwrap()
            .to_string()
            .contains("P7D")
    );

    folder.write("t.csv", "t,x\n1936,1\n1936,2\n1939,3\n");
    assert_eq!(values(cut("P2Y").unwrap()), [vec![1.0, 2.0], vec![3.0]]);
    assert_eq!(values(cut("1").unwrap()), [vec![1.0, 2.0], vec![3.0]]);
    folder.write("t.csv", "t,x\n2,1\n2,2\n3,3\n");
    assert_eq!(values(cut("1").unwrap()), [vec![1.0, 2.0], vec![3.0]]);
    assert!(
        cut("P1D")
            .unwrap_err()
            .to_string()
            .contains("the numbers 2 to 3")
    );
    folder.write("t.csv", "t,x\n1425211200,1\n1425211201,2\n1425297600,3\n");
    let windows: Vec<_> = cut("P1D").unwrap().map(Result::unwrap).collect();
    assert_eq!(
        windows[1].span.unwrap().0.to_string(),
        "2015-03-02T12:00:00Z"
    );
}

#[test]
fn unsorted_and_equal_times_are_sorted_and_noted() {
    let folder = Folder::new();
    folder.write("t.csv", "t,x,y\n3,30,a\n1,10,b\n2,20,a\n1,11,c\n");
    let choice = ColumnChoice {
        answers: Some("y".into()),
        ids: vec!["x".into()],
        ..timed()
    };
    let stream = open(
        &folder,
        &["t.csv"],
        &choice,
        size(2, Tail::Forbid),
        &ReadOptions::default(),
    )
    .unwrap();
    assert!(stream.outline().sorted);
    let codes: Vec<_> = stream
        .notes()
        .as_slice()
        .iter()
        .map(|note| note.code)
        .collect();
    assert_eq!(codes, [NoteCode::Unsorted, NoteCode::SmallWindows]);
    let windows: Vec<_> = stream.map(Result::unwrap).collect();
    assert_eq!(windows[0].rows.ids[0].values, ["10", "11"]);
    assert_eq!(windows[1].rows.ids[0].values, ["20", "30"]);
    assert_eq!(windows[1].rows.origins.get(0).1, 3);
    assert_eq!(
        windows[0]
            .notes
            .with(NoteCode::UnknownClasses)
            .next()
            .unwrap()
            .count,
        1
    );
    assert!(windows[1].notes.is_empty());
    folder.write("t.csv", "t,x\n1,1\n1,2\n2,3\n");
    let stream = open(
        &folder,
        &["t.csv"],
        &timed(),
        size(3, Tail::Forbid),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(
        stream
            .notes()
            .with(NoteCode::DuplicateTimes)
            .next()
            .unwrap()
            .count,
        1
    );
    for (text, expected) in [
        (
            "t,x\n1,1\nsoon,2\n",
            "row 2, column `t`: `soon` is not a time",
        ),
        ("t,x\n1,1\n,2\n", "row 2, column `t`: the time is missing"),
        ("t,x\n2015-01-01,1\n7,2\n", "a different kind of time"),
    ] {
        folder.write("t.csv", text);
        let error = open(
            &folder,
            &["t.csv"],
            &timed(),
            size(1, Tail::Keep),
            &ReadOptions::default(),
        );
        let said = said(&folder, &error.unwrap_err());
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_stream_that_where_empties_is_refused() {
    let folder = Folder::new();
    folder.write("t.csv", "x,part\n1,a\n2,b\n3,a\n");
    let only = |value: &str| ColumnChoice {
        filters: vec![RowFilter {
            column: "part".into(),
            value: value.into(),
        }],
        ..ColumnChoice::default()
    };
    let stream = open(
        &folder,
        &["t.csv"],
        &only("a"),
        size(1, Tail::Keep),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(
        stream
            .notes()
            .with(NoteCode::Filtered)
            .next()
            .unwrap()
            .count,
        1
    );
    assert_eq!(values(stream), [[1.0], [3.0]]);
    let error = open(
        &folder,
        &["t.csv"],
        &only("z"),
        size(1, Tail::Keep),
        &ReadOptions::default(),
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("no rows match the conditions")
    );
}

/// A reader of your own, and a stream that is never in memory: rows are made when they are asked for.
struct Counting {
    head: Head,
    next: u64,
    rows: u64,
    falling: bool,
}

const FRAME: u64 = 1000;

impl Batches for Counting {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let first = self.next;
        let rows = FRAME.min(self.rows - first);
        self.next += rows;
        let column = |value: fn(u64, u64) -> u64| {
            let values = (first..first + rows).map(|i| value(i, self.rows) as f64);
            Column::Numbers(Numbers::Double(values.collect()))
        };
        let time = if self.falling {
            column(|i, n| n - i)
        } else {
            column(|i, _| i)
        };
        Ok((rows > 0).then(|| Batch {
            file: 0,
            first_row: first + 1,
            scattered: None,
            columns: vec![time, column(|i, _| i)],
            rows: rows as usize,
        }))
    }
}

fn counting(rows: u64, falling: bool) -> Box<dyn TableSource> {
    Box::new(move |_: &ReadOptions| -> Result<Box<dyn Batches>> {
        Ok(Box::new(Counting {
            head: Head::new(
                "counting",
                ["t", "x"].map(|name| Field::new(name, Kind::Number)).into(),
                "numbers that count",
            ),
            next: 0,
            rows,
            falling,
        }))
    })
}

#[test]
fn a_stream_larger_than_the_memory_allowed_is_walked_in_several_passes() {
    let folder = Folder::new();
    let encoding = encoding(&folder);
    // 44 bytes a row: 20,000 rows do not fit, their times do.
    let options = ReadOptions {
        limits: Limits {
            memory: 500_000,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    for falling in [false, true] {
        let source = counting(20_000, falling);
        let stream = WindowedStream::open(
            source,
            &encoding,
            &timed(),
            &size(3000, Tail::Merge),
            &options,
        )
        .unwrap();
        assert_eq!(stream.outline().sorted, falling);
        let all: Vec<f32> = values(stream).concat();
        let expected = (0..20_000).map(|i| if falling { 19_999 - i } else { i } as f32);
        assert!(all.into_iter().eq(expected));
        let source = counting(20_000, falling);
        let large = WindowedStream::open(
            source,
            &encoding,
            &timed(),
            &size(19_000, Tail::Drop),
            &options,
        );
        let error = large.unwrap().next_window().unwrap_err();
        assert!(
            error
                .to_string()
                .contains("a window of 19000 rows needs more than"),
            "{error}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the order of the file, windows hold the sorted rows; a resumed walk gives the same ones.
    #[test]
    fn windows_are_the_sorted_stream_and_can_be_resumed(
        times in prop::collection::vec(0u8..20, 1..120), window in 1usize..40, start in 1usize..5,
    ) {
        prop_assume!(window <= times.len());
        let folder = Folder::new();
        let text: String = times.iter().enumerate().map(|(i, t)| format!("{t},{i}\n")).collect();
        folder.write("t.csv", format!("t,x\n{text}"));
        let cut = size(window, Tail::Keep);
        let open = || open(&folder, &["t.csv"], &timed(), cut.clone(), &ReadOptions::default()).unwrap();
        let whole = values(open());
        let mut expected: Vec<usize> = (0..times.len()).collect();
        expected.sort_by_key(|&i| times[i]);
        let all = whole.concat();
        prop_assert!(all.iter().copied().eq(expected.iter().map(|&i| i as f32)));
        let mut resumed = open();
        resumed.start_at(start);
        let rest: Vec<Vec<f32>> = resumed
            .map(|window| window.unwrap().rows.inputs.iter().map(|row| row[0]).collect())
            .collect();
        let done = (start - 1).min(whole.len());
        prop_assert_eq!(&rest[..], &whole[done..]);
    }
}
