//! One experiment as everything that a page says about it; HTML and Markdown only arrange it.

use driftline::datasets::Cache;
use driftline::experiment::{Check, Store, Table, Verdict};
use serde::Serialize;

use super::figures::{self, Figure};
use super::grid::Grid;
use super::numbers::fixed;
use super::{curves, events, explain, provenance, results, settings, theory};
use crate::assumptions;

#[derive(Clone, Debug, Serialize)]
pub struct Section {
    pub id: String,
    pub title: String,
    pub outcome: String,
    /// `holds`, `fails` or `open`, and the same in words; absent without checks.
    pub verdict: Option<(&'static str, String)>,
    pub notes: Vec<String>,
    pub figures: Vec<Figure>,
    pub results: Option<Grid>,
    pub distribution: Option<Grid>,
    pub checks: Option<Grid>,
    pub steps: Option<Grid>,
    /// What the theory asks of the drift, where it was measured.
    pub theory: Vec<Grid>,
    /// The numbers behind the curves.
    pub means: Vec<Grid>,
    pub settings: Vec<Grid>,
    pub facts: Vec<(String, String)>,
    pub command: String,
}

impl Section {
    /// The `number`-th experiment of the page.
    pub fn of(store: &Store, number: usize, cache: Option<&Cache>) -> Self {
        let manifest = store.manifest();
        let table = Table::of(store);
        let checks = Check::all(store);
        let id = format!("e{number}");
        Self {
            title: manifest.title.clone(),
            outcome: explain(store),
            verdict: verdict(&checks),
            notes: events::notes(store),
            figures: figures::all(store, &table, &id, cache),
            results: results::accuracies(store, &table).if_any(),
            distribution: results::distribution(&table),
            checks: results::checks(&checks).if_any(),
            steps: events::steps(store),
            theory: theory::grids(&assumptions::read(store.folder())),
            means: means(store),
            settings: settings::grids(manifest),
            facts: provenance::facts(store),
            command: provenance::command(store),
            id,
        }
    }
}

fn verdict(checks: &[Check]) -> Option<(&'static str, String)> {
    let count = |verdict| {
        checks
            .iter()
            .filter(|check| check.verdict == verdict)
            .count()
    };
    let (all, failed, open) = (checks.len(), count(Verdict::Fails), count(Verdict::Open));
    match (failed, open) {
        _ if all == 0 => None,
        (0, 0) if all == 1 => Some(("holds", "✓ The check holds".into())),
        (0, 0) => Some(("holds", format!("✓ All {all} checks hold"))),
        (0, open) => Some(("open", format!("○ {open} of {all} checks open"))),
        (failed, _) => Some(("fails", format!("✗ {failed} of {all} checks fail"))),
    }
}

fn means(store: &Store) -> Vec<Grid> {
    let datasets = &store.manifest().datasets;
    let tables = |name: &str| {
        let titled = |what: &str| {
            if datasets.len() > 1 {
                format!("{name}: {what}")
            } else {
                what.to_owned()
            }
        };
        let step: (&str, fn(f64) -> String) = ("Step", |t| format!("{t:.0}"));
        let part: (&str, fn(f64) -> String) = ("Position", |x| fixed(x, 3));
        [
            results::means(
                store,
                name,
                titled("Target accuracy after each step, mean"),
                step,
                curves::by_step,
            ),
            results::means(
                store,
                name,
                titled("Accuracy on the window just learned, mean"),
                step,
                curves::on_window,
            ),
            results::means(
                store,
                name,
                titled("Final model along the stream, mean"),
                part,
                curves::along_stream,
            ),
        ]
    };
    datasets
        .iter()
        .flat_map(|dataset| tables(&dataset.name))
        .flatten()
        .collect()
}
