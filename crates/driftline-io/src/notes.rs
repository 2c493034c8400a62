//! Things that were handled rather than refused, and are said once each with how often they occurred.

use std::fmt;

use serde::{Deserialize, Serialize};

use driftline_core::hint::Hint;

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoteCode {
    /// The stream has the label column, but no answers were asked for: it is not used.
    LabelIgnored,
    /// Answers of a class that the source lacks: no model can be right there.
    UnknownClasses,
    /// Rows without an answer: they are not scored.
    MissingAnswers,
    /// Categories that the source lacks: encoded as none of its categories.
    UnseenCategories,
    /// Missing values filled with the source's mean or most frequent category.
    Imputed,
    /// Columns with one value in the whole source.
    ConstantColumns,
    /// Columns without a value in the whole source: they are no inputs.
    EmptyColumns,
    /// Columns that hardly vary in the source: they are no inputs.
    ColumnsDropped,
    /// Rows in which such a column has another value than in the source.
    ColumnAwake,
    /// Texts of the source of which hardly two rows share one: names of rows rather than categories.
    ManyCategories,
    /// Whole numbers of the source of which no two rows share one: the numbers of the rows rather than a quantity.
    RowNumbers,
    /// Texts of the source that are numbers but for a few.
    MostlyNumbers,
    /// A column of the source that the answers are in: it is no feature.
    AnswersNoFeature,
    /// Columns that the model does not know.
    ColumnsAdded,
    ColumnsReordered,
    /// Columns beside images, which are not inputs.
    ColumnsUnused,
    /// The times did not ascend; the rows were sorted.
    Unsorted,
    /// Rows that share their time with the row before; they keep the order of the file.
    DuplicateTimes,
    /// Calendar periods without a row: there is no window for them.
    EmptyPeriods,
    /// What became of the rows after the last full window.
    Tail,
    /// Windows with hardly enough rows to learn from.
    SmallWindows,
    /// Rows that `--where` left out.
    Filtered,
    /// The filter left nothing, or one class: the model before the window was kept.
    WindowHeld,
    /// The model that `auto` has chosen on the source, with the figures.
    ModelChosen,
    /// A step ended where it began.
    NothingLearned,
    /// A text file that is not UTF-8.
    Recoded,
    /// Lines that name the columns once more.
    HeaderRepeated,
    /// Dates that end with their year.
    DatesRead,
    /// Classes that differ only in how they are written.
    ClassesAlike,
    /// A number far from all others of its column that may stand for a missing value.
    Sentinel,
    /// Rows from before the end of the last window.
    OldRows,
}

/// One thing that was handled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    pub code: NoteCode,
    /// The column or file that it is about; notes with the same code and subject are counted together.
    pub about: String,
    pub message: String,
    /// Rows, values or columns, as the message says.
    pub count: u64,
}

/// All notes, in the order in which they first came up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Notes {
    notes: Vec<Note>,
}

impl Notes {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` to the note with this code and subject, which is made if there is none.
    pub fn add(
        &mut self,
        code: NoteCode,
        about: &str,
        count: u64,
        message: impl FnOnce() -> String,
    ) {
        if count == 0 {
            return;
        }
        let known = self
            .notes
            .iter_mut()
            .find(|note| note.code == code && note.about == about);
        match known {
            Some(note) => note.count = note.count.saturating_add(count),
            None => self.notes.push(Note {
                code,
                about: about.into(),
                message: message(),
                count,
            }),
        }
    }

    /// Takes over the notes of `other`, counting equal ones together.
    pub fn extend(&mut self, other: Notes) {
        for note in other.notes {
            self.add(note.code, &note.about, note.count, || note.message);
        }
    }

    /// Notes windows of fewer rows than five for each class, or than twenty.
    pub fn add_small_windows(&mut self, sizes: &[usize], classes: usize) {
        let least = (5 * classes).max(20);
        let small: Vec<usize> = sizes.iter().copied().filter(|&rows| rows < least).collect();
        let Some(smallest) = small.iter().min() else {
            return;
        };
        let (count, all) = (small.len(), sizes.len());
        self.add(NoteCode::SmallWindows, "", 1, || {
            format!(
                "{count} of {all} windows have fewer than {least} rows, the smallest {smallest}: too few to learn {classes} classes from"
            )
        });
    }

    pub fn as_slice(&self) -> &[Note] {
        &self.notes
    }

    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// The notes with one code.
    pub fn with(&self, code: NoteCode) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(move |note| note.code == code)
    }
}

impl Note {
    /// What may be done about it, where something may.
    pub fn advice(&self) -> Option<Hint> {
        let name = &self.about;
        Some(match self.code {
            NoteCode::LabelIgnored => format!("{{answers}} {name} would score by it").into(),
            NoteCode::MostlyNumbers => {
                format!("if they are categories: {{category}} {name}").into()
            }
            NoteCode::ColumnsDropped => "keep them: {keep-constant-columns}".into(),
            NoteCode::Recoded => {
                "if it is something else, save the file as UTF-8; {encoding} utf-8 refuses it"
                    .into()
            }
            NoteCode::DatesRead => "if the month comes first: {dates} month-first".into(),
            NoteCode::ClassesAlike => {
                "if they are one class, write them the same way in the file".into()
            }
            NoteCode::Sentinel => "if so, leave the field empty and use {impute}".into(),
            NoteCode::SmallWindows => "choose larger windows with {window} or {every}".into(),
            NoteCode::ManyCategories | NoteCode::RowNumbers => format!(
                "pass it through with {{id}} {name}, or leave it out with {{exclude}} {name}"
            )
            .into(),
            _ => return None,
        })
    }
}

/// The message, and how often where that is more than once: "column `city`: `Oslo` is unknown to the source (×12)".
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => f.write_str(&self.message),
            count => write!(f, "{} (×{count})", self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_notes_are_counted_together() {
        let mut notes = Notes::new();
        let unseen = NoteCode::UnseenCategories;
        notes.add(unseen, "city", 2, || "first".into());
        notes.add(unseen, "town", 1, || "other".into());
        notes.add(unseen, "city", 3, || "never said".into());
        notes.add(unseen, "none", 0, || unreachable!());
        let said: Vec<_> = notes.as_slice().iter().map(Note::to_string).collect();
        assert_eq!(said, ["first (×5)", "other"]);
        let json = serde_json::to_string(&notes).unwrap();
        assert!(json.starts_with(r#"[{"code":"unseen-categories","about":"city""#));
        assert_eq!(serde_json::from_str::<Notes>(&json).unwrap(), notes);
    }
}
