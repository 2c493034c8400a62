//! What else is worth knowing at a glance, and a row per window.

use driftline_runs::{DecisionKind, Verdict, WindowRecord};

use super::MOST_ROWS;
use crate::numbers::{fixed, per_cent};
use crate::page::Grid;
use crate::words;

/// The outcome's details.
pub fn glance(verdict: &Verdict) -> Option<Grid> {
    let details = words::details(verdict).into_iter();
    let details = details.map(|(name, value)| (name.to_owned(), value));
    Grid::pairs("At a glance", details).if_any()
}

pub fn windows(records: &[WindowRecord]) -> Grid {
    let scored = records.iter().any(|record| record.score.is_some());
    let timed = records.iter().any(|record| record.from.is_some());
    let estimated = records.iter().any(|r| r.estimated_accuracy.is_some());
    let optional = |shown, names| if shown { names } else { "" };
    let head = [
        "Window",
        optional(timed, "|From|To"),
        "|Rows",
        optional(estimated, "|Estimated %|Low %|High %"),
        optional(scored, "|Before %|After %|Unadapted %"),
        "|Used for training %|Changed vs last %|Changed vs source %|Confidence|Unadapted confidence",
    ];
    let words = if timed { 3 } else { 1 };
    let mut grid = Grid::new("Windows", words, &head.concat());
    for record in shown(records) {
        let mut row = vec![match (record.held, record.decision) {
            (true, _) | (_, DecisionKind::Hold) => format!("{} (held)", record.window),
            (_, DecisionKind::RollBack) => format!("{} (rolled back)", record.window),
            (_, DecisionKind::Deploy) => record.window.to_string(),
        }];
        if timed {
            // Dates to the minute; times that are numbers as they are.
            let told = |time: &Option<String>| {
                let time = time.clone().unwrap_or_default();
                words::minute(&time).unwrap_or(time)
            };
            row.extend([&record.from, &record.to].map(told));
        }
        row.push(record.arrived().to_string());
        if estimated {
            let ends = [record.estimated_low, record.estimated_high];
            row.push(or_dash(record.estimated_accuracy));
            row.extend(ends.map(or_dash));
        }
        if scored {
            let score = record.score.as_ref();
            let cells = score.map(|s| [s.accuracy_before, s.accuracy_after, s.accuracy_unadapted]);
            row.extend([0, 1, 2].map(|at| or_dash(cells.map(|cells| cells[at]))));
        }
        let learned = !record.held && record.seen > 0;
        row.extend([
            or_dash(learned.then_some(record.kept_fraction)),
            per_cent(record.disagreement),
            per_cent(record.flips),
            fixed(record.confidence_after, 3),
            fixed(record.confidence_unadapted, 3),
        ]);
        grid.rows.push(row);
    }
    if scored {
        grid.notes.push(
            "Accuracy before: of the model in service when the window arrived. After: of the model adapted to the window, without its labels. Unadapted: of the source model."
                .into(),
        );
    }
    grid.notes.push(
        "Changed vs last: rows whose class changed in this step. Changed vs source: rows where the adapted model differs \
         from the source model. Confidence: mean probability of the predicted class."
            .into(),
    );
    if records.len() > MOST_ROWS {
        let all = records.len();
        grid.notes.push(format!(
            "Only the first and last windows are shown, {MOST_ROWS} of {all}; windows.jsonl has them all."
        ));
    }
    grid
}

fn or_dash(number: Option<f64>) -> String {
    number.map_or("–".into(), per_cent)
}

/// The first and the last windows, if there are too many.
fn shown(records: &[WindowRecord]) -> impl Iterator<Item = &WindowRecord> {
    let half = MOST_ROWS / 2;
    let cut = records.len() > MOST_ROWS;
    let first = if cut { half } else { records.len() };
    let last = if cut { records.len() - half } else { first };
    records[..first].iter().chain(&records[last..])
}
