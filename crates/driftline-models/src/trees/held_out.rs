//! Which rows are held out: the newest, unless the source is sorted by class. The newest rows of such a source are of one
//! class; training would stop at once, or never, and calibration would learn that there is no other.

use super::table::Table;

/// A class of which this many rows are expected in a part, and none is there, is not missing by chance: e⁻¹⁰.
const EXPECTED: f64 = 10.0;

/// Rows in another order, with what belongs to them.
pub(super) struct Sorted {
    values: Vec<f32>,
    labels: Vec<u32>,
    weights: Option<Vec<f32>>,
    /// How many rows are trained on; the others follow them.
    pub(super) trained: usize,
}

impl Sorted {
    /// The newest rows of each class last, where the rows from `trained` on lack a class that the others have, or have one
    /// that the others lack.
    pub(super) fn by_class(table: &Table<'_>, trained: usize) -> Option<Self> {
        let (n, share) = (table.len(), trained as f64 / table.len() as f64);
        let count = |labels: &[u32]| {
            let mut counts = vec![0_usize; table.n_classes];
            labels.iter().for_each(|&label| counts[label as usize] += 1);
            counts
        };
        let (older, all) = (count(&table.labels[..trained]), count(table.labels));
        let is_lost = |(&older, &all): (&usize, &usize)| {
            let lost = |found: usize, share: f64| found == 0 && all as f64 * share >= EXPECTED;
            lost(older, share) || lost(all - older, 1.0 - share)
        };
        if trained == n || !older.iter().zip(&all).any(is_lost) {
            return None;
        }
        let mut left: Vec<usize> = all
            .iter()
            .map(|&n| (n as f64 * share).ceil() as usize)
            .collect();
        let (older, newer): (Vec<usize>, Vec<usize>) = (0..n).partition(|&row| {
            let left = &mut left[table.labels[row] as usize];
            let is_older = *left > 0;
            *left = left.saturating_sub(1);
            is_older
        });
        let width = table.columns.len();
        let rows = || older.iter().chain(&newer).copied();
        let values = rows().flat_map(|row| &table.values[row * width..(row + 1) * width]);
        Some(Self {
            values: values.copied().collect(),
            labels: rows().map(|row| table.labels[row]).collect(),
            weights: table
                .weights
                .map(|weights| rows().map(|row| weights[row]).collect()),
            trained: older.len(),
        })
    }

    pub(super) fn table<'a>(&'a self, table: &Table<'a>) -> Table<'a> {
        Table {
            values: &self.values,
            labels: &self.labels,
            weights: self.weights.as_deref(),
            ..*table
        }
    }
}
