//! The store of asked rows: what the judge and audits want labelled, and the labels that have come. In a run folder it is
//! `labels/asked.csv`, which a person may fill in. What the judge asked stands in the windows' records too, so that only a
//! label can be changed there.

mod csv;
mod given;
mod late;
mod shown;
mod text;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub use csv::{ASKED, to_csv};
pub(crate) use csv::{OneFile, quoted};
pub use given::{GivenLabels, OTHER_CLASS};
pub use late::{LateLabels, TakenLabel};
pub use shown::{ShownRow, shown, shown_csv};
pub(crate) use text::text_columns;

use crate::record::{Place, WindowRecord};
use driftline_adapt::AskedRow;
use driftline_core::{Error, Result};
use driftline_io::{ClassLookup, Rows};

/// Who asks, where it is the policy.
pub const JUDGE: &str = "judge";

/// A row that the policy asked about, as the record of its window has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedRecord {
    #[serde(flatten)]
    pub asked: AskedRow,
    /// Where the row came from.
    pub place: Place,
    /// What it goes by in the first column that is passed through; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
}

/// A row to be labelled: a line of the store.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedLine {
    pub window: usize,
    /// Its place in the window, from 1.
    pub window_row: usize,
    /// What it goes by; its place in the window where it goes by nothing.
    pub id: String,
    pub file: String,
    pub row: u64,
    /// How many rows of the window it stands for.
    pub weight: f64,
    /// `judge`, or `audit` and what the version in use was compared with.
    pub asked_by: String,
    /// Empty until it is known.
    pub label: String,
}

/// All that was asked for, in that order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedRows {
    pub(crate) lines: Vec<AskedLine>,
}

impl AskedRecord {
    pub(crate) fn of(asked: AskedRow, rows: &Rows) -> Self {
        let (file, row) = rows.origins.get(asked.row);
        let id = rows.ids.first().map(|ids| ids.values[asked.row].clone());
        Self {
            place: Place {
                file: file.display().to_string(),
                row,
            },
            id: id.unwrap_or_default(),
            asked,
        }
    }

    fn line(&self, window: usize, classes: &[String]) -> AskedLine {
        let Self { asked, place, id } = self;
        let class = asked.class.and_then(|class| classes.get(class as usize));
        let window_row = asked.row + 1;
        AskedLine {
            window,
            window_row,
            id: match &**id {
                "" => window_row.to_string(),
                id => id.into(),
            },
            file: place.file.clone(),
            row: place.row,
            weight: asked.weight,
            asked_by: JUDGE.into(),
            label: class.cloned().unwrap_or_default(),
        }
    }
}

impl AskedLine {
    pub fn is_open(&self) -> bool {
        self.label.is_empty()
    }

    /// The class of its label; none where the source lacks it.
    pub fn class(&self, lookup: &ClassLookup) -> Option<u32> {
        lookup.find(&self.label)
    }
}

impl AskedRows {
    /// What the judge asked in these windows.
    pub fn of(records: &[WindowRecord], classes: &[String]) -> Self {
        let of = |record: &WindowRecord| -> Vec<AskedLine> {
            let own = record.asked.iter();
            own.map(|asked| asked.line(record.window, classes))
                .collect()
        };
        Self {
            lines: records.iter().flat_map(of).collect(),
        }
    }

    /// With what the judge asked in one more window.
    pub(crate) fn add(&mut self, record: &WindowRecord, classes: &[String]) {
        let new = Self::of(std::slice::from_ref(record), classes);
        self.lines.extend(new.lines);
    }

    pub fn lines(&self) -> &[AskedLine] {
        &self.lines
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Those without a label; a row that two have asked about comes once.
    pub fn open(&self) -> Vec<&AskedLine> {
        let mut seen = HashSet::new();
        let mut first = |line: &&AskedLine| seen.insert((line.window, line.window_row));
        let open = self.lines.iter().filter(|line| line.is_open());
        open.filter(&mut first).collect()
    }

    /// Fills in labels by place: `(window, row of the window)`, from 1. An empty label takes one back.
    pub fn label(
        &mut self,
        rows: &[(usize, usize)],
        labels: &[&str],
        records: &[WindowRecord],
        classes: &[String],
    ) -> Result<()> {
        if rows.len() != labels.len() {
            return Err(Error::mismatch("the labels", rows.len(), labels.len()));
        }
        let lookup = ClassLookup::new(classes);
        let mut next = self.clone();
        for (&(window, row), label) in rows.iter().zip(labels) {
            let label = known_label(label, &lookup).ok_or_else(|| {
                let mut names: Vec<&str> = classes.iter().map(|class| &**class).collect();
                names.push(OTHER_CLASS);
                Error::unknown_name("class of the model", label, &names)
            })?;
            let mut found = false;
            for line in next.lines.iter_mut().filter(|line| line.is(window, row)) {
                line.label = label.clone();
                found = true;
            }
            if !found {
                let message = format!("row {row} of window {window} was not asked for");
                return Err(Error::Other(message.into()));
            }
        }
        let told = next.expect_untaken(records, classes);
        told.map_err(|message| Error::Other(message.into()))?;
        *self = next;
        Ok(())
    }
}

impl AskedLine {
    fn is(&self, window: usize, window_row: usize) -> bool {
        (self.window, self.window_row) == (window, window_row)
    }
}

/// A label as the store writes it: the name of a class, or that it is another one; none where it is neither.
pub(crate) fn known_label(text: &str, lookup: &ClassLookup) -> Option<String> {
    let text = text.trim();
    let known = text.is_empty() || text == OTHER_CLASS || lookup.find(text).is_some();
    known.then(|| text.to_owned())
}
