//! Labels that came after their window was decided about: what the policy is told of them before its next decision, and what
//! the record of that decision's window says it was told.

use serde::{Deserialize, Serialize};

use super::{AskedLine, AskedRows, JUDGE, OTHER_CLASS};
use crate::record::WindowRecord;
use driftline_adapt::LabelledRow;
use driftline_io::ClassLookup;

/// A label that was taken as evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenLabel {
    pub window: usize,
    /// The row's place in the window, from 1.
    pub window_row: usize,
    /// None: a class that the source lacks.
    pub class: Option<u32>,
}

/// The labels that the policy has not heard of yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LateLabels {
    pub(crate) rows: Vec<LabelledRow>,
}

impl LateLabels {
    pub(crate) fn taken(&self) -> Vec<TakenLabel> {
        let taken = |row: &LabelledRow| TakenLabel {
            window: row.window,
            window_row: row.asked.row + 1,
            class: row.class,
        };
        self.rows.iter().map(taken).collect()
    }
}

impl AskedRows {
    /// The labels that no decision has heard of yet, in the order in which they were asked for.
    pub(crate) fn late(&self, records: &[WindowRecord], classes: &[String]) -> LateLabels {
        let lookup = ClassLookup::new(classes);
        let taken: Vec<&TakenLabel> = records.iter().flat_map(|own| &own.labels_taken).collect();
        let is_taken = |line: &AskedLine| {
            let mut taken = taken.iter();
            taken.any(|taken| line.is(taken.window, taken.window_row))
        };
        let judged = self.lines.iter().filter(|line| line.asked_by == JUDGE);
        let fresh = judged.filter(|line| !line.is_open() && !is_taken(line));
        let labelled = fresh.filter_map(|line| {
            let record = records.get(line.window.checked_sub(1)?)?;
            let mut asked = record.asked.iter().map(|own| &own.asked);
            let asked = asked.find(|own| own.row + 1 == line.window_row)?;
            // What an expert answered at once was heard at once.
            asked.class.is_none().then(|| LabelledRow {
                window: line.window,
                asked: asked.clone(),
                class: line.class(&lookup),
            })
        });
        LateLabels {
            rows: labelled.collect(),
        }
    }

    /// Whether labels that decisions have heard of are still what they were; the message says which is not.
    pub(super) fn expect_untaken(
        &self,
        records: &[WindowRecord],
        classes: &[String],
    ) -> Result<(), String> {
        let lookup = ClassLookup::new(classes);
        let at_once = records.iter().flat_map(|record| {
            let answered = record.asked.iter().map(|own| &own.asked);
            let answered = answered.filter(|asked| asked.class.is_some());
            answered.map(|asked| (record.window, record.window, asked.row + 1, asked.class))
        });
        let later = records.iter().flat_map(|record| {
            let taken = record.labels_taken.iter();
            taken.map(|own| (record.window, own.window, own.window_row, own.class))
        });
        for (decided, window, row, class) in at_once.chain(later) {
            let judged = |line: &&AskedLine| line.asked_by == JUDGE && line.is(window, row);
            let Some(line) = self.lines.iter().find(judged) else {
                continue;
            };
            if line.is_open() || line.class(&lookup) != class {
                let then = class.and_then(|class| classes.get(class as usize));
                let then = then.map_or(OTHER_CLASS, |class| class);
                return Err(format!(
                    "the label of row {row} of window {window} was `{then}` when it was used in the decision about window {decided}, so it can no longer be changed"
                ));
            }
        }
        Ok(())
    }
}
