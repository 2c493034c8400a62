//! The tables of results: accuracies with intervals beside the printed ones, checks, quantiles over draws, and the
//! numbers behind the curves.

use driftline::adapt::quantile;
use driftline::data::Fraction;
use driftline::evaluate::Interval;
use driftline::experiment::{Check, CheckVerdict, Outcome, ResultTable, Row, Store};

use super::curves;
use crate::numbers::{fixed, in_table, signed_in_table};
use crate::page::Grid;

/// One row per data set and method.
pub fn accuracies(store: &Store, table: &ResultTable) -> Grid {
    let last = store
        .manifest()
        .methods
        .last()
        .map_or("", |named| &*named.name);
    let difference = format!("{last} minus this (paired)");
    let head = [
        "Data set",
        "Method",
        "Ours (mean ± 90 %)",
        "± as in the paper",
        "Paper",
        "n",
        "Held-out source",
        &difference,
    ];
    let mut grid = Grid::new("Target accuracy, %", 2, &head);
    let or_dash = |interval: &Option<Interval>, show: fn(&Interval) -> String| {
        interval.as_ref().map_or("–".into(), show)
    };
    for row in &table.rows {
        let paper = row.paper_style.half_width;
        grid.rows.push(vec![
            row.dataset.clone(),
            row.method.clone(),
            in_table(&row.accuracy),
            paper.map_or("–".into(), |half| format!("± {}", fixed(half, 2))),
            printed(row).unwrap_or("–".into()),
            row.accuracy.n.to_string(),
            or_dash(&row.held_out_source, in_table),
            or_dash(&row.behind_last, signed_in_table),
        ]);
    }
    grid.notes.push(
        "Ours: mean over n trials with a 90 % Student-t interval. ± as in the paper: 1.645·σ/√n with the population \
         σ, about 1.45 times narrower at n = 5; compare this one with the paper’s. Held-out source: the source model \
         on source examples it was not trained on."
            .into(),
    );
    grid.notes.extend(sampling_note(store));
    grid
}

/// As in print: one decimal.
pub fn printed(row: &Row) -> Option<String> {
    let cell = row.printed.as_ref()?;
    let half = cell
        .half_width
        .map_or(String::new(), |half| format!(" ± {}", fixed(half, 1)));
    Some(fixed(cell.mean, 1) + &half)
}

/// Trials on one draw share their target examples, so the interval leaves one source of error out.
fn sampling_note(store: &Store) -> Option<String> {
    if store.manifest().data_seeds.len() != 1 {
        return None;
    }
    let counted = |trial: &driftline::experiment::Trial| {
        trial.outcome.confusion.counts().iter().flatten().sum()
    };
    let examples: usize = store.trials().map(counted).min().filter(|&n| n > 0)?;
    let half = 100.0 * 1.645 * (0.25 / examples as f64).sqrt();
    Some(format!(
        "All trials are scored on the same {examples} target examples. The intervals cover training on this one draw \
         of the data; the sample of target examples adds up to ± {} points (90 %, at 50 % accuracy).",
        fixed(half, 1)
    ))
}

pub fn checks(checks: &[Check]) -> Grid {
    let mut grid = Grid::new("Checks", 3, &["CheckVerdict", "Claim", "Found"]);
    for check in checks {
        let verdict = match check.verdict {
            CheckVerdict::Holds => "✓\u{a0}holds",
            CheckVerdict::Fails => "✗\u{a0}fails",
            CheckVerdict::Open => "○\u{a0}open",
        };
        grid.rows.push(vec![
            verdict.into(),
            check.claim.clone(),
            check.found.clone(),
        ]);
    }
    grid
}

/// One value per draw of the data: the mean over its training seeds.
pub fn per_draw(row: &Row) -> Vec<(u64, f64)> {
    let mut values: Vec<(u64, f64)> = row
        .values
        .iter()
        .map(|((draw, _), value)| (*draw, *value))
        .collect();
    values.sort_by_key(|(draw, _)| *draw);
    values
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| {
            (
                same[0].0,
                same.iter().map(|(_, value)| value).sum::<f64>() / same.len() as f64,
            )
        })
        .collect()
}

/// At 0, 10, 25, 50, 75, 90 and 100 %.
pub fn quantiles(values: &[(u64, f64)]) -> Option<[f64; 7]> {
    let at = |share: f64| {
        let values = values.iter().map(|(_, value)| *value).collect();
        quantile(values, Fraction::new(share).ok()?)
    };
    let found: Option<Vec<f64>> = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]
        .into_iter()
        .map(at)
        .collect();
    found?.try_into().ok()
}

/// The distribution over draws, where there are several.
pub fn distribution(table: &ResultTable) -> Option<Grid> {
    let head = [
        "Data set", "Method", "Draws", "Lowest", "10 %", "25 %", "Median", "75 %", "90 %",
        "Highest",
    ];
    let mut grid = Grid::new("Target accuracy over draws of the data, %", 2, &head);
    for row in &table.rows {
        let draws = per_draw(row);
        if let (true, Some(quantiles)) = (draws.len() > 1, quantiles(&draws)) {
            let mut cells = vec![
                row.dataset.clone(),
                row.method.clone(),
                draws.len().to_string(),
            ];
            cells.extend(quantiles.iter().map(|value| fixed(*value, 1)));
            grid.rows.push(cells);
        }
    }
    grid.if_any()
}

/// The means behind a figure: one row per x, one column per method.
pub fn means(
    store: &Store,
    dataset: &str,
    title: String,
    x: (&str, fn(f64) -> String),
    curve: fn(&Outcome) -> Vec<(f64, f64)>,
) -> Option<Grid> {
    let methods = store.manifest().methods.iter();
    let columns: Vec<_> = methods
        .map(|method| {
            (
                &*method.name,
                curves::summary(&curves::singles(store, dataset, &method.name, curve)),
            )
        })
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let mut at: Vec<f64> = columns
        .iter()
        .flat_map(|(_, points)| points)
        .map(|point| point.x)
        .collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let mut grid = Grid::new(title, 0, &[x.0]);
    grid.head
        .extend(columns.iter().map(|(name, _)| (*name).to_owned()));
    for value in at {
        let cell = |points: &Vec<crate::chart::lines::Point>| {
            let point = points.iter().find(|point| point.x == value);
            point.map_or("–".into(), |point| fixed(point.mean, 1))
        };
        let mut cells = vec![x.1(value)];
        cells.extend(columns.iter().map(|(_, points)| cell(points)));
        grid.rows.push(cells);
    }
    // A single step is the source model alone, which the main table has.
    (grid.rows.len() > 1).then_some(grid)
}
