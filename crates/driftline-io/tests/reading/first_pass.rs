//! The first pass over a stream: one reading that checks every row and learns what the data are known by.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_core::data::{Tail, Windowing};
use driftline_core::{Cancel, Error, Result};
use driftline_io::{
    AnswerCounts, Batch, Batches, Column, ColumnChoice, EncodeOptions, Encoding, Field, Files,
    Head, InputDigest, Kind, Notes, Numbers, ReadOptions, RowReader, TableSource, WindowedStream,
    read_all,
};
use parquet::basic::Compression;

use super::make::{gzip, parquet, picture};
use super::{Folder, said};

fn by_rows(n: usize) -> Windowing {
    Windowing::Size(NonZeroUsize::new(n).unwrap(), Tail::Keep)
}

fn labelled(label: &str) -> ColumnChoice {
    ColumnChoice {
        label: Some(label.into()),
        impute: true,
        ..ColumnChoice::default()
    }
}

/// Fits an encoding on files and opens them as a stream.
fn opened(paths: &[PathBuf], choice: &ColumnChoice) -> Result<WindowedStream> {
    let files = Files::new(paths)?;
    let read = ReadOptions::default();
    let how = EncodeOptions::default();
    let (encoding, rows) = Encoding::fit(&files, choice, &read, how, &mut Notes::new())?;
    assert_eq!(rows.digests, InputDigest::of_all(paths)?);
    WindowedStream::open(Box::new(files), &encoding, choice, &by_rows(1), &read)
}

/// Stored manifests hold what `InputDigest::of` gives: hashing on the way must come to the same.
#[test]
fn files_are_known_by_the_bytes_that_were_read() {
    let folder = Folder::new();
    let rows: String = (0..3000)
        .map(|i| format!("{i},{}.5,c{}\n", i % 7, i % 2))
        .collect();
    let table = format!("a,b,label\n{rows}");
    let packed = [gzip(table.as_bytes()), gzip(b"7,8,c0\n")].concat();
    let arff = "@relation r\n@attribute a numeric\n@attribute label {x,y}\n@data\n1,x\n2,y\n";
    for (name, bytes) in [
        ("t.csv", table.clone().into_bytes()),
        ("marked.csv", format!("\u{feff}{table}").into_bytes()),
        ("t.csv.gz", packed),
        ("t.arff", arff.into()),
        ("t.arff.gz", gzip(arff.as_bytes())),
        ("t.parquet", parquet(3000, 1000, Compression::SNAPPY)),
    ] {
        let path = folder.write(name, bytes);
        let stream = opened(std::slice::from_ref(&path), &labelled("label")).unwrap();
        assert_eq!(
            stream.outline().digests,
            [InputDigest::of(&path).unwrap()],
            "{name}"
        );
    }
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tables");
    for name in ["pandas.parquet", "numpy.npz", "plain.mat"] {
        let read = ReadOptions {
            digest: true,
            ..ReadOptions::default()
        };
        let path = tables.join(name);
        let mut frames = driftline_io::open(&path, &read).unwrap();
        while frames.next_frame().unwrap().is_some() {}
        assert_eq!(
            frames.digests().unwrap(),
            [InputDigest::of(&path).unwrap()],
            "{name}"
        );
    }
    for (place, first) in [("p/x/1.png", 1), ("p/x/2.png", 2), ("p/y/3.png", 90)] {
        folder.write(place, picture(3, 4, first, false, "png"));
    }
    let paths = [folder.path("p")];
    let stream = opened(&paths, &labelled("label")).unwrap();
    assert_eq!(
        stream.outline().digests,
        InputDigest::of_all(&paths).unwrap()
    );
}

#[test]
fn several_files_are_known_one_by_one() {
    let folder = Folder::new();
    let paths = [
        folder.write("1.csv", "a,label\n1,x\n2,y\n"),
        folder.write("2.csv.gz", gzip(b"label,a\nx,3\n")),
        folder.write(
            "3.arff",
            "@relation r\n@attribute a numeric\n@attribute label {x,y}\n@data\n1,x\n",
        ),
    ];
    let stream = opened(&paths, &labelled("label")).unwrap();
    assert_eq!(
        stream.outline().digests,
        InputDigest::of_all(&paths).unwrap()
    );
    assert_eq!(stream.outline().rows, 4);
}

/// Counts how often a source is opened.
struct Counted(Files, Arc<AtomicUsize>);

impl TableSource for Counted {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.open(options)
    }
}

#[test]
fn a_stream_is_opened_once_a_pass_and_read_twice() {
    let folder = Folder::new();
    let text = "x,label\n1,a\n2,b\n3,a\n4,c\n";
    let files = Files::new([folder.write("t.csv", text)]).unwrap();
    let read = ReadOptions::default();
    let (encoding, _) = Encoding::fit(
        &files,
        &labelled("label"),
        &read,
        EncodeOptions::default(),
        &mut Notes::new(),
    )
    .unwrap();
    let opened = Arc::new(AtomicUsize::new(0));
    let source = Box::new(Counted(files, opened.clone()));
    let choice = ColumnChoice {
        answers: Some("label".into()),
        ..ColumnChoice::default()
    };
    let stream = WindowedStream::open(source, &encoding, &choice, &by_rows(3), &read).unwrap();
    assert_eq!(opened.load(Ordering::SeqCst), 1);
    let counts = AnswerCounts {
        known: 4,
        unknown: 0,
        missing: 0,
    };
    assert_eq!(stream.outline().answers, Some(counts));
    let one = stream.into_one_window();
    assert_eq!(one.outline().windows[0].rows, 4);
    let windows: Vec<_> = one.map(Result::unwrap).collect();
    assert_eq!(
        windows.iter().map(|w| w.rows.len()).collect::<Vec<_>>(),
        [4]
    );
    assert_eq!(opened.load(Ordering::SeqCst), 2);
}

