//! Rows of small grey images with a label below each; dark ink on light pages, light ink on dark ones.

use super::WIDTH;
use super::svg::{Anchor, Svg};

/// One image: grey values row by row, 0 for paper and 1 for full ink.
#[derive(Clone, Debug)]
pub struct Image {
    pub width: usize,
    pub values: Vec<f32>,
    pub label: String,
}

const LEVELS: usize = 6;
const GAP: f64 = 4.0;

/// All images of equal size, so many in a row.
pub fn chart(images: &[Image], columns: usize) -> Svg {
    let columns = columns.max(1);
    let side = (WIDTH - GAP * (columns - 1) as f64) / columns as f64;
    let pitch = side + 18.0;
    let rows = images.len().div_ceil(columns);
    let mut svg = Svg::new(pitch * rows as f64);
    for (index, image) in images.iter().enumerate() {
        let left = (index % columns) as f64 * (side + GAP);
        let top = (index / columns) as f64 * pitch;
        svg.rectangle("frame", (left, top), (side, side), "");
        let scale = side / image.width.max(1) as f64;
        svg.placed((left, top), scale, |svg| {
            for level in 1..=LEVELS {
                let opacity = level as f64 / LEVELS as f64;
                svg.squares("ink", opacity, runs(image, level));
            }
        });
        let below = (left + side / 2.0, top + side + 13.0);
        svg.text("tick", below, Anchor::Middle, &image.label);
    }
    svg
}

/// Neighbours of one grey level in a row: column, row and length.
fn runs(image: &Image, wanted: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let level = |value: f32| (value.clamp(0.0, 1.0) * LEVELS as f32).round() as usize;
    let rows = image.values.chunks(image.width.max(1)).enumerate();
    rows.flat_map(move |(y, row)| {
        let mut x = 0;
        let mut found = Vec::new();
        for run in row.chunk_by(|a, b| level(*a) == level(*b)) {
            if level(run[0]) == wanted {
                found.push((x, y, run.len()));
            }
            x += run.len();
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_level_are_one_run() {
        let image = Image {
            width: 3,
            values: vec![0.0, 1.0, 1.2, 0.5, -0.3, 0.5],
            label: String::new(),
        };
        let found = |level| runs(&image, level).collect::<Vec<_>>();
        assert_eq!(found(LEVELS), [(1, 0, 2)]);
        assert_eq!(found(LEVELS / 2), [(0, 1, 1), (2, 1, 1)]);
    }
}
