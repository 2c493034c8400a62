//! The pictures of an experiment: its trials as rows and curves, handed to the charts.

use driftline::experiment::{Outcome, Row, Store, Table};
use serde::Serialize;

use super::chart::axis::Axis;
use super::chart::lines::{self, Series};
use super::chart::scale::Ticks;
use super::chart::tone::Tone;
use super::chart::{Heading, intervals, strip};
use super::curves;
use super::explain::is_baseline;
use super::numbers::{count, fixed, in_text};
use super::results::{per_draw, printed, quantiles};

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
    fn accuracies(&self) -> Figure {
        let rows: Vec<intervals::Row> =
            self.rows.iter().map(|row| self.interval_row(row)).collect();
        let mut axis = per_cent(
            "per cent of the target recognised",
            rows.iter().flat_map(intervals::Row::extent),
        );
        self.mark_guessing(&mut axis);
        let singles = if self.draws {
            ""
        } else {
            " Small dots: single trials."
        };
        let mut caption = format!("Filled: our mean with its 90 % Student-t interval.{singles}");
        if self.rows.iter().any(|row| row.printed.is_some()) {
            caption += " Open diamond: the printed number with its own, narrower interval.";
        }
        self.figure("Accuracy on the target", caption, "accuracy", |heading| {
            intervals::chart(heading, &axis, &rows)
        })
    }

    fn interval_row(&self, row: &Row) -> intervals::Row {
        let single = |((draw, seed), value): &((u64, u64), f64)| {
            (
                *value,
                format!("data seed {draw}, seed {seed}: {} %", fixed(*value, 1)),
            )
        };
        let hint = printed(row).unwrap_or_default();
        intervals::Row {
            label: self.label(row, in_text(&row.accuracy)),
            mean: row.accuracy.mean,
            half_width: row.accuracy.half_width,
            singles: if self.draws {
                Vec::new()
            } else {
                row.values.iter().map(single).collect()
            },
            printed: row
                .printed
                .as_ref()
                .map(|cell| (cell.mean, cell.half_width, format!("printed: {hint}"))),
        }
    }

    fn distribution(&self) -> Option<Figure> {
        if !self.draws {
            return None;
        }
        let row = |row: &&Row| {
            let draws = per_draw(row);
            let all = quantiles(&draws);
            let median = all.map_or(String::new(), |q| format!("median {}", fixed(q[3], 1)));
            strip::Row {
                label: self.label(row, median),
                quantiles: all.map(|[_, a, b, c, d, e, _]| [a, b, c, d, e]),
                values: draws
                    .into_iter()
                    .map(|(draw, value)| {
                        (value, format!("data seed {draw}: {} %", fixed(value, 1)))
                    })
                    .collect(),
            }
        };
        let rows: Vec<strip::Row> = self.rows.iter().map(row).collect();
        let values = rows
            .iter()
            .flat_map(|row| row.values.iter().map(|(value, _)| *value));
        let mut axis = per_cent("per cent of the target recognised", values);
        self.mark_guessing(&mut axis);
        let caption = "Every dot is one independent draw of the data. Below the dots: median, middle half (bar) and \
                       middle 80 % (line).";
        Some(self.figure(
            "Distribution over draws of the data",
            caption.into(),
            "draws",
            |heading| strip::chart(heading, &axis, &rows),
        ))
    }

    fn along_stream(&self) -> Option<Figure> {
        let series: Vec<Series> = self
            .rows
            .iter()
            .filter_map(|row| {
                let mut series = self.series(&row.method, curves::along_stream)?;
                let hint = format!(
                    "{} on the target: {} %",
                    row.method,
                    fixed(row.accuracy.mean, 1)
                );
                series.end = Some((1.0, row.accuracy.mean, hint));
                Some(series)
            })
            .collect();
        let ticks = Ticks {
            low: 0.0,
            high: 1.0,
            step: 0.2,
        };
        let mut x = Axis::new("position in the stream", ticks);
        x.ends = Some(("source".into(), "target".into()));
        let caption = format!(
            "Every final model, scored along the stream in equal parts from source to target; the dot at the end \
             is the target itself. {}",
            self.lines_caption()
        );
        self.curves(
            "The final models along the stream",
            caption,
            "stream",
            &x,
            &series,
        )
    }

    fn by_step(&self) -> Option<Figure> {
        let series: Vec<Series> = self
            .rows
            .iter()
            .filter_map(|row| self.series(&row.method, curves::by_step))
            .filter(|series| series.points.len() > 1)
            .collect();
        let caption = format!("Step 0 is the source model. {}", self.lines_caption());
        let x = steps(&series);
        self.curves(
            "Target accuracy after each self-training step",
            caption,
            "steps",
            &x,
            &series,
        )
    }

    fn windows(&self) -> Option<Figure> {
        let mut series: Vec<Series> = self
            .rows
            .iter()
            .filter_map(|row| self.series(&row.method, curves::on_window))
            .collect();
        let mut caption =
            "The model after step t on window t, from which it has just learned without labels."
                .to_owned();
        if let [only] = &mut series[..] {
            let method = only.name.clone();
            only.name = "this window".into();
            if let Some(mut next) = self.series(&method, curves::on_next_window) {
                next.name = "before it".into();
                next.secondary = true;
                series.push(next);
                caption = format!(
                    "{method}. Solid: the model after step t on window t, from which it has just learned without \
                     labels. Dotted: the model before that step on the same window."
                );
            }
        }
        caption = format!("{caption} {}", self.lines_caption());
        let x = steps(&series);
        self.curves(
            "Accuracy on the window just learned",
            caption,
            "windows",
            &x,
            &series,
        )
    }

    fn curves(
        &self,
        title: &str,
        mut caption: String,
        name: &str,
        x: &Axis,
        series: &[Series],
    ) -> Option<Figure> {
        if series.is_empty() {
            return None;
        }
        let mut y = per_cent(
            "per cent recognised",
            series.iter().flat_map(Series::extent),
        );
        self.mark_guessing(&mut y);
        if y.reference.is_some() {
            caption += " Dotted: guessing.";
        }
        Some(self.figure(title, caption, name, |heading| {
            if self.draws {
                lines::panels(heading, x, &y, series)
            } else {
                lines::chart(heading, x, &y, series)
            }
        }))
    }

    fn lines_caption(&self) -> String {
        let trials = self
            .rows
            .iter()
            .map(|row| row.values.len())
            .max()
            .unwrap_or(0);
        match (self.draws, trials) {
            (true, _) => "Thin: single trials. Thick: their mean.".into(),
            (_, 0 | 1) => "One trial.".into(),
            (false, n) => format!(
                "Mean of {} with the range from the lowest to the highest.",
                count(n, "trial")
            ),
        }
    }

    fn series(&self, method: &str, curve: fn(&Outcome) -> Vec<(f64, f64)>) -> Option<Series> {
        let singles = curves::singles(self.store, self.dataset, method, curve);
        let points = curves::summary(&singles);
        (!points.is_empty()).then(|| Series {
            name: method.to_owned(),
            tone: self.tone(method),
            secondary: false,
            points,
            singles: if self.draws { singles } else { Vec::new() },
            end: None,
        })
    }

    fn label(&self, row: &Row, text: String) -> intervals::Label {
        intervals::Label {
            name: row.method.clone(),
            tone: self.tone(&row.method),
            text,
        }
    }

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

fn steps(series: &[Series]) -> Axis {
    let xs = || {
        series
            .iter()
            .flat_map(|series| &series.points)
            .map(|point| point.x)
    };
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
    let low = low.min(high);
    let step = ((high - low) / 12.0).ceil().max(1.0);
    Axis::new("self-training step", Ticks { low, high, step })
}
