//! Labels that came for rows of the log: what a window has stands in `labels/window-0007.csv`, a file that `score` takes too. They
//! answer what the policy asked, score their window, and train only where that is wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::entry::LoggedLabel;
use super::follower::plain_csv;
use super::window_files::Span;
use crate::asked::{GivenLabels, OneFile, known_label, quoted, text_columns};
use crate::folder::RunFolder;
use crate::late::{LabelFile, learn, score};
use crate::step::Stepped;
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_io::{ClassLookup, ReadOptions, Table};
use driftline_models::Runtime;

/// What became of some labels.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// The windows that they are of.
    pub windows: BTreeSet<usize>,
    /// What could not be done, and why.
    pub refused: Vec<String>,
}

/// The labels of one window by the place of the row in its table, from 1.
type Labels = BTreeMap<u64, String>;

/// Takes labels of rows that the run has adapted to.
pub(super) fn take(
    run: &mut RunFolder,
    labels: &[LoggedLabel],
    runtime: &Runtime,
) -> Result<Taken> {
    let lookup = ClassLookup::new(&run.manifest().classes);
    let mut taken = Taken::default();
    let mut of_windows: BTreeMap<usize, Labels> = BTreeMap::new();
    for own in labels {
        let has = |span: Span| span.has(own.row).then_some(span);
        let mut windows = run.records().iter();
        let found = windows.find_map(|record| {
            let span = Span::of_record(record).and_then(has)?;
            Some((record.window, own.row - span.first + 1))
        });
        match (found, known_label(&own.label, &lookup)) {
            (Some((window, row)), Some(label)) => {
                of_windows.entry(window).or_default().insert(row, label);
            }
            (_, None) => taken.refused.push(format!(
                "the label of row {}: `{}` is not a class of the model",
                own.row, own.label
            )),
            (None, _) => taken.refused.push(format!(
                "the label of row {}: no window has the row",
                own.row
            )),
        }
    }
    for (window, labels) in of_windows {
        let done = keep(run, window, labels).and_then(|is_new| {
            taken.windows.insert(window);
            match is_new {
                // Rows that were asked for where versions differ do not score a window; they are evidence all the same.
                true => scored(run, window, runtime),
                false => Ok(()),
            }
        });
        match done {
            Err(error) if is_about_labels(&error) => {
                let told = format!("labels of window {window}: {error}");
                taken.refused.push(told);
            }
            done => done?,
        }
    }
    Ok(taken)
}

/// Whether an error is about the labels themselves, so that trying again is no use.
pub(super) fn is_about_labels(error: &Error) -> bool {
    matches!(error, Error::Data(_) | Error::Empty { .. })
}

/// Keeps labels of one window; whether any was new.
fn keep(run: &mut RunFolder, window: usize, new: Labels) -> Result<bool> {
    let path = path(run.folder(), window);
    let table_of_rows = run.records()[window - 1].inputs[0]
        .path
        .display()
        .to_string();
    let before = read(&path)?;
    let mut all = before.clone();
    let asked = run.asked()?;
    let known = asked.lines().iter().filter(|line| !line.is_open());
    for line in known.filter(|line| line.file == table_of_rows) {
        all.insert(line.row, line.label.clone());
    }
    all.extend(new);
    if all == before {
        return Ok(false);
    }
    let files = all.iter().map(|_| &*table_of_rows);
    let table = Table::new()
        .with_texts("file", files)?
        .with_texts("row", all.keys())?
        .with_texts("label", all.values())?;
    let options = ReadOptions::default();
    let classes = run.manifest().classes.clone();
    let given = GivenLabels::read(&table, "label", &classes, &options)?;
    run.fill_asked(&given, false)?;
    let mut text = "file,row,label\n".to_owned();
    for (row, label) in &all {
        text += &format!("{},{row},{}\n", quoted(&table_of_rows), quoted(label));
    }
    let folder = path.parent().unwrap_or(run.folder());
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    write_whole(&path, text.as_bytes())?;
    Ok(true)
}

fn scored(run: &mut RunFolder, window: usize, runtime: &Runtime) -> Result<()> {
    let path = path(run.folder(), window);
    let (file, read) = (OneFile(&path), plain_csv());
    let labels = LabelFile::new(&file, "label", &read);
    score(run, window, Some(&labels), &ReadOptions::default(), runtime)?;
    Ok(())
}

/// Adds a version that has learned from the labels of a window, if none has learned from these very labels.
pub(super) fn learn_from(run: &mut RunFolder, window: usize, runtime: &Runtime) -> Result<Stepped> {
    let path = path(run.folder(), window);
    let (file, read) = (OneFile(&path), plain_csv());
    let labels = LabelFile::new(&file, "label", &read);
    learn(run, window, Some(&labels), &ReadOptions::default(), runtime)
}

fn path(run: &Path, window: usize) -> PathBuf {
    run.join(format!("labels/window-{window:04}.csv"))
}

fn read(path: &Path) -> Result<Labels> {
    if !path.exists() {
        return Ok(Labels::new());
    }
    let table = text_columns(&OneFile(path), &["row", "label"], &plain_csv())?;
    let [Some(rows), Some(labels)] = &table.columns[..] else {
        return Err(Error::corrupt(path, "has no columns `row` and `label`"));
    };
    let rows = rows.iter().map(|row| row.parse::<u64>());
    let rows = rows.collect::<std::result::Result<Vec<_>, _>>();
    let rows = rows.map_err(|_| Error::corrupt(path, "has a row that is no number"))?;
    Ok(rows.into_iter().zip(labels.iter().cloned()).collect())
}
