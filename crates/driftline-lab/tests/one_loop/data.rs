//! A small drift, as inputs and as tables.

use driftline_core::data::{Inputs, LabeledDomain, Labels, Shape};
use driftline_core::random::Seed;
use driftline_io::Table;
use rand::RngExt;

pub const WINDOW: usize = 25;
/// Six windows and a tail.
pub const ROWS: usize = 6 * WINDOW + 8;
const FEATURES: usize = 3;
const CLASSES: usize = 3;
/// The window whose rows are all alike, so that one class is left of it.
pub const ALIKE: usize = 4;

/// Labelled rows and the stream after them, with its answers.
#[derive(Clone)]
pub struct Drift {
    pub source: LabeledDomain,
    pub stream: LabeledDomain,
}

/// Three classes on a circle that turns. The numbers are whole 1024ths, which a file in decimal holds exactly.
fn sample(rows: usize, seed: u64, turn: impl Fn(usize) -> f64) -> LabeledDomain {
    let mut generator = Seed::new(seed).named("one loop").generator();
    let labels: Vec<u32> = (0..rows).map(|row| (row % CLASSES) as u32).collect();
    let mut values = vec![];
    for (row, &label) in labels.iter().enumerate() {
        let angle = turn(row) + std::f64::consts::TAU * f64::from(label) / CLASSES as f64;
        let centre = [5.0 + 3.0 * angle.cos(), 40.0 * angle.sin(), 0.5];
        for (at, width) in centre.into_iter().zip([0.8, 10.0, 1.0]) {
            let value: f64 = at + width * generator.random_range(-1.0..1.0);
            values.push(((value * 1024.0).round() / 1024.0) as f32);
        }
    }
    let inputs = Inputs::new(values, Shape::Vector(FEATURES)).unwrap();
    LabeledDomain::new(inputs, Labels::new(labels, CLASSES).unwrap()).unwrap()
}

impl Drift {
    pub fn new(seed: u64) -> Self {
        let source = sample(60, seed, |_| 0.0);
        let stream = sample(ROWS, 100 + seed, |row| 1.2 * row as f64 / ROWS as f64);
        let alike = (ALIKE - 1) * WINDOW..ALIKE * WINDOW;
        let row = |row: usize| match alike.contains(&row) {
            true => alike.start,
            false => row,
        };
        let rows: Vec<usize> = (0..ROWS).map(row).collect();
        let labels = stream.labels().pick(&rows);
        Self {
            source,
            stream: LabeledDomain::new(stream.inputs().pick(&rows), labels).unwrap(),
        }
    }
}

pub fn table(rows: &LabeledDomain) -> Table {
    let labels = rows.labels().as_slice();
    Table::from(rows.inputs())
        .with_texts("label", labels)
        .unwrap()
}
