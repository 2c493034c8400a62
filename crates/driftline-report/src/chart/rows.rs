//! What charts with one row per method have in common: names to the left, numbers to the right, values between.

use super::WIDTH;
use super::axis::{self, Axis, Batch};
use super::scale::Scale;
use super::svg::{Anchor, Svg, bold_width_of, fitted, width_of};
use super::tone::Tone;

/// The name, the look and the number of a row.
#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub tone: Tone,
    /// Shown at the right end.
    pub text: String,
}

/// Draws `mark` for every row, at the middle of its height.
pub(super) fn chart<R>(
    axis: &Axis,
    rows: &[R],
    height: impl Fn(&R) -> f64,
    label: impl Fn(&R) -> &Label,
    mark: impl Fn(&mut Svg, &R, &Scale, f64),
) -> Svg {
    let widest =
        |text: &dyn Fn(&Label) -> f64| rows.iter().map(|row| text(label(row))).fold(0.0, f64::max);
    let left = widest(&|label| bold_width_of(&label.name)).clamp(30.0, 140.0) + 10.0;
    let right = WIDTH - widest(&|label| width_of(&label.text)).clamp(30.0, 150.0) - 10.0;
    let top = if axis.reference.is_some() { 18.0 } else { 6.0 };
    let bottom = top + rows.iter().map(&height).sum::<f64>();
    let frame = Batch {
        left,
        top,
        right,
        bottom,
    };
    let mut svg = Svg::new(bottom + 40.0);
    axis::horizontal(&mut svg, &frame, axis, true);
    let scale = frame.x(axis);
    let mut above = top;
    for row in rows {
        let (middle, here) = (above + height(row) / 2.0, above);
        above += height(row);
        if here > top {
            svg.line("grid", (0.0, here), (WIDTH, here));
        }
        let Label { name, tone, text } = label(row);
        svg.group(*tone, |svg| {
            let name = fitted(name, left - 10.0);
            svg.text("name", (left - 8.0, middle + 4.0), Anchor::End, &name);
            mark(svg, row, &scale, middle);
        });
        svg.text("value", (WIDTH, middle + 4.0), Anchor::End, text);
    }
    svg
}
