//! Figures with one curve per method: along the stream, by self-training step, by window.

use driftline::experiment::Outcome;

use super::{Scene, per_cent};
use crate::chart::Figure;
use crate::chart::axis::Axis;
use crate::chart::lines::{self, Series};
use crate::chart::scale::Ticks;
use crate::experiment::curves;
use crate::numbers::{count, fixed};

impl Scene<'_> {
    pub(super) fn along_stream(&self) -> Option<Figure> {
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
            "Each final model on equal parts of the stream, from source to target; the end dot is the target \
             itself. {}",
            self.lines_caption()
        );
        self.curves(
            "Final models along the stream",
            caption,
            "stream",
            &x,
            &series,
        )
    }

    pub(super) fn by_step(&self) -> Option<Figure> {
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

    pub(super) fn windows(&self) -> Option<Figure> {
        let mut series: Vec<Series> = self
            .rows
            .iter()
            .filter_map(|row| self.series(&row.method, curves::on_window))
            .collect();
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
        caption = format!("{caption} {}", self.lines_caption());
        let x = steps(&series);
        self.curves(
            "Accuracy on the window just learned from",
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
        let mut y = per_cent("accuracy, %", series.iter().flat_map(Series::extent));
        self.mark_guessing(&mut y);
        if y.reference.is_some() {
            caption += " Horizontal dotted line: guessing.";
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
            (false, n) => format!("Mean of {}; band: lowest to highest.", count(n, "trial")),
        }
    }

    fn series(&self, method: &str, curve: fn(&Outcome) -> Vec<(f64, f64)>) -> Option<Series> {
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
    Axis::new(
        "self-training step",
        Ticks::whole(points.map(|point| point.x), 12),
    )
}
