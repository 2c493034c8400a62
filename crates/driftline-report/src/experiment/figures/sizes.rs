//! Accuracy by the number of images, where an experiment has one data set for each (Table 3).

use driftline_lab::experiment::{Dataset, ResultTable, Row, Store};

use super::Scene;
use crate::chart::Figure;
use crate::chart::axis::Axis;
use crate::chart::lines::{self, Point, Series};
use crate::chart::scale::Ticks;

pub(super) fn figure(store: &Store, table: &ResultTable, id: &str) -> Option<Figure> {
    let manifest = store.manifest();
    let size = |settings: &serde_json::Value| match serde_json::from_value(settings.clone()) {
        Ok(Dataset::SameMnist(same)) => Some(same.images as f64),
        _ => None,
    };
    let named = manifest.datasets.iter();
    let sizes = named.map(|named| Some((size(&named.settings)?, &*named.name)));
    let sizes: Option<Vec<(f64, &str)>> = sizes.collect();
    let sizes = sizes.filter(|sizes| sizes.len() > 1)?;
    let scene = Scene {
        store,
        dataset: &manifest.datasets[0].name,
        rows: Vec::new(),
        id: id.into(),
        draws: false,
    };
    let mut series = Vec::new();
    for method in &manifest.methods {
        let row = |dataset: &str| table.row(dataset, &method.name);
        let rows = sizes
            .iter()
            .filter_map(|(size, name)| Some((*size, row(name)?)));
        let rows: Vec<(f64, &Row)> = rows.collect();
        let tone = scene.tone(&method.name);
        let point = |x, mean: f64, half: Option<f64>| {
            let half = half.unwrap_or(0.0);
            Point::new(x, mean, mean - half, mean + half)
        };
        let ours = rows.iter();
        let ours = ours.map(|(x, row)| point(*x, row.accuracy.mean, row.accuracy.half_width));
        series.push(Series::new(&method.name, tone, ours.collect()));
        let printed = rows.iter().filter_map(|(x, row)| {
            let cell = row.printed.as_ref()?;
            Some(point(*x, cell.mean, cell.half_width))
        });
        let name = format!("{}, paper", method.name);
        series.push(Series {
            secondary: true,
            ..Series::new(name, tone, printed.collect())
        });
    }
    series.retain(|series| !series.points.is_empty());
    if series.is_empty() {
        return None;
    }
    let largest = sizes.iter().map(|(size, _)| *size).fold(0.0, f64::max);
    let all = sizes.iter().map(|(size, _)| *size).chain([0.0]);
    let x = Axis::new("images", Ticks::around(all, (0.0, largest), 4));
    let y = Axis::per_cent("target accuracy, %", series.iter().flat_map(Series::extent));
    let caption = "Solid: our means with 90 % Student-t intervals. Dotted: the paper’s numbers with theirs. More data do \
                   not replace regularisation.";
    let title = "Accuracy by number of images";
    let chart = lines::chart(&x, &y, &series);
    Some(Figure::draw(id, "sizes", title, caption, "", chart))
}
