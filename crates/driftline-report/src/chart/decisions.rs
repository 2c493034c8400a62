//! A strip of cells, one for each window: what was decided, in a colour and a letter for each candidate.

use super::WIDTH;
use super::axis::Batch;
use super::svg::{Anchor, Svg, bold_width_of};
use super::tone::Tone;

/// One window.
#[derive(Clone, Debug)]
pub struct Cell {
    /// A letter or sign that stands in the cell, where there is room.
    pub sign: String,
    pub tone: Tone,
    /// Whether something new is deployed.
    pub filled: bool,
    pub hint: String,
}

const HEIGHT: f64 = 20.0;

/// Under a chart of curves, as wide as its frame.
pub fn chart(frame: &Batch, cells: &[Cell], legend: &[(Tone, String)]) -> Svg {
    let lines = legend_lines(legend);
    let mut svg = Svg::new(HEIGHT + 8.0 + 16.0 * lines.len() as f64);
    let width = (frame.right - frame.left) / cells.len().max(1) as f64;
    for (place, cell) in cells.iter().enumerate() {
        let left = frame.left + place as f64 * width;
        let class = if cell.filled { "cell filled" } else { "cell" };
        svg.group(cell.tone, |svg| {
            let gap = if width > 4.0 { 1.0 } else { 0.0 };
            let size = ((width - gap).max(0.5), HEIGHT);
            svg.rectangle(class, (left, 0.0), size, &cell.hint);
            if width >= 11.0 {
                let middle = (left + (width - gap) / 2.0, HEIGHT / 2.0 + 4.0);
                let class = if cell.filled { "sign on" } else { "sign" };
                svg.text(class, middle, Anchor::Middle, &cell.sign);
            }
        });
    }
    for (number, line) in lines.iter().enumerate() {
        let mut left = frame.left;
        for (tone, text) in line {
            svg.group(*tone, |svg| {
                let at = (left, HEIGHT + 18.0 + 16.0 * number as f64);
                svg.text("name", at, Anchor::Start, text);
            });
            left += bold_width_of(text) + 16.0;
        }
    }
    svg
}

/// As many names in a line as fit.
fn legend_lines(legend: &[(Tone, String)]) -> Vec<Vec<&(Tone, String)>> {
    let mut lines: Vec<Vec<&(Tone, String)>> = vec![];
    let mut left = WIDTH;
    for entry in legend {
        let width = bold_width_of(&entry.1) + 16.0;
        if left + width > WIDTH - 40.0 {
            lines.push(vec![]);
            left = 0.0;
        }
        left += width;
        if let Some(line) = lines.last_mut() {
            line.push(entry);
        }
    }
    lines
}
