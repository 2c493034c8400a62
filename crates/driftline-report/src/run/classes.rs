//! The classes in the newest window: how many there are, precision and recall of each, and which is taken for which.
//! Counted where there are answers, otherwise as the policy estimates it.

use driftline_runs::{Score, SourceRecord, WindowRecord};

use super::MOST_ROWS;
use crate::numbers::per_cent;
use crate::page::Grid;
use crate::words;

/// A row per class.
pub fn classes(last: &WindowRecord, source: &SourceRecord) -> Option<Grid> {
    let known = Known::of(last);
    let mut head = "Class|Source %|Predicted %|Predicted unadapted %".to_owned();
    head += match known {
        Known::Counted(_) => "|True %|Recall %|Precision %|Recall unadapted %",
        Known::Estimated(_) => "|Recall %|Precision %",
        Known::Nothing => "",
    };
    let how = known.how();
    let title = format!("Classes, {}{how}", words::when(last));
    let mut grid = Grid::new(title, 1, &head);
    let rows = source.rows.max(1) as f64;
    let unadapted = &last.class_balance_unadapted.0;
    let balances = last.class_balance.0.iter().zip(unadapted);
    for (class, ((name, share), (_, unadapted))) in balances.enumerate().take(MOST_ROWS) {
        let in_source = source.class_counts.get(class).copied().unwrap_or(0);
        let mut row = vec![
            name.clone(),
            per_cent(in_source as f64 / rows),
            per_cent(*share),
            per_cent(*unadapted),
        ];
        row.extend(known.cells(last, class));
        grid.rows.push(row);
    }
    if let Known::Estimated(_) = known {
        grid.notes.push(
            "Recall: the share of a class that is predicted as that class, with a 90 % interval. Precision: the share of the rows predicted as a class that belong to it. Both are estimated without labels, for the version in use."
                .into(),
        );
    }
    grid.if_any()
}

/// A row per true class, a column per predicted one.
pub fn confusion(last: &WindowRecord) -> Option<Grid> {
    let known = Known::of(last);
    let matrix = known.confusion();
    let names: Vec<&str> = last
        .class_balance
        .0
        .iter()
        .map(|(name, _)| &**name)
        .collect();
    if matrix.is_empty() || matrix.len() != names.len() {
        return None;
    }
    let title = format!("Confusion matrix, {}{}", words::when(last), known.how());
    let mut grid = Grid {
        title,
        words: 1,
        head: std::iter::once("True class".to_owned())
            .chain(names.iter().map(|name| format!("as {name}")))
            .collect(),
        ..Grid::default()
    };
    for (name, row) in names.iter().zip(&matrix) {
        let cells = row.iter().map(|own| match known {
            Known::Counted(_) => format!("{own:.0}"),
            _ => per_cent(*own),
        });
        let name = std::iter::once((*name).to_owned());
        grid.rows.push(name.chain(cells).collect());
    }
    grid.notes.push(match known {
        Known::Counted(_) => {
            "Labelled rows, predicted by the version adapted to the window.".into()
        }
        _ => "Per cent of the window's rows, by the version in use.".into(),
    });
    Some(grid)
}

/// Where the numbers come from.
enum Known<'a> {
    Counted(&'a Score),
    Estimated(Vec<Vec<f64>>),
    Nothing,
}

impl<'a> Known<'a> {
    fn of(last: &'a WindowRecord) -> Self {
        match (&last.score, &last.estimated()) {
            (Some(score), _) => Self::Counted(score),
            (None, Some(own)) if own.says_more() => Self::Estimated(last.findings().confusion),
            _ => Self::Nothing,
        }
    }

    fn how(&self) -> &'static str {
        match self {
            Self::Counted(_) => ", counted",
            Self::Estimated(_) => ", estimated without labels",
            Self::Nothing => "",
        }
    }

    fn confusion(&self) -> Vec<Vec<f64>> {
        match self {
            Self::Counted(score) => {
                let row = |row: &Vec<usize>| row.iter().map(|n| *n as f64).collect();
                score.confusion.iter().map(row).collect()
            }
            Self::Estimated(all) => all.clone(),
            Self::Nothing => vec![],
        }
    }

    fn cells(&self, last: &WindowRecord, class: usize) -> Vec<String> {
        match self {
            Self::Nothing => vec![],
            Self::Counted(score) => {
                let Some(own) = score.classes.get(class) else {
                    return vec![];
                };
                let hits = own.recall_after.unwrap_or(0.0) * own.rows as f64;
                let precision = (own.predicted > 0).then(|| hits / own.predicted as f64);
                vec![
                    per_cent(own.rows as f64 / score.scored.max(1) as f64),
                    or_dash(own.recall_after),
                    or_dash(precision),
                    or_dash(own.recall_unadapted),
                ]
            }
            Self::Estimated(matrix) => {
                let estimate = last.estimated();
                let recall = estimate.and_then(|own| own.recalls.get(class).copied().flatten());
                let recall = recall.map_or("–".into(), |own| {
                    let [value, low, high] = own.map(per_cent);
                    format!("{value} ({low} to {high})")
                });
                vec![recall, or_dash(precision(matrix, class))]
            }
        }
    }
}

/// Of the rows that are taken for a class, the share that is likely of it.
fn precision(matrix: &[Vec<f64>], class: usize) -> Option<f64> {
    let taken: f64 = matrix.iter().filter_map(|row| row.get(class)).sum();
    let right = matrix.get(class)?.get(class)?;
    (taken > 0.0).then(|| right / taken)
}

fn or_dash(number: Option<f64>) -> String {
    number.map_or("–".into(), per_cent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_is_of_the_rows_taken_for_a_class() {
        let matrix = [vec![0.5, 0.1], vec![0.1, 0.3]];
        assert!((precision(&matrix, 1).unwrap() - 0.75).abs() < 1e-12);
        assert_eq!(precision(&[], 0), None);
        assert_eq!(precision(&[vec![0.0]], 0), None);
    }
}
