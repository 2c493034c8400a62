//! Points of two classes in the plane, or on a line through it, with the boundaries of classifiers; one panel beside the
//! other.

use super::WIDTH;
use super::scale::Scale;
use super::svg::{Anchor, Svg};
use super::tone::Tone;

/// One panel.
#[derive(Clone, Debug)]
pub struct Panel {
    pub title: String,
    pub points: Vec<Point>,
    pub boundaries: Vec<Boundary>,
    /// What stands below places on the middle line, which is drawn only where there are some.
    pub labels: Vec<(f64, String)>,
}

#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub place: (f64, f64),
    /// 0 is drawn as a square, 1 as a circle: classes differ without colour too.
    pub class: usize,
    /// As a share of the panel's side.
    pub radius: f64,
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

impl Boundary {
    /// Where the line w·x + b = 0 enters and leaves the square [−reach, reach]²; `None` if it does neither.
    pub fn across((u, v): (f64, f64), bias: f64, reach: f64, name: usize) -> Option<Self> {
        let mut ends: Vec<(f64, f64)> = Vec::new();
        for side in [-reach, reach] {
            if v.abs() > 1e-12 {
                ends.push((side, (-bias - u * side) / v));
            }
            if u.abs() > 1e-12 {
                ends.push(((-bias - v * side) / u, side));
            }
        }
        ends.retain(|(x, y)| x.abs().max(y.abs()) <= reach * (1.0 + 1e-9));
        let first = *ends.first()?;
        let far = |p: &(f64, f64)| (p.0 - first.0).powi(2) + (p.1 - first.1).powi(2);
        let last = *ends.iter().max_by(|p, q| far(p).total_cmp(&far(q)))?;
        let length = u.hypot(v);
        Some(Self {
            name,
            ends: [first, last],
            ahead: (u / length, v / length),
        })
    }
}

const GAP: f64 = 12.0;
const TOP: f64 = 18.0;
/// A panel that stands alone need not be as wide as the page.
const WIDEST: f64 = 240.0;
const CLASSES: [Tone; 2] = [Tone::Series(0), Tone::Series(1)];

/// `reach`: the largest coordinate shown; `names` and looks of the boundaries.
pub fn chart(panels: &[Panel], names: &[(String, Tone)], reach: f64) -> Svg {
    let count = panels.len().max(1);
    let side = ((WIDTH - GAP * (count - 1) as f64) / count as f64).min(WIDEST);
    let mut svg = Svg::new(40.0 + side + 16.0 * names.len().div_ceil(2) as f64);
    for (index, panel) in panels.iter().enumerate() {
        let left = index as f64 * (side + GAP);
        draw(&mut svg, panel, left, side, reach, names);
    }
    for (index, (name, tone)) in names.iter().enumerate() {
        let left = (index % 2) as f64 * (WIDTH / 2.0);
        let base = TOP + side + 20.0 + 16.0 * (index / 2) as f64;
        svg.group(*tone, |svg| {
            svg.line("line", (left, base - 4.0), (left + 20.0, base - 4.0));
            svg.text("name", (left + 26.0, base), Anchor::Start, name);
        });
    }
    svg
}

fn draw(svg: &mut Svg, panel: &Panel, left: f64, side: f64, reach: f64, names: &[(String, Tone)]) {
    let scale = |from: f64, to: f64| Scale {
        domain: (-reach, reach),
        range: (from, to),
    };
    let (across, up) = (scale(left, left + side), scale(TOP + side, TOP));
    let place = |(x, y): (f64, f64)| (across.at(x), up.at(y));
    svg.text("title", (left, 12.0), Anchor::Start, &panel.title);
    svg.rectangle("frame", (left, TOP), (side, side), "");
    if !panel.labels.is_empty() {
        svg.line("axis", place((-reach, 0.0)), place((reach, 0.0)));
    }
    let mut free = f64::NEG_INFINITY;
    for (x, label) in &panel.labels {
        let (x, y) = place((*x, 0.0));
        // Points may lie closer together than their labels are wide.
        if x >= free {
            svg.text("tick", (x, y + 28.0), Anchor::Middle, label);
            free = x + 30.0;
        }
    }
    for (class, tone) in CLASSES.into_iter().enumerate() {
        svg.group(tone, |svg| {
            for point in panel.points.iter().filter(|point| point.class == class) {
                let ((x, y), radius) = (place(point.place), side * point.radius);
                let half = 0.85 * radius;
                let (corner, size) = ((x - half, y - half), (2.0 * half, 2.0 * half));
                match class {
                    0 => svg.rectangle("draw", corner, size, ""),
                    _ => svg.dot("draw", (x, y), radius, ""),
                }
            }
        });
    }
    for Boundary { name, ends, ahead } in &panel.boundaries {
        let [from, to] = *ends;
        // Knobs of lines that coincide stand at different places.
        let share = 0.5 + 0.12 * *name as f64;
        let along = |from: f64, to: f64| from + share * (to - from);
        let foot = (along(from.0, to.0), along(from.1, to.1));
        let length = 0.14 * reach;
        let knob = (foot.0 + length * ahead.0, foot.1 + length * ahead.1);
        let tone = names.get(*name).map_or(Tone::Neutral, |(_, tone)| *tone);
        svg.group(tone, |svg| {
            svg.line("line", place(from), place(to));
            svg.line("line", place(foot), place(knob));
            svg.dot("mean", place(knob), 2.5, "");
        });
    }
}
