//! The distribution of single values, one row per method: every value a dot, equal ones stacked, quantiles beneath.

use super::WIDTH;
use super::axis::Axis;
use super::rows;
pub use super::rows::Label;
use super::scale::Scale;
use super::svg::Svg;

const RADIUS: f64 = 3.4;
/// Dots may overlap by some of their height when many are stacked.
const STACKING: f64 = 4.6;

/// One method.
#[derive(Clone, Debug)]
pub struct Row {
    pub label: Label,
    /// Each with a hint.
    pub values: Vec<(f64, String)>,
    /// At 10, 25, 50, 75 and 90 %.
    pub quantiles: Option<[f64; 5]>,
}

pub fn chart(axis: &Axis, rows: &[Row]) -> Svg {
    // About the width of the plot, which depends on the names; a dot more or less in a stack does no harm.
    let scale = axis.scale((0.0, WIDTH * 0.6));
    let height = |row: &Row| {
        let stacked = stack(row, &scale);
        let tallest = stacked.iter().map(|(_, place, _)| place + 1).max();
        (tallest.unwrap_or(1) as f64 * STACKING + 36.0).clamp(52.0, 160.0)
    };
    let mark = |svg: &mut Svg, row: &Row, scale: &Scale, middle: f64| {
        mark(svg, row, scale, middle + height(row) / 2.0 - 24.0);
    };
    rows::chart(axis, rows, height, |row| &row.label, mark)
}

/// Dots grow upwards from `floor`, quantiles lie under it.
fn mark(svg: &mut Svg, row: &Row, scale: &Scale, floor: f64) {
    for (x, place, hint) in stack(row, scale) {
        let y = floor - place as f64 * STACKING;
        svg.dot("draw", (x, y), RADIUS, hint);
    }
    let Some(quantiles) = row.quantiles else {
        return;
    };
    let [least, lower, median, upper, most] = quantiles.map(|value| scale.at(value));
    let y = floor + 12.0;
    svg.line("whisker", (least, y), (most, y));
    svg.rectangle("box", (lower, y - 3.0), (upper - lower, 6.0), "");
    svg.line("median", (median, y - 6.0), (median, y + 6.0));
}

/// The place of each dot: its column, at the mean of those in it, and how many lie below it.
fn stack<'a>(row: &'a Row, scale: &Scale) -> Vec<(f64, usize, &'a str)> {
    let values = row.values.iter();
    let values = values.map(|(value, hint)| (scale.at(*value), &**hint));
    let mut values: Vec<(f64, &str)> = values.collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut placed = Vec::new();
    while let Some(&(first, _)) = values.get(placed.len()) {
        let rest = &values[placed.len()..];
        let close = rest.partition_point(|(x, _)| x - first < RADIUS * 1.6);
        let close = close.max(1);
        let column = rest[..close].iter().map(|(x, _)| x).sum::<f64>() / close as f64;
        let dots = rest[..close].iter().enumerate();
        placed.extend(dots.map(|(place, (_, hint))| (column, place, *hint)));
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::super::tone::Tone;
    use super::*;

    #[test]
    fn equal_values_are_stacked_and_far_ones_are_not() {
        let row = Row {
            label: Label {
                name: String::new(),
                tone: Tone::Neutral,
                text: String::new(),
            },
            values: [99.0, 0.0, 99.5, 50.0]
                .map(|value| (value, String::new()))
                .to_vec(),
            quantiles: None,
        };
        let scale = Scale {
            domain: (0.0, 100.0),
            range: (0.0, 100.0),
        };
        let places: Vec<_> = stack(&row, &scale)
            .into_iter()
            .map(|(x, place, _)| (x, place))
            .collect();
        assert_eq!(places, [(0.0, 0), (50.0, 0), (99.25, 0), (99.25, 1)]);
    }
}
