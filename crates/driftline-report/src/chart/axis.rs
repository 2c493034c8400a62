//! Axes: a frame on the page with a scale in each direction, grid lines, ticks and a title.

use super::scale::{Scale, Ticks};
use super::svg::{Anchor, Svg};

/// What an axis shows.
#[derive(Clone, Debug)]
pub struct Axis {
    pub title: String,
    pub ticks: Ticks,
    /// Written at the ends below the tick labels, such as `source` and `target`.
    pub ends: Option<(String, String)>,
    /// A value worth a line of its own, such as guessing.
    pub reference: Option<(f64, String)>,
    /// Names at places of their own in place of the ticks, such as dates.
    pub names: Vec<(f64, String)>,
}

impl Axis {
    pub fn new(title: impl Into<String>, ticks: Ticks) -> Self {
        Self {
            title: title.into(),
            ticks,
            ends: None,
            reference: None,
            names: vec![],
        }
    }

    /// What is marked, and how it is labelled.
    fn marks(&self) -> Vec<(f64, String)> {
        if !self.names.is_empty() {
            return self.names.clone();
        }
        let values = self.ticks.values();
        values
            .map(|value| (value, self.ticks.label(value)))
            .collect()
    }

    /// Percentages, as far as `values` reach.
    pub fn per_cent(title: &str, values: impl Iterator<Item = f64>) -> Self {
        Self::new(title, Ticks::around(values, (0.0, 100.0), 5))
    }

    /// Marks a level, if it is shown.
    pub fn mark(&mut self, level: f64, name: &str) -> bool {
        let shown = (self.ticks.low..=self.ticks.high).contains(&level);
        if shown {
            self.reference = Some((level, name.into()));
        }
        shown
    }

    pub fn scale(&self, range: (f64, f64)) -> Scale {
        Scale {
            domain: (self.ticks.low, self.ticks.high),
            range,
        }
    }
}

/// A place on the page.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Batch {
    pub fn x(&self, axis: &Axis) -> Scale {
        axis.scale((self.left, self.right))
    }

    pub fn y(&self, axis: &Axis) -> Scale {
        axis.scale((self.bottom, self.top))
    }
}

/// Vertical grid lines with labels below; the title only where asked for, as panels share it.
pub(super) fn horizontal(svg: &mut Svg, frame: &Batch, axis: &Axis, titled: bool) {
    let scale = frame.x(axis);
    for (value, label) in axis.marks() {
        let x = scale.at(value);
        svg.line("grid", (x, frame.top), (x, frame.bottom));
        svg.text("tick", (x, frame.bottom + 15.0), Anchor::Middle, &label);
    }
    let (left, right) = ((frame.left, frame.bottom), (frame.right, frame.bottom));
    svg.line("axis", left, right);
    if let Some((value, name)) = &axis.reference {
        let x = scale.at(*value);
        svg.line("reference", (x, frame.top), (x, frame.bottom));
        svg.text("tick", (x, frame.top - 4.0), Anchor::Middle, name);
    }
    if !titled {
        return;
    }
    let baseline = frame.bottom + 32.0;
    // Between two ends there is room for a title in a wide frame only.
    if axis.ends.is_none() || frame.right - frame.left > 260.0 {
        let middle = (frame.left + frame.right) / 2.0;
        svg.text("title", (middle, baseline), Anchor::Middle, &axis.title);
    }
    if let Some((first, last)) = &axis.ends {
        svg.text("title", (frame.left, baseline), Anchor::Start, first);
        svg.text("title", (frame.right, baseline), Anchor::End, last);
    }
}

/// Horizontal grid lines with labels to the left. The title is left to the caller, who has room above the frame, and
/// the name of the reference to the caption, as curves would run through it.
pub(super) fn vertical(svg: &mut Svg, frame: &Batch, axis: &Axis, labelled: bool) {
    let scale = frame.y(axis);
    for value in axis.ticks.values() {
        let y = scale.at(value);
        svg.line("grid", (frame.left, y), (frame.right, y));
        if labelled {
            let label = axis.ticks.label(value);
            svg.text("tick", (frame.left - 6.0, y + 4.0), Anchor::End, &label);
        }
    }
    if let Some((value, _)) = &axis.reference {
        let y = scale.at(*value);
        svg.line("reference", (frame.left, y), (frame.right, y));
    }
}
