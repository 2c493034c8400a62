//! Figures with one curve per method: along the stream, by self-training step, by window.

use super::Scene;
use crate::chart::Figure;
use crate::chart::axis::Axis;
use crate::chart::lines::{self, Series};
use crate::chart::panels;
use crate::chart::scale::Ticks;
use crate::experiment::curves::{self, Curve};
use crate::numbers::{count, fixed};

impl Scene<'_> {
    pub(super) fn along_stream(&self) -> Option<Figure> {
        let mut all = self.all_series(curves::along_stream);
        for series in &mut all {
            let row = self.rows.iter().find(|row| row.method == series.name)?;
            let mean = row.accuracy.mean;
            let hint = format!("{} on the target: {} %", row.method, fixed(mean, 1));
            series.end = Some((1.0, mean, hint));
        }
        let ticks = Ticks {
            low: 0.0,
            high: 1.0,
            step: 0.2,
        };
        let mut x = Axis::new("position in the stream", ticks);
        x.ends = Some(("source".into(), "target".into()));
        let caption = "Each final model on equal parts of the stream, from source to target; the end dot is the target \
                       itself.";
        let title = "Final models along the stream";
        self.curves(title, caption, "stream", &x, &all)
    }

    pub(super) fn by_step(&self) -> Option<Figure> {
        let mut all = self.all_series(curves::by_step);
        all.retain(|series| series.points.len() > 1);
        let title = "Target accuracy after each self-training step";
        let caption = "Step 0 is the source model.";
        self.curves(title, caption, "steps", &steps(&all), &all)
    }

    pub(super) fn windows(&self) -> Option<Figure> {
        let mut series = self.all_series(curves::on_window);
        let mut caption =
            "The model after step t on window t, which it has just learned from without labels."
                .to_owned();
        if let [only] = &mut series[..] {
            let method = only.name.clone();
            only.name = "after the step".into();
            if let Some(mut next) = self.series(&method, curves::on_next_window) {
                next.name = "before the step".into();
                next.secondary = true;
                series.push(next);
                caption = format!(
                    "{method}. Solid: the model after step t on window t, which it has just learned from without \
                     labels. Dotted: the model before that step, on the same window."
                );
            }
        }
        let title = "Accuracy on the window just learned from";
        self.curves(title, &caption, "windows", &steps(&series), &series)
    }

    fn curves(
        &self,
        title: &str,
        caption: &str,
        name: &str,
        x: &Axis,
        series: &[Series],
    ) -> Option<Figure> {
        if series.is_empty() {
            return None;
        }
        let mut caption = format!("{caption} {}", self.lines_caption());
        let mut y = Axis::per_cent("accuracy, %", series.iter().flat_map(Series::extent));
        if self.mark_guessing(&mut y) {
            caption += " Horizontal dotted line: guessing.";
        }
        let chart = if self.draws {
            panels::chart
        } else {
            lines::chart
        };
        Some(self.figure(title, caption, name, chart(x, &y, series)))
    }

    fn lines_caption(&self) -> String {
        let trials = self.rows.iter().map(|row| row.values.len()).max();
        match trials.unwrap_or(0) {
            _ if self.draws => "Thin: single trials. Thick: their mean.".into(),
            0 | 1 => "One trial.".into(),
            n => format!("Mean of {}; band: lowest to highest.", count(n, "trial")),
        }
    }

    fn all_series(&self, curve: Curve) -> Vec<Series> {
        let rows = self.rows.iter();
        rows.filter_map(|row| self.series(&row.method, curve))
            .collect()
    }

    fn series(&self, method: &str, curve: Curve) -> Option<Series> {
        let singles = curves::singles(self.store, self.dataset, method, curve);
        let points = curves::summary(&singles);
        (!points.is_empty()).then(|| Series {
            singles: if self.draws { singles } else { Vec::new() },
            ..Series::new(method, self.tone(method), points)
        })
    }
}

fn steps(series: &[Series]) -> Axis {
    let points = series.iter().flat_map(|series| &series.points);
    let ticks = Ticks::whole(points.map(|point| point.x), 12);
    Axis::new("self-training step", ticks)
}
