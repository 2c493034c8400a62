//! A file of labels for the rows of a window: by the `file` and `row` that predictions and audits name, or, without these
//! columns, one for each row in their order. An empty label is none.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::asked::{ASKED, text_columns};
use crate::folder::RunFolder;
use driftline_core::Result;
use driftline_core::error::DataFault;
use driftline_io::{Answer, ClassLookup, InputDigest, ReadOptions, Rows, TableSource, blake3};

/// Where labels are, and in which column.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct LabelFile<'a> {
    pub data: &'a dyn TableSource,
    pub column: &'a str,
    pub read: &'a ReadOptions,
}

impl std::fmt::Debug for LabelFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LabelFile({})", self.column)
    }
}

/// What is known of the rows of a window.
pub(super) struct Answers {
    pub of_rows: Vec<Answer>,
    /// What the labels are known by.
    pub digests: Vec<InputDigest>,
    pub path: PathBuf,
}

impl Answers {
    /// From a file, or else the labels of rows that were asked for.
    pub fn of(
        labels: Option<&LabelFile<'_>>,
        run: &RunFolder,
        window: usize,
        rows: &Rows,
    ) -> Result<Self> {
        let classes = &run.manifest().classes;
        if let Some(labels) = labels {
            return labels.answers(rows, classes);
        }
        let lookup = ClassLookup::new(classes);
        let path = run.folder().join(ASKED);
        let asked = run.asked()?;
        let mut of_rows = vec![Answer::Missing; rows.len()];
        let mut said = format!("{window}");
        let known = asked.lines().iter().filter(|line| !line.is_open());
        for line in known.filter(|line| line.window == window) {
            let class = line.class(&lookup);
            let place = of_rows.get_mut(line.window_row.wrapping_sub(1));
            let place = place.ok_or_else(|| {
                let (row, rows) = (line.window_row, rows.len());
                let message = format!("has row {row} of window {window}, which has {rows}");
                DataFault::new(&path, message)
            })?;
            *place = class.map_or(Answer::Unknown, Answer::Class);
            said += &format!("\n{} {}", line.window_row, line.label);
        }
        let digest = InputDigest {
            path: path.clone(),
            bytes: said.len() as u64,
            blake3: blake3(said.as_bytes()),
        };
        Ok(Self {
            of_rows,
            digests: vec![digest],
            path,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.of_rows.iter().all(|own| *own == Answer::Missing)
    }
}

/// What a file says of one row.
struct Line {
    file: Option<String>,
    row: Option<String>,
    label: String,
}

impl<'a> LabelFile<'a> {
    pub fn new(data: &'a dyn TableSource, column: &'a str, read: &'a ReadOptions) -> Self {
        Self { data, column, read }
    }

    /// The answer to each of `rows`.
    pub(super) fn answers(&self, rows: &Rows, classes: &[String]) -> Result<Answers> {
        let (path, lines, digests) = self.lines()?;
        let lookup = ClassLookup::new(classes);
        let answer = |label: &str| match label.trim() {
            "" => Answer::Missing,
            label => lookup.find(label).map_or(Answer::Unknown, Answer::Class),
        };
        let fault = |message: String| DataFault::new(&path, message);
        if lines.iter().all(|line| line.row.is_none()) {
            if lines.len() != rows.len() {
                let (found, wanted) = (lines.len(), rows.len());
                let message = format!(
                    "has {found} labels for the {wanted} rows of the window, and no columns `file` and `row` that say which"
                );
                return Err(fault(message).into());
            }
            let answers = lines.iter().map(|line| answer(&line.label)).collect();
            return Ok(Answers {
                of_rows: answers,
                digests,
                path,
            });
        }
        let place = |row: usize| {
            let (file, row) = rows.origins.get(row);
            (file.display().to_string(), row.to_string())
        };
        let places: HashMap<_, usize> = (0..rows.len()).map(|row| (place(row), row)).collect();
        let only = (0..rows.len()).all(|row| rows.origins.get(row).0 == rows.origins.get(0).0);
        let mut answers = vec![Answer::Missing; rows.len()];
        for (number, line) in lines.iter().enumerate() {
            let file = match &line.file {
                Some(file) => file.clone(),
                None if only => place(0).0,
                None => {
                    return Err(
                        fault("has no column `file`, but the window has several".into()).into(),
                    );
                }
            };
            let row = line.row.clone().unwrap_or_default();
            let Some(&at) = places.get(&(file.clone(), row.clone())) else {
                let message = format!("row {row} of `{file}` is not of this window");
                return Err(fault(message).row(number as u64 + 1).into());
            };
            match (answers[at], answer(&line.label)) {
                (_, Answer::Missing) => {}
                (Answer::Missing, label) => answers[at] = label,
                (before, label) if before == label => {}
                _ => {
                    let message =
                        format!("labels row {row} of `{file}` twice, with different labels");
                    return Err(fault(message).row(number as u64 + 1).into());
                }
            }
        }
        Ok(Answers {
            of_rows: answers,
            digests,
            path: path.clone(),
        })
    }

    fn lines(&self) -> Result<(PathBuf, Vec<Line>, Vec<InputDigest>)> {
        let mut found = text_columns(self.data, &["file", "row", self.column], self.read)?;
        let path = found.path;
        let Some(label) = found.columns.pop().flatten() else {
            let message = format!("has no column `{}`", self.column);
            let help = "name the column that has the labels with --label";
            return Err(DataFault::new(path, message).help(help.to_owned()).into());
        };
        let text = |column: &Option<Vec<String>>, at: usize| Some(column.as_ref()?[at].clone());
        let lines = label.into_iter().enumerate().map(|(at, label)| Line {
            file: text(&found.columns[0], at),
            row: text(&found.columns[1], at),
            label,
        });
        Ok((path, lines.collect(), found.digests))
    }
}
