//! Means with their intervals, one row per method, the single values above and a printed number below.

use super::axis::Axis;
use super::rows;
pub use super::rows::Label;
use super::scale::Scale;
use super::svg::Svg;

const HEIGHT: f64 = 46.0;

/// One method.
#[derive(Clone, Debug)]
pub struct Row {
    pub label: Label,
    pub mean: f64,
    pub half_width: Option<f64>,
    /// Each with a hint.
    pub singles: Vec<(f64, String)>,
    /// A number from elsewhere, with half its interval and a hint.
    pub printed: Option<(f64, Option<f64>, String)>,
}

impl Row {
    /// All values that the axis must reach.
    pub fn extent(&self) -> impl Iterator<Item = f64> {
        let printed = self.printed.as_ref().map(|(mean, half, _)| (*mean, *half));
        let ranges = [(self.mean, self.half_width)].into_iter().chain(printed);
        let ends = ranges.flat_map(|(mean, half)| {
            let half = half.unwrap_or(0.0);
            [mean - half, mean + half]
        });
        ends.chain(self.singles.iter().map(|(value, _)| *value))
    }
}

pub fn chart(axis: &Axis, rows: &[Row]) -> Svg {
    rows::chart(axis, rows, |_| HEIGHT, |row| &row.label, mark)
}

fn mark(svg: &mut Svg, row: &Row, scale: &Scale, middle: f64) {
    for (value, hint) in &row.singles {
        svg.dot("single", (scale.at(*value), middle - 12.0), 2.6, hint);
    }
    let range = (row.mean, row.half_width);
    whisker(svg, "whisker", scale, range, middle, 5.0);
    let hint = format!("{}: {}", row.label.name, row.label.text);
    svg.dot("mean", (scale.at(row.mean), middle), 4.5, &hint);
    if let Some((mean, half_width, hint)) = &row.printed {
        let y = middle + 13.0;
        whisker(svg, "printed", scale, (*mean, *half_width), y, 3.0);
        svg.diamond("printed", (scale.at(*mean), y), 4.5, hint);
    }
}

fn whisker(
    svg: &mut Svg,
    class: &str,
    scale: &Scale,
    (mean, half_width): (f64, Option<f64>),
    y: f64,
    cap: f64,
) {
    let Some(half_width) = half_width else { return };
    let ends = [scale.at(mean - half_width), scale.at(mean + half_width)];
    svg.line(class, (ends[0], y), (ends[1], y));
    for x in ends {
        svg.line(class, (x, y - cap), (x, y + cap));
    }
}
