//! The pictures of an experiment: its trials as rows and curves, handed to the charts.

mod curves;
mod rows;

use driftline::experiment::{Row, Store, Table};
use serde::Serialize;

use super::chart::Heading;
use super::chart::axis::Axis;
use super::chart::scale::Ticks;
use super::chart::tone::Tone;
use super::explain::is_baseline;
use super::numbers::fixed;
use super::results::per_draw;

#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    pub title: String,
    pub svg: String,
    pub caption: String,
}

/// The figures of every data set, in reading order.
pub fn all(store: &Store, table: &Table, id: &str) -> Vec<Figure> {
    let datasets = &store.manifest().datasets;
    let mut figures = Vec::new();
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
        let several = datasets.len() > 1;
        figures.extend(drawn.into_iter().flatten().map(|figure| Figure {
            title: if several {
                format!("{}: {}", dataset.name, figure.title)
            } else {
                figure.title
            },
            ..figure
        }));
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
    fn mark_guessing(&self, axis: &mut Axis) {
        let classes = self
            .store
            .trials()
            .find(|trial| trial.dataset == self.dataset);
        let classes = classes.map_or(0, |trial| trial.outcome.confusion.counts().len());
        let level = 100.0 / classes as f64;
        if classes > 1 && (axis.ticks.low..=axis.ticks.high).contains(&level) {
            axis.reference = Some((level, "guessing".into()));
        }
    }

    fn figure(
        &self,
        title: &str,
        caption: String,
        name: &str,
        draw: impl FnOnce(Heading<'_>) -> String,
    ) -> Figure {
        let id = format!("{}-{name}", self.id);
        let means = self
            .rows
            .iter()
            .map(|row| format!("{} {} %", row.method, fixed(row.accuracy.mean, 1)));
        let means: Vec<String> = means.collect();
        let description = format!("{caption} Final target accuracy: {}.", means.join(", "));
        let title_here = format!("{title}, {}", self.dataset);
        let svg = draw(Heading {
            id: &id,
            title: &title_here,
            description: &description,
        });
        Figure {
            title: title.into(),
            svg,
            caption,
        }
    }
}

fn per_cent(title: &str, values: impl Iterator<Item = f64>) -> Axis {
    Axis::new(title, Ticks::around(values, (0.0, 100.0), 5))
}
