//! A row per window, and a row per class.

use driftline_runs::{DecisionKind, SourceRecord, Summary, WindowRecord};

use super::MOST_ROWS;
use crate::numbers::{fixed, per_cent};
use crate::page::Grid;
use crate::words;

/// The outcome's details.
pub fn glance(summary: &Summary) -> Option<Grid> {
    let details = words::details(summary).into_iter();
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
            row.extend([&record.from, &record.to].map(|time| time.clone().unwrap_or_default()));
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
            "Accuracy before: of the model in service when the window arrived. After: of the model adapted to the \
             window, without its answers. Unadapted: of the source model."
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

/// The classes in the source, in the last window, and the recall of each there.
pub fn classes(records: &[WindowRecord], source: &SourceRecord) -> Option<Grid> {
    let last = records.last()?;
    let mut head = "Class|Source %|Predicted %|Predicted unadapted %".to_owned();
    if last.score.is_some() {
        head += "|True %|Recall after %|Recall unadapted %";
    }
    let title = format!("Classes in window {}", last.window);
    let mut grid = Grid::new(title, 1, &head);
    let rows = source.rows.max(1) as f64;
    let unadapted = &last.class_balance_unadapted.0;
    let balances = last.class_balance.0.iter().zip(unadapted);
    for (number, ((name, share), (_, unadapted))) in balances.enumerate().take(MOST_ROWS) {
        let in_source = source.class_counts.get(number).copied().unwrap_or(0);
        let mut row = vec![
            name.clone(),
            per_cent(in_source as f64 / rows),
            per_cent(*share),
            per_cent(*unadapted),
        ];
        if let Some(score) = &last.score
            && let Some(class) = score.classes.get(number)
        {
            row.extend([
                per_cent(class.rows as f64 / score.scored.max(1) as f64),
                or_dash(class.recall_after),
                or_dash(class.recall_unadapted),
            ]);
        }
        grid.rows.push(row);
    }
    grid.if_any()
}
