//! Small multiples: one panel per curve on common axes, with the single curves that it summarises, for values that a mean
//! and a band would hide.

use super::WIDTH;
use super::axis::{self, Axis, Batch};
use super::lines::{Series, curve};
use super::svg::{Anchor, Svg, fitted};

const LEFT: f64 = 34.0;
const GAP: f64 = 18.0;
const HEIGHT: f64 = 130.0;
const COLUMNS: usize = 2;

pub fn chart(x: &Axis, y: &Axis, series: &[Series]) -> Svg {
    let rows = series.len().div_ceil(COLUMNS).max(1);
    let width = (WIDTH - LEFT - GAP - 8.0) / COLUMNS as f64;
    let pitch = HEIGHT + 44.0;
    let mut svg = Svg::new(22.0 + pitch * rows as f64 + 18.0);
    svg.text("title", (0.0, 12.0), Anchor::Start, &y.title);
    for (index, one) in series.iter().enumerate() {
        let (row, column) = (index / COLUMNS, index % COLUMNS);
        let left = LEFT + column as f64 * (width + GAP);
        let top = 40.0 + row as f64 * pitch;
        let frame = Batch {
            left,
            top,
            right: left + width,
            bottom: top + HEIGHT,
        };
        axis::vertical(&mut svg, &frame, y, column == 0);
        // The last panel of each column carries the title of the axis for those above.
        axis::horizontal(&mut svg, &frame, x, index + COLUMNS >= series.len());
        svg.group(one.tone, |svg| {
            let name = fitted(&one.name, width);
            svg.text("name", (left, top - 6.0), Anchor::Start, &name);
            curve(svg, one, &frame.x(x), &frame.y(y), false);
        });
    }
    svg
}
