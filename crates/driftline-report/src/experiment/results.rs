//! The tables of results: accuracies with intervals beside the printed ones, checks, quantiles over draws, and the
//! numbers behind the curves.

use driftline_adapt::quantile;
use driftline_core::data::Fraction;
use driftline_lab::experiment::{Check, CheckVerdict, ResultTable, Row, Store, Trial};
use driftline_models::evaluate::Interval;

use super::Position;
use super::curves::{self, Curve};
use crate::chart::lines::Point;
use crate::numbers::{fixed, in_table, plus_minus, signed_in_table};
use crate::page::Grid;

/// One row per data set and method.
pub fn accuracies(store: &Store, table: &ResultTable) -> Grid {
    let head = "Data set|Method|Ours (mean ± 90 %)|± as in the paper|Paper|n|Held-out source";
    let mut grid = Grid::new("Target accuracy, %", 2, head);
    let last = store.manifest().methods.last();
    let last = last.map_or("", |named| &*named.name);
    grid.head.push(format!("{last} minus this (paired)"));
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
    Some(plus_minus(fixed(cell.mean, 1), cell.half_width, 1))
}

/// Trials on one draw share their target examples, so the interval leaves one source of error out.
fn sampling_note(store: &Store) -> Option<String> {
    if store.manifest().data_seeds.len() != 1 {
        return None;
    }
    let counted = |trial: &Trial| trial.outcome.confusion.counts().iter().flatten().sum();
    let examples: usize = store.trials().map(counted).min().filter(|&n| n > 0)?;
    let half = 100.0 * 1.645 * (0.25 / examples as f64).sqrt();
    Some(format!(
        "All trials are scored on the same {examples} target examples. The intervals cover training on this one draw \
         of the data; the sample of target examples adds up to ± {} points (90 %, at 50 % accuracy).",
        fixed(half, 1)
    ))
}

pub fn checks(checks: &[Check]) -> Grid {
    let mut grid = Grid::new("Checks", 3, "Verdict|Claim|Found");
    for check in checks {
        let verdict = match check.verdict {
            CheckVerdict::Holds => "✓\u{a0}holds",
            CheckVerdict::Fails => "✗\u{a0}fails",
            CheckVerdict::Open => "○\u{a0}open",
        };
        let cells = [verdict, &check.claim, &check.found];
        grid.rows.push(cells.map(String::from).to_vec());
    }
    grid
}

/// One value per draw of the data: the mean over its training seeds.
pub fn per_draw(row: &Row) -> Vec<(u64, f64)> {
    let values = row.values.iter();
    let mut values: Vec<(u64, f64)> = values.map(|((draw, _), value)| (*draw, *value)).collect();
    values.sort_by_key(|(draw, _)| *draw);
    let mean = |same: &[(u64, f64)]| {
        let sum: f64 = same.iter().map(|(_, value)| value).sum();
        (same[0].0, sum / same.len() as f64)
    };
    values.chunk_by(|a, b| a.0 == b.0).map(mean).collect()
}

/// At 0, 10, 25, 50, 75, 90 and 100 %.
pub fn quantiles(values: &[(u64, f64)]) -> Option<[f64; 7]> {
    let at = |share: f64| {
        let values = values.iter().map(|(_, value)| *value).collect();
        quantile(values, Fraction::new(share).ok()?)
    };
    let shares = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];
    let found: Option<Vec<f64>> = shares.into_iter().map(at).collect();
    found?.try_into().ok()
}

/// The distribution over draws, where there are several.
pub fn distribution(table: &ResultTable) -> Option<Grid> {
    let head = "Data set|Method|Draws|Lowest|10 %|25 %|Median|75 %|90 %|Highest";
    let mut grid = Grid::new("Target accuracy over draws of the data, %", 2, head);
    for row in &table.rows {
        let draws = per_draw(row);
        if let (true, Some(quantiles)) = (draws.len() > 1, quantiles(&draws)) {
            let (dataset, method) = (row.dataset.clone(), row.method.clone());
            let mut cells = vec![dataset, method, draws.len().to_string()];
            cells.extend(quantiles.iter().map(|value| fixed(*value, 1)));
            grid.rows.push(cells);
        }
    }
    grid.if_any()
}

/// The means behind a figure: one row per x, one column per method.
pub fn means(store: &Store, dataset: &str, title: &str, x: Position, curve: Curve) -> Option<Grid> {
    let methods = store.manifest().methods.iter();
    let columns = methods.map(|method| {
        let singles = curves::singles(store, dataset, &method.name, curve);
        (&method.name, curves::summary(&singles))
    });
    let columns: Vec<_> = columns.filter(|(_, points)| !points.is_empty()).collect();
    let points = columns.iter().flat_map(|(_, points)| points);
    let mut at: Vec<f64> = points.map(|point| point.x).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let mut grid = Grid::new(title, 0, x.0);
    let names = columns.iter().map(|(name, _)| name.to_string());
    grid.head.extend(names);
    for value in at {
        let cell = |points: &Vec<Point>| {
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
