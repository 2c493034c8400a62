//! Points of two classes in the plane with the boundaries of classifiers, one panel beside the other.

use super::scale::Scale;
use super::svg::{Anchor, Svg};
use super::tone::Tone;
use super::{Heading, WIDTH};

/// One panel.
#[derive(Clone, Debug)]
pub struct Panel {
    pub title: String,
    /// Place and class: 0 is drawn as a square, 1 as a circle.
    pub points: Vec<((f64, f64), u32)>,
    pub boundaries: Vec<Boundary>,
}

/// The line at which a classifier changes its mind.
#[derive(Clone, Copy, Debug)]
pub struct Boundary {
    /// Index into the names.
    pub name: usize,
    pub ends: [(f64, f64); 2],
    /// Across the line, to the side that is called class 1; of length 1.
    pub ahead: (f64, f64),
}

const GAP: f64 = 12.0;
const CLASSES: [Tone; 2] = [Tone::Series(0), Tone::Series(1)];

/// `reach`: the largest coordinate shown; `names` and looks of the boundaries.
pub fn chart(
    heading: Heading<'_>,
    panels: &[Panel],
    names: &[(String, Tone)],
    reach: f64,
) -> String {
    let count = panels.len().max(1);
    let side = (WIDTH - GAP * (count - 1) as f64) / count as f64;
    let mut svg = Svg::new(heading, 40.0 + side + 16.0 * names.len().div_ceil(2) as f64);
    for (index, panel) in panels.iter().enumerate() {
        let (left, top) = (index as f64 * (side + GAP), 18.0);
        let scale = |from: f64, to: f64| Scale {
            domain: (-reach, reach),
            range: (from, to),
        };
        let (across, up) = (scale(left, left + side), scale(top + side, top));
        let place = |(x, y): (f64, f64)| (across.at(x), up.at(y));
        svg.text("title", (left, 12.0), Anchor::Start, &panel.title);
        svg.rectangle("frame", (left, top), side, side);
        for (class, tone) in CLASSES.iter().enumerate() {
            svg.group(&tone.class(), |svg| {
                for (point, _) in panel.points.iter().filter(|(_, c)| *c == class as u32) {
                    let (x, y) = place(*point);
                    match class {
                        0 => svg.rectangle("draw", (x - 1.7, y - 1.7), 3.4, 3.4),
                        _ => svg.dot("draw", (x, y), 2.0, ""),
                    }
                }
            });
        }
        for Boundary { name, ends, ahead } in &panel.boundaries {
            let [from, to] = *ends;
            // Knobs of lines that coincide stand at different places.
            let share = 0.5 + 0.12 * *name as f64;
            let foot = (
                from.0 + share * (to.0 - from.0),
                from.1 + share * (to.1 - from.1),
            );
            let length = 0.14 * reach;
            let knob = (foot.0 + length * ahead.0, foot.1 + length * ahead.1);
            svg.group(&look(names, *name), |svg| {
                svg.polyline("line", [place(from), place(to)].into_iter());
                svg.polyline("line", [place(foot), place(knob)].into_iter());
                svg.dot("mean", place(knob), 2.5, "");
            });
        }
    }
    for (index, (name, tone)) in names.iter().enumerate() {
        let left = (index % 2) as f64 * (WIDTH / 2.0);
        let base = 18.0 + side + 20.0 + 16.0 * (index / 2) as f64;
        svg.group(&tone.class(), |svg| {
            svg.polyline(
                "line",
                [(left, base - 4.0), (left + 20.0, base - 4.0)].into_iter(),
            );
            svg.text("name", (left + 26.0, base), Anchor::Start, name);
        });
    }
    svg.finish()
}

fn look(names: &[(String, Tone)], index: usize) -> String {
    names
        .get(index)
        .map_or(Tone::Neutral, |(_, tone)| *tone)
        .class()
}
