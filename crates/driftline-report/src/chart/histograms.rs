//! Small histograms side by side: each column of a table in the source and in the newest window.

use super::WIDTH;
use super::svg::{Anchor, Svg, fitted};
use super::tone::Tone;

/// One column.
#[derive(Clone, Debug)]
pub struct Histogram {
    pub name: String,
    /// At the right of the name.
    pub note: String,
    /// The share of each bin before and now, with its name for hints.
    pub bars: Vec<(f64, f64, String)>,
    /// Written under the bars: under each of them, or under the first and the last.
    pub labels: Vec<String>,
}

const COLUMNS: usize = 2;
const GAP: f64 = 28.0;
const HEIGHT: f64 = 56.0;
const PITCH: f64 = HEIGHT + 48.0;
/// Where the first row of panels begins: below the legend.
const TOP: f64 = 26.0;

pub fn chart(all: &[Histogram], names: [&str; 2]) -> Svg {
    let rows = all.len().div_ceil(COLUMNS).max(1);
    let width = (WIDTH - GAP * (COLUMNS - 1) as f64) / COLUMNS as f64;
    let mut svg = Svg::new(TOP + PITCH * rows as f64);
    for (name, (tone, left)) in names
        .iter()
        .zip([(Tone::Neutral, 0.0), (Tone::Series(0), 90.0)])
    {
        svg.group(tone, |svg| {
            svg.rectangle("bar", (left, 3.0), (10.0, 10.0), "");
            svg.text("name", (left + 15.0, 12.0), Anchor::Start, name);
        });
    }
    for (place, one) in all.iter().enumerate() {
        let left = (place % COLUMNS) as f64 * (width + GAP);
        let top = TOP + (place / COLUMNS) as f64 * PITCH;
        panel(&mut svg, one, (left, top), width);
    }
    svg
}

fn panel(svg: &mut Svg, one: &Histogram, (left, top): (f64, f64), width: f64) {
    let floor = top + 18.0 + HEIGHT;
    let name = fitted(&one.name, width * 0.55);
    svg.text("value", (left, top + 10.0), Anchor::Start, &name);
    svg.text("tick", (left + width, top + 10.0), Anchor::End, &one.note);
    let most = one.bars.iter().map(|(then, now, _)| then.max(*now));
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    let step = width / one.bars.len().max(1) as f64;
    let bar = (step * 0.42).min(22.0);
    for (place, (then, now, hint)) in one.bars.iter().enumerate() {
        let middle = left + (place as f64 + 0.5) * step;
        for (tone, share, x) in [
            (Tone::Neutral, then, middle - bar),
            (Tone::Series(0), now, middle),
        ] {
            let height = HEIGHT * share / most;
            svg.group(tone, |svg| {
                svg.rectangle("bar", (x, floor - height), (bar, height), hint);
            });
        }
    }
    svg.line("axis", (left, floor), (left + width, floor));
    let below = floor + 14.0;
    if let [first, last] = &one.labels[..] {
        let [first, last] = [first, last].map(|label| fitted(label, width * 0.5));
        svg.text("tick", (left, below), Anchor::Start, &first);
        svg.text("tick", (left + width, below), Anchor::End, &last);
        return;
    }
    for (place, label) in one.labels.iter().enumerate() {
        let at = (left + (place as f64 + 0.5) * step, below);
        svg.text("tick", at, Anchor::Middle, &fitted(label, step));
    }
}
