//! A row per window, and a row per class.

use driftline::runs::{Fate, SourceRecord, Summary, WindowRecord};

use super::MOST_ROWS;
use crate::numbers::{fixed, per_cent};
use crate::page::Grid;
use crate::words;

/// The outcome's details.
pub fn glance(summary: &Summary) -> Option<Grid> {
    let mut grid = Grid::new("At a glance", 2, &["", ""]);
    grid.rows = words::details(summary)
        .into_iter()
        .map(|(name, value)| vec![name.to_owned(), value])
        .collect();
    grid.if_any()
}

pub fn windows(records: &[WindowRecord]) -> Grid {
    let scored = records.iter().any(|record| record.score.is_some());
    let timed = records.iter().any(|record| record.from.is_some());
    let mut head = vec!["Window"];
    if timed {
        head.extend(["From", "To"]);
    }
    let words = head.len();
    head.push("Rows");
    let estimated = records
        .iter()
        .any(|record| record.estimated_accuracy.is_some());
    if estimated {
        head.extend(["Estimated %", "Low %", "High %"]);
    }
    if scored {
        head.extend(["Before %", "After %", "Unadapted %"]);
    }
    head.extend([
        "Kept %",
        "Relabelled %",
        "Flips %",
        "Confidence",
        "Unadapted confidence",
    ]);
    let mut grid = Grid::new("Windows", words, &head);
    for record in shown(records) {
        let mut row = vec![match (record.held, record.decision) {
            (true, _) | (_, Fate::Hold) => format!("{} (held)", record.window),
            (_, Fate::RollBack) => format!("{} (rolled back)", record.window),
            (_, Fate::Deploy) => record.window.to_string(),
        }];
        if timed {
            row.extend([&record.from, &record.to].map(|time| time.clone().unwrap_or_default()));
        }
        row.push(record.arrived().to_string());
        if estimated {
            let numbers = [
                record.estimated_accuracy,
                record.estimated_low,
                record.estimated_high,
            ];
            row.extend(numbers.map(|number| number.map_or("–".into(), per_cent)));
        }
        if scored {
            let score = record.score.as_ref();
            let cells = score.map(|s| [s.accuracy_before, s.accuracy_after, s.accuracy_unadapted]);
            row.extend(match cells {
                Some(cells) => cells.map(per_cent),
                None => ["–"; 3].map(String::from),
            });
        }
        row.extend([
            match record.held || record.seen == 0 {
                true => "–".into(),
                false => per_cent(record.kept_fraction),
            },
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
        "Kept: rows learned from. Relabelled: rows whose class changed in this step. Flips: rows where the adapted \
         model differs from the source model. Confidence: mean probability of the predicted class."
            .into(),
    );
    if records.len() > MOST_ROWS {
        grid.notes.push(format!(
            "Only the first and last windows are shown, {} of {}; windows.jsonl has them all.",
            MOST_ROWS,
            records.len()
        ));
    }
    grid
}

/// The first and the last windows, if there are too many.
fn shown(records: &[WindowRecord]) -> impl Iterator<Item = &WindowRecord> {
    let half = MOST_ROWS / 2;
    let cut = records.len() > MOST_ROWS;
    let hidden = half..records.len().saturating_sub(half);
    records
        .iter()
        .enumerate()
        .filter(move |(index, _)| !(cut && hidden.contains(index)))
        .map(|(_, record)| record)
}

/// The classes in the source, in the last window, and the recall of each there.
pub fn classes(records: &[WindowRecord], source: &SourceRecord) -> Option<Grid> {
    let last = records.last()?;
    let scored = last.score.is_some();
    let mut head = vec!["Class", "Source %", "Predicted %", "Predicted unadapted %"];
    if scored {
        head.extend(["True %", "Recall after %", "Recall unadapted %"]);
    }
    let title = format!("Classes in window {}", last.window);
    let mut grid = Grid::new(title, 1, &head);
    let rows = source.rows.max(1) as f64;
    let balances = last
        .class_balance
        .0
        .iter()
        .zip(&last.class_balance_unadapted.0);
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
            let recall = |value: Option<f64>| value.map_or("–".into(), per_cent);
            row.extend([
                per_cent(class.rows as f64 / score.scored.max(1) as f64),
                recall(class.recall_after),
                recall(class.recall_unadapted),
            ]);
        }
        grid.rows.push(row);
    }
    grid.if_any()
}
