//! Columns that hardly varied in the source and were left out: what their value was there, and how many rows of a stream have
//! another. The model does not see them, so that somebody should hear of it.

use serde::{Deserialize, Serialize};

use super::apply::Applied;
use super::statistics::{Pieces, each};
use crate::selection::cell_text;
use crate::{Batch, Column, NoteCode, Notes};

/// A column that was left out, and its value in the source: the middle one, or the most frequent text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usual {
    pub column: String,
    pub value: UsualValue,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UsualValue {
    Number(f64),
    Text(String),
}

impl UsualValue {
    /// The middle number of a column.
    pub(super) fn number(pieces: &Pieces) -> Option<Self> {
        let mut all = vec![];
        each(pieces, &mut |value| {
            if value.is_finite() {
                all.push(value);
            }
        });
        let middle = all.len() / 2;
        (!all.is_empty()).then(|| {
            let (_, middle, _) = all.select_nth_unstable_by(middle, f64::total_cmp);
            Self::Number(*middle)
        })
    }

    /// Whether a cell holds something else. What is missing is nothing else.
    fn differs(&self, column: &Column, row: usize) -> bool {
        match (self, column) {
            (Self::Number(usual), Column::Numbers(numbers)) => {
                let value = numbers.get(row);
                value.is_finite() && value != *usual
            }
            (Self::Text(usual), _) => cell_text(column, row).is_some_and(|text| text != *usual),
            (Self::Number(_), _) => cell_text(column, row).is_some(),
        }
    }
}

impl Applied {
    /// Notes the rows of a frame in which a column that was left out has another value than in the source.
    pub(super) fn note_awake(&self, frame: &Batch, rows: &[usize], notes: &mut Notes) {
        for (at, usual) in &self.asleep {
            let column = &frame.columns[*at];
            let differs = rows.iter().filter(|&&row| usual.value.differs(column, row));
            let name = &usual.column;
            notes.add(NoteCode::ColumnAwake, name, differs.count() as u64, || {
                let value = match &usual.value {
                    UsualValue::Number(value) => value.to_string(),
                    UsualValue::Text(text) => text.clone(),
                };
                format!(
                    "column `{name}` hardly varies in the source ({value}), so the model does not use it, but now it changes"
                )
            });
        }
    }
}
