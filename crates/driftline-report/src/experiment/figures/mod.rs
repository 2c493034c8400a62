//! The charts of an experiment: its trials as rows and curves, handed to the charts.

mod curves;
mod data;
mod intuition;
mod rows;
mod sizes;

use driftline_lab::datasets::Cache;
use driftline_lab::experiment::{ExperimentManifest, NamedSettings, ResultTable, Row, Store};

use super::manifest::is_baseline;
use super::results::per_draw;
use crate::chart::axis::Axis;
use crate::chart::tone::Tone;
use crate::chart::{Figure, Svg};
use crate::numbers::fixed;

/// The figures of an experiment in reading order: of its data, if they are in the cache, and of every data set's results.
pub fn all(store: &Store, table: &ResultTable, id: &str, cache: Option<&Cache>) -> Vec<Figure> {
    let datasets = &store.manifest().datasets;
    let mut figures = Vec::new();
    if explains_the_paper(store.manifest()) {
        figures.extend(intuition::figure(id));
    }
    figures.extend(cache.map_or(Vec::new(), |cache| data::figures(store, cache, id)));
    figures.extend(sizes::figure(store, table, id));
    for (index, dataset) in datasets.iter().enumerate() {
        let rows = table.rows.iter().filter(|row| row.dataset == dataset.name);
        let scene = Scene {
            store,
            dataset: &dataset.name,
            rows: rows.collect(),
            id: format!("{id}-{index}"),
            draws: table.rows.iter().any(|row| per_draw(row).len() > 1),
        };
        if scene.rows.is_empty() {
            continue;
        }
        let drawn = [
            Some(scene.accuracies()),
            scene.distribution(),
            scene.along_stream(),
            scene.by_step(),
            scene.windows(),
        ];
        for mut figure in drawn.into_iter().flatten() {
            if datasets.len() > 1 {
                figure.name = format!("{}-{}", slug(&dataset.name), figure.name);
                figure.title = format!("{}: {}", dataset.name, figure.title);
            }
            figures.push(figure);
        }
    }
    figures
}

/// One data set.
struct Scene<'a> {
    store: &'a Store,
    dataset: &'a str,
    rows: Vec<&'a Row>,
    id: String,
    /// Several draws of the data: then single curves, not bands.
    draws: bool,
}

impl Scene<'_> {
    /// Grey for no adaptation, the first colour for the last method, the others in order.
    fn tone(&self, method: &str) -> Tone {
        let manifest = self.store.manifest();
        let methods = manifest.methods.iter().map(|named| &*named.name);
        let mut coloured = methods.filter(|name| !is_baseline(manifest, name));
        let count = coloured.clone().count();
        match coloured.position(|name| name == method) {
            None => Tone::Neutral,
            Some(index) => Tone::Series((index + 1) % count),
        }
    }

    /// One in k answers is right by chance.
    fn mark_guessing(&self, axis: &mut Axis) -> bool {
        let mut trials = self.store.trials();
        let trial = trials.find(|trial| trial.dataset == self.dataset);
        let classes = trial.map_or(0, |trial| trial.outcome.confusion.counts().len());
        classes > 1 && axis.mark(100.0 / classes as f64, "guessing")
    }

    fn figure(&self, title: &str, caption: String, name: &str, chart: Svg) -> Figure {
        let mean = |row: &&Row| format!("{} {} %", row.method, fixed(row.accuracy.mean, 1));
        let means: Vec<String> = self.rows.iter().map(mean).collect();
        let facts = format!("{}, final accuracy: {}.", self.dataset, means.join(", "));
        Figure::draw(&self.id, name, title, caption, &facts, chart)
    }
}

/// Table 1's linear model: the experiment that a first report shows.
fn explains_the_paper(manifest: &ExperimentManifest) -> bool {
    let drawn = |named: &NamedSettings| named.settings.get("gaussian").is_some();
    manifest.table.as_deref() == Some("1") && manifest.datasets.iter().all(drawn)
}

/// Letters and digits in lower case, joined by hyphens.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
}
