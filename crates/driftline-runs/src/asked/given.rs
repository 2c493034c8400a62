//! A file of labels that somebody filled in: rows by `window` and `window_row`, by `file` and `row`, or by `id`, and their
//! labels. It fills the store, and answers what is asked while a run goes on.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::text::TextColumns;
use super::{AskedRows, known_label, text_columns};
use crate::record::WindowRecord;
use driftline_adapt::Expert;
use driftline_core::Result;
use driftline_core::error::DataFault;
use driftline_io::{ClassLookup, ReadOptions, TableSource, Window};

/// The label of a row whose class the source lacks.
pub const OTHER_CLASS: &str = "another class";

/// What a row goes by in a file of labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Window(usize, usize),
    Row(String, u64),
    Id(String),
}

#[derive(Clone, Debug, PartialEq)]
struct Given {
    /// The number of the line among the data rows of the file, from 1.
    line: u64,
    /// What it goes by, the surest first.
    keys: Vec<Key>,
    label: String,
    class: Option<u32>,
}

/// Labels by row, as they were read from a file.
#[derive(Clone, Debug)]
pub struct GivenLabels {
    path: PathBuf,
    all: Vec<Given>,
    places: HashMap<Key, usize>,
}

impl GivenLabels {
    /// Reads the labels in `column`; an empty one is none. The classes are those of the model.
    pub fn read(
        data: &dyn TableSource,
        column: &str,
        classes: &[String],
        read: &ReadOptions,
    ) -> Result<Self> {
        let names = ["window", "window_row", "file", "row", "id", column];
        let TextColumns {
            path,
            columns,
            rows,
            ..
        } = text_columns(data, &names, read)?;
        let [window, window_row, file, row, id, label] = &columns[..] else {
            unreachable!("one column for each name");
        };
        let fault = |message: String| DataFault::new(&path, message);
        let Some(label) = label else {
            let help = "name the column that has the labels; the file needs a first line with the names of its columns";
            let message = format!("has no column `{column}`");
            return Err(fault(message).help(help.to_owned()).into());
        };
        let named = [(window, window_row), (file, row)];
        if id.is_none() && named.iter().all(|(a, b)| a.is_none() || b.is_none()) {
            let message = "does not say which rows its labels are of";
            let help = "it needs the columns `window` and `window_row`, `file` and `row`, or `id`, as written by `driftline label RUN --out FILE`";
            return Err(fault(message.into()).help(help.to_owned()).into());
        }
        let lookup = ClassLookup::new(classes);
        let (mut all, mut places): (Vec<Given>, HashMap<Key, usize>) = (vec![], HashMap::new());
        for at in (0..rows).filter(|&at| !label[at].trim().is_empty()) {
            let line = at as u64 + 1;
            let whole = |cells: &[String], column: &str| -> Result<u64> {
                let number = cells[at].trim().parse().ok().filter(|number| *number > 0);
                number.ok_or_else(|| {
                    let message = format!("`{}` is not the number of a row", cells[at]);
                    let help = "rows and windows are whole numbers from 1";
                    let fault = fault(message).row(line).column(column);
                    fault.help(help.to_owned()).into()
                })
            };
            let Some(own) = known_label(&label[at], &lookup) else {
                let (message, names) = (
                    format!("`{}` is not a class of the model", label[at].trim()),
                    classes.join("`, `"),
                );
                let help = format!(
                    "the classes are `{names}`; write `{OTHER_CLASS}` for a class that the source lacks, and leave a label that is not known empty"
                );
                return Err(fault(message).row(line).column(column).help(help).into());
            };
            let mut keys = vec![];
            if let (Some(window), Some(row)) = (window, window_row)
                && !window[at].trim().is_empty()
            {
                let (window, row) = (whole(window, "window")?, whole(row, "window_row")?);
                keys.push(Key::Window(window as usize, row as usize));
            }
            if let (Some(file), Some(row)) = (file, row)
                && !row[at].trim().is_empty()
            {
                keys.push(Key::Row(file[at].clone(), whole(row, "row")?));
            }
            // A name of its own is looked at only where nothing surer is there.
            if let (Some(id), true) = (id, keys.is_empty()) {
                keys.push(Key::Id(id[at].clone()));
            }
            if keys.is_empty() {
                return Err(fault("does not say which row it is".into())
                    .row(line)
                    .into());
            }
            let given = Given {
                line,
                class: lookup.find(&own),
                label: own,
                keys,
            };
            for key in &given.keys {
                let before = places.entry(key.clone()).or_insert(all.len());
                if let Some(before) = all
                    .get(*before)
                    .filter(|own: &&Given| own.label != given.label)
                {
                    let message = format!(
                        "labels the same row as row {}, but differently: `{}` there, `{}` here",
                        before.line, before.label, given.label
                    );
                    let fault = fault(message).row(line).column(column);
                    return Err(fault.help("keep one of the two".to_owned()).into());
                }
            }
            all.push(given);
        }
        Ok(Self { path, all, places })
    }

