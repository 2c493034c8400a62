//! The report of experiments: a section of the page for each, put together from its results.

mod assumption_tables;
mod curves;
mod events;
mod figures;
pub mod manifest;
mod provenance;
mod results;
#[cfg(test)]
mod tests;
mod trust;

use driftline_lab::datasets::Cache;
use driftline_lab::experiment::{Check, CheckVerdict, ResultTable, Store};

use self::curves::Curve;
use crate::numbers::fixed;
use crate::page::{self, Grid, Section, settings};
use crate::{Result, assumptions, words};

/// A page for one or several experiments; their data are drawn too where they are in `cache`.
pub fn html(stores: &[Store], cache: Option<&Cache>) -> Result<String> {
    let sections = sections(stores, cache);
    page::html(&page::title(&sections, "experiments"), &sections)
}

/// The same without charts, for places that show text.
pub fn markdown(stores: &[Store]) -> String {
    let sections = sections(stores, None);
    page::markdown(&page::title(&sections, "experiments"), &sections)
}

/// Every chart of an experiment as the name and the contents of an SVG file.
pub fn figure_files(store: &Store, cache: Option<&Cache>) -> Vec<(String, String)> {
    let name = &store.manifest().name;
    let figures = figures::all(store, &ResultTable::of(store), name, cache).into_iter();
    figures
        .map(|figure| (format!("{name}-{}.svg", figure.name), figure.standalone()))
        .collect()
}

fn sections(stores: &[Store], cache: Option<&Cache>) -> Vec<Section> {
    let section = |(index, store)| section(store, index + 1, cache);
    stores.iter().enumerate().map(section).collect()
}

/// The `number`-th experiment of the page.
fn section(store: &Store, number: usize, cache: Option<&Cache>) -> Section {
    let manifest = store.manifest();
    let table = ResultTable::of(store);
    let checks = Check::all(store);
    let id = format!("e{number}");
    let mut notes = events::notes(store);
    let findings = assumptions::read(store.folder()).unwrap_or_else(|error| {
        notes.push(format!("{error}; left out."));
        Vec::new()
    });
    let tables = [
        trust::grid(store),
        results::distribution(&table),
        results::checks(&checks).if_any(),
        events::steps(store),
    ];
    let tables = tables.into_iter().flatten();
    Section {
        title: manifest.title.clone(),
        outcome: words::experiment(store),
        verdict: verdict(&checks),
        results: results::accuracies(store, &table).if_any(),
        figures: figures::all(store, &table, &id, cache),
        tables: tables.chain(assumption_tables::grids(&findings)).collect(),
        notes,
        means: means(store),
        settings: settings::grids(manifest),
        facts: provenance::facts(store),
        command: provenance::command(store),
        id,
        ..Section::default()
    }
}

fn verdict(checks: &[Check]) -> Option<(&'static str, String)> {
    let with = |verdict| checks.iter().filter(move |check| check.verdict == verdict);
    let all = checks.len();
    match (
        with(CheckVerdict::Fails).count(),
        with(CheckVerdict::Open).count(),
    ) {
        _ if all == 0 => None,
        (0, 0) if all == 1 => Some(("holds", "✓ The check holds".into())),
        (0, 0) => Some(("holds", format!("✓ All {all} checks hold"))),
        (0, open) => Some(("open", format!("○ {open} of {all} checks open"))),
        (failed, _) => Some(("fails", format!("✗ {failed} of {all} checks fail"))),
    }
}

/// What an x is called, and how it is written.
type Position = (&'static str, fn(f64) -> String);

fn means(store: &Store) -> Vec<Grid> {
    let step: Position = ("Step", |t| format!("{t:.0}"));
    let part: Position = ("Position", |x| fixed(x, 3));
    let tables: [(&str, Position, Curve); 3] = [
        (
            "Target accuracy after each step, mean",
            step,
            curves::by_step,
        ),
        (
            "Accuracy on the window just learned from, mean",
            step,
            curves::on_window,
        ),
        (
            "Final model along the stream, mean",
            part,
            curves::along_stream,
        ),
    ];
    let datasets = &store.manifest().datasets;
    let mut grids = Vec::new();
    for dataset in datasets {
        for (what, x, curve) in tables {
            let mut grid = results::means(store, &dataset.name, what, x, curve);
            if let Some(grid) = grid.as_mut().filter(|_| datasets.len() > 1) {
                grid.title = format!("{}: {what}", dataset.name);
            }
            grids.extend(grid);
        }
    }
    grids
}
