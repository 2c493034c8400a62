//! Figures with one row per method: means with intervals, and the distribution over draws of the data.

use driftline_lab::experiment::Row;

use super::Scene;
use crate::chart::axis::Axis;
use crate::chart::{Figure, intervals, strip};
use crate::experiment::results::{per_draw, printed, quantiles};
use crate::numbers::{fixed, in_text};

impl Scene<'_> {
    pub(super) fn accuracies(&self) -> Figure {
        let rows = self.rows.iter().map(|row| self.interval_row(row));
        let rows: Vec<intervals::Row> = rows.collect();
        let values = rows.iter().flat_map(intervals::Row::extent);
        let mut axis = Axis::per_cent("target accuracy, %", values);
        self.mark_guessing(&mut axis);
        let mut caption = "Large dot: our mean with its 90 % Student-t interval.".to_owned();
        if !self.draws {
            caption += " Small dots: single trials.";
        }
        if self.rows.iter().any(|row| row.printed.is_some()) {
            caption += " Open diamond: the paper’s number with its interval.";
        }
        let chart = intervals::chart(&axis, &rows);
        self.figure("Target accuracy", caption, "accuracy", chart)
    }

    fn interval_row(&self, row: &Row) -> intervals::Row {
        let single = |((draw, seed), value): &((u64, u64), f64)| {
            let hint = format!("data seed {draw}, seed {seed}: {} %", fixed(*value, 1));
            (*value, hint)
        };
        let singles = row.values.iter().filter(|_| !self.draws).map(single);
        let hint = format!("paper: {}", printed(row).unwrap_or_default());
        let cell = row.printed.as_ref();
        intervals::Row {
            label: self.label(row, in_text(&row.accuracy)),
            mean: row.accuracy.mean,
            half_width: row.accuracy.half_width,
            singles: singles.collect(),
            printed: cell.map(|cell| (cell.mean, cell.half_width, hint)),
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
            let hint = |draw, value| format!("data seed {draw}: {} %", fixed(value, 1));
            let values = draws
                .into_iter()
                .map(|(draw, value)| (value, hint(draw, value)));
            strip::Row {
                label: self.label(row, median),
                quantiles: all.map(|[_, a, b, c, d, e, _]| [a, b, c, d, e]),
                values: values.collect(),
            }
        };
        let rows: Vec<strip::Row> = self.rows.iter().map(row).collect();
        let values = rows.iter().flat_map(|row| &row.values);
        let mut axis = Axis::per_cent("target accuracy, %", values.map(|(value, _)| *value));
        self.mark_guessing(&mut axis);
        let caption = "Each dot is one independent draw of the data. Below the dots: median, middle half (bar) and \
                       middle 80 % (line).";
        let title = "Target accuracy over draws of the data";
        Some(self.figure(title, caption.into(), "draws", strip::chart(&axis, &rows)))
    }

    fn label(&self, row: &Row, text: String) -> intervals::Label {
        intervals::Label {
            name: row.method.clone(),
            tone: self.tone(&row.method),
            text,
        }
    }
}
