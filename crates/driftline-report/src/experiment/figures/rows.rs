//! Figures with one row per method: means with intervals, and the distribution over draws of the data.

use driftline::experiment::Row;

use super::{Scene, per_cent};
use crate::chart::{Figure, intervals, strip};
use crate::experiment::results::{per_draw, printed, quantiles};
use crate::numbers::{fixed, in_text};

impl Scene<'_> {
    pub(super) fn accuracies(&self) -> Figure {
        let rows: Vec<intervals::Row> =
            self.rows.iter().map(|row| self.interval_row(row)).collect();
        let mut axis = per_cent(
            "target accuracy, %",
            rows.iter().flat_map(intervals::Row::extent),
        );
        self.mark_guessing(&mut axis);
        let singles = if self.draws {
            ""
        } else {
            " Small dots: single trials."
        };
        let mut caption = format!("Large dot: our mean with its 90 % Student-t interval.{singles}");
        if self.rows.iter().any(|row| row.printed.is_some()) {
            caption += " Open diamond: the paper’s number with its interval.";
        }
        self.figure("Target accuracy", caption, "accuracy", |heading| {
            intervals::chart(heading, &axis, &rows)
        })
    }

    fn interval_row(&self, row: &Row) -> intervals::Row {
        let single = |((draw, seed), value): &((u64, u64), f64)| {
            (
                *value,
                format!("data seed {draw}, seed {seed}: {} %", fixed(*value, 1)),
            )
        };
        let hint = printed(row).unwrap_or_default();
        intervals::Row {
            label: self.label(row, in_text(&row.accuracy)),
            mean: row.accuracy.mean,
            half_width: row.accuracy.half_width,
            singles: if self.draws {
                Vec::new()
            } else {
                row.values.iter().map(single).collect()
            },
            printed: row
                .printed
                .as_ref()
                .map(|cell| (cell.mean, cell.half_width, format!("paper: {hint}"))),
        }
    }

    pub(super) fn distribution(&self) -> Option<Figure> {
        if !self.draws {
            return None;
        }
        let row = |row: &&Row| {
            let draws = per_draw(row);
            let all = quantiles(&draws);
            let median = all.map_or(String::new(), |q| format!("median {}", fixed(q[3], 1)));
            strip::Row {
                label: self.label(row, median),
                quantiles: all.map(|[_, a, b, c, d, e, _]| [a, b, c, d, e]),
                values: draws
                    .into_iter()
                    .map(|(draw, value)| {
                        (value, format!("data seed {draw}: {} %", fixed(value, 1)))
                    })
                    .collect(),
            }
        };
        let rows: Vec<strip::Row> = self.rows.iter().map(row).collect();
        let values = rows
            .iter()
            .flat_map(|row| row.values.iter().map(|(value, _)| *value));
        let mut axis = per_cent("target accuracy, %", values);
        self.mark_guessing(&mut axis);
        let caption = "Each dot is one independent draw of the data. Below the dots: median, middle half (bar) and \
                       middle 80 % (line).";
        Some(self.figure(
            "Target accuracy over draws of the data",
            caption.into(),
            "draws",
            |heading| strip::chart(heading, &axis, &rows),
        ))
    }

    fn label(&self, row: &Row, text: String) -> intervals::Label {
        intervals::Label {
            name: row.method.clone(),
            tone: self.tone(&row.method),
            text,
        }
    }
}