    /// How many rows it labels.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn find(&self, keys: &[Key]) -> Option<&Given> {
        let at = keys.iter().find_map(|key| self.places.get(key))?;
        self.all.get(*at)
    }

    /// Somebody who knows the labels of a window, as far as they are in the file.
    pub(crate) fn expert(self: &Arc<Self>, window: &Arc<Window>) -> Arc<dyn Expert> {
        Arc::new(OfWindow(self.clone(), window.clone()))
    }

    /// The first line that labels none of these rows and no asked one.
    pub(crate) fn foreign_to(&self, asked: &AskedRows, window: &Window) -> Option<DataFault> {
        let rows = &window.rows;
        let own = (0..rows.len()).flat_map(|row| keys_of(window, row));
        let own: std::collections::HashSet<Key> = own.collect();
        let known = asked.lines.iter().flat_map(keys);
        let known: std::collections::HashSet<Key> = known.chain(own).collect();
        let foreign = |given: &&Given| !given.keys.iter().any(|key| known.contains(key));
        self.all
            .iter()
            .find(foreign)
            .map(|given| self.unknown(given))
    }

    fn unknown(&self, given: &Given) -> DataFault {
        let message = match &given.keys[0] {
            Key::Window(window, row) => format!("row {row} of window {window} was not asked for"),
            Key::Row(file, row) => format!("row {row} of `{file}` was not asked for"),
            Key::Id(id) => format!("`{id}` is not the `id` of a row that was asked for"),
        };
        let help = "`driftline label RUN --out FILE` writes the rows that are asked for; remove the others, or leave their labels empty";
        DataFault::new(&self.path, message)
            .row(given.line)
            .help(help.to_owned())
    }
}

fn keys(line: &super::AskedLine) -> Vec<Key> {
    vec![
        Key::Window(line.window, line.window_row),
        Key::Row(line.file.clone(), line.row),
        Key::Id(line.id.clone()),
    ]
}

fn keys_of(window: &Window, row: usize) -> Vec<Key> {
    let (file, number) = window.rows.origins.get(row);
    let ids = window.rows.ids.first();
    let id = ids.map(|ids| Key::Id(ids.values[row].clone()));
    let row = Key::Row(file.display().to_string(), number);
    std::iter::once(row).chain(id).collect()
}

#[derive(Debug)]
struct OfWindow(Arc<GivenLabels>, Arc<Window>);

impl Expert for OfWindow {
    fn label(&self, rows: &[usize]) -> Result<Vec<Option<u32>>> {
        let known = |&row: &usize| self.0.find(&keys_of(&self.1, row))?.class;
        Ok(rows.iter().map(known).collect())
    }
}

impl AskedRows {
    /// Takes labels from a file: of all rows that were asked for, or else of none. With `strict`, a line about another row is
    /// refused. How many labels are new.
    pub fn fill(
        &mut self,
        given: &GivenLabels,
        strict: bool,
        records: &[WindowRecord],
        classes: &[String],
    ) -> Result<usize> {
        let mut next = self.clone();
        let mut rows: HashMap<Key, Vec<usize>> = HashMap::new();
        for (at, line) in self.lines.iter().enumerate() {
            for key in keys(line) {
                rows.entry(key).or_default().push(at);
            }
        }
        for own in &given.all {
            let found = own.keys.iter().find_map(|key| Some((key, rows.get(key)?)));
            let Some((key, lines)) = found else {
                if strict {
                    return Err(given.unknown(own).into());
                }
                continue;
            };
            if let Key::Id(id) = key {
                let first = &self.lines[lines[0]];
                if lines
                    .iter()
                    .any(|&at| !self.lines[at].is(first.window, first.window_row))
                {
                    let message = format!("`{id}` is the `id` of several rows that were asked for");
                    let help = "say which by the columns `window` and `window_row`";
                    let fault = DataFault::new(&given.path, message).row(own.line);
                    return Err(fault.column("id").help(help.to_owned()).into());
                }
            }
            for &at in lines {
                next.lines[at].label.clone_from(&own.label);
            }
        }
        let told = |message: String| DataFault::new(&given.path, message);
        next.expect_untaken(records, classes).map_err(told)?;
        let changed = self.lines.iter().zip(&next.lines);
        let changed = changed.filter(|(before, after)| before.label != after.label);
        let changed = changed.count();
        *self = next;
        Ok(changed)
    }
}