#[test]
fn a_fault_in_the_last_row_is_told_when_the_stream_is_opened() {
    let folder = Folder::new();
    let source = Files::new([folder.write("s.csv", "x,label\n1,a\n2,b\n")]).unwrap();
    let read = ReadOptions::default();
    let how = EncodeOptions::default();
    let choice = ColumnChoice {
        label: Some("label".into()),
        ..ColumnChoice::default()
    };
    let (encoding, _) = Encoding::fit(&source, &choice, &read, how, &mut Notes::new()).unwrap();
    let path = folder.write("t.csv", format!("x\n{}NA\n", "5\n".repeat(20_000)));
    let stream = Box::new(Files::new([path]).unwrap());
    let error = WindowedStream::open(
        stream,
        &encoding,
        &ColumnChoice::default(),
        &by_rows(10),
        &read,
    );
    let said = said(&folder, &error.unwrap_err());
    assert!(
        said.starts_with("t.csv: row 20001, column `x`: the value is missing"),
        "{said}"
    );
}

/// Numbers in memory, in frames of a given size, that may cancel the reading.
struct Numbered {
    values: Vec<f64>,
    frame: usize,
    cancel: Option<Cancel>,
    head: Head,
    next: usize,
}

impl Batches for Numbered {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        if let Some(cancel) = self.cancel.as_ref().filter(|_| self.next > 0) {
            cancel.cancel();
        }
        let end = self.values.len().min(self.next + self.frame);
        let values = self.values[self.next..end].to_vec();
        let first_row = self.next as u64 + 1;
        self.next = end;
        let rows = values.len();
        Ok((rows > 0).then(|| Batch {
            file: 0,
            first_row,
            scattered: None,
            columns: vec![Column::Numbers(Numbers::Double(values))],
            rows,
        }))
    }
}

fn numbered(values: Vec<f64>, frame: usize, cancel: Option<Cancel>) -> Box<dyn TableSource> {
    Box::new(move |_: &ReadOptions| -> Result<Box<dyn Batches>> {
        Ok(Box::new(Numbered {
            values: values.clone(),
            frame,
            cancel: cancel.clone(),
            head: Head::new("memory", vec![Field::new("x", Kind::Number)], "numbers"),
            next: 0,
        }))
    })
}

fn encoding() -> Encoding {
    let folder = Folder::new();
    let files = Files::new([folder.write("s.csv", "x,label\n1,a\n2,b\n")]).unwrap();
    let (read, how) = (ReadOptions::default(), EncodeOptions::default());
    let fitted = Encoding::fit(&files, &labelled("label"), &read, how, &mut Notes::new());
    fitted.unwrap().0
}

#[test]
fn data_without_files_are_known_by_what_they_hold() {
    let digest = |values: &[f64], frame| {
        let (source, read) = (
            numbered(values.to_vec(), frame, None),
            ReadOptions::default(),
        );
        let choice = ColumnChoice::default();
        let stream =
            WindowedStream::open(source, &encoding(), &choice, &by_rows(1), &read).unwrap();
        stream.outline().digests.clone()
    };
    let first = digest(&[1.0, 2.0, 3.0], 3);
    assert_eq!((&*first[0].path, first[0].bytes), (Path::new("memory"), 24));
    assert_eq!(digest(&[1.0, 2.0, 3.0], 2), first);
    assert_ne!(digest(&[1.0, 2.0, 4.0], 2), first);
}

#[test]
fn reading_can_be_cancelled_between_two_frames() {
    let values: Vec<f64> = (0..10).map(f64::from).collect();
    let source = |cancel: &Cancel| numbered(values.clone(), 3, Some(cancel.clone()));
    let options = |cancel: &Cancel| ReadOptions {
        cancel: cancel.clone(),
        ..ReadOptions::default()
    };
    let (encoding, choice) = (encoding(), ColumnChoice::default());
    let interrupted = |error: Option<Error>| {
        assert!(matches!(error, Some(Error::Interrupted)), "{error:?}");
    };
    let cancel = Cancel::new();
    let read = options(&cancel);
    interrupted(
        WindowedStream::open(source(&cancel), &encoding, &choice, &by_rows(1), &read).err(),
    );
    let cancel = Cancel::new();
    let read = options(&cancel);
    let notes = &mut Notes::new();
    interrupted(read_all(&*source(&cancel), &encoding, &choice, &read, notes).err());
    let cancel = Cancel::new();
    let mut reader =
        RowReader::open(&*source(&cancel), &encoding, &choice, &options(&cancel)).unwrap();
    assert_eq!(reader.next_rows().unwrap().unwrap().len(), 3);
    cancel.cancel();
    interrupted(reader.next_rows().err());
    // A walk that has begun stops, too.
    let cancel = Cancel::new();
    let plain = numbered(values.clone(), 3, None);
    let mut stream =
        WindowedStream::open(plain, &encoding, &choice, &by_rows(2), &options(&cancel)).unwrap();
    stream.next_window().unwrap();
    cancel.cancel();
    interrupted((0..2).find_map(|_| stream.next_window().err()));
}
