//! The space that a drift is explained in. Of a table: its columns of numbers, in the source's deviations, with its
//! categories beside them, which are never moved. Of images: the scores of the source model.

use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Shape};
use driftline_core::math::ln;
use driftline_drift::{RowPoints, Standardizer};

/// A probability below this counts as this.
const LEAST_PROBABILITY: f64 = 1e-6;

/// Columns of a table.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    numbers: Standardizer,
    /// The inputs of categories.
    categories: Vec<usize>,
}

impl Columns {
    /// `None` for images, and where no column varies.
    pub fn of(source: &LabeledDomain) -> Option<Self> {
        if !matches!(source.inputs().shape(), Shape::Vector(_)) {
            return None;
        }
        // The mark of a missing value, which follows the value, is a category of two.
        let marks = &source.layout().marked;
        let is_number = |at: &usize| {
            let in_group = source.one_hot().iter().any(|group| group.contains(at));
            !in_group && marks.iter().all(|value| value + 1 != *at)
        };
        let (numbers, categories) = Standardizer::of_columns(source.inputs(), is_number);
        let some = numbers.size() + categories.len() > 0;
        some.then_some(Self {
            numbers,
            categories,
        })
    }

    /// How many columns of numbers there are.
    pub fn numbers(&self) -> usize {
        self.numbers.size()
    }

    /// The numbers of the rows; there is at least one column of them.
    pub fn points(&self, inputs: &Inputs) -> RowPoints {
        self.numbers.points(inputs)
    }

    /// Numbers and categories side by side, for distances.
    pub fn whole(&self, points: Option<&RowPoints>, inputs: &Inputs) -> RowPoints {
        let size = self.numbers() + self.categories.len();
        let mut values = Vec::with_capacity(inputs.len() * size);
        for (at, row) in inputs.iter().enumerate() {
            values.extend(points.iter().flat_map(|points| points.row(at)));
            values.extend(self.categories.iter().map(|&at| f64::from(row[at])));
        }
        RowPoints::new(values, size)
    }

    /// `rows` with these numbers instead of their own.
    pub fn inputs(&self, points: &RowPoints, rows: &Inputs) -> Result<Inputs> {
        self.numbers.inputs(points, rows)
    }
}

/// Log-probabilities less their mean, a point for each row.
pub(super) fn scores(probabilities: &[f64], n_classes: usize) -> RowPoints {
    let mut values = Vec::with_capacity(probabilities.len());
    for row in probabilities.chunks_exact(n_classes) {
        let logs = row.iter().map(|&p| ln(p.max(LEAST_PROBABILITY)));
        let mean = logs.clone().sum::<f64>() / n_classes as f64;
        values.extend(logs.map(|log| log - mean));
    }
    RowPoints::new(values, n_classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Labels;

    /// A number, a category of two inputs, a column that does not vary.
    fn source() -> LabeledDomain {
        let rows = [[1.0, 1.0, 0.0, 5.0], [3.0, 0.0, 1.0, 5.0]];
        let inputs = Inputs::new(rows.concat(), Shape::Vector(4)).unwrap();
        let labels = Labels::new(vec![0, 1], 2).unwrap();
        let source = LabeledDomain::new(inputs, labels).unwrap();
        source.with_one_hot(std::iter::once(1..3).collect())
    }

    #[test]
    fn categories_stand_beside_the_numbers_and_are_never_moved() {
        let source = source();
        let columns = Columns::of(&source).unwrap();
        assert_eq!(columns.numbers(), 1);
        let points = columns.points(source.inputs());
        assert_eq!(points, RowPoints::new(vec![-1.0, 1.0], 1));
        let whole = columns.whole(Some(&points), source.inputs());
        assert_eq!(whole.row(0), [-1.0, 1.0, 0.0]);
        let moved = RowPoints::new(vec![0.0, 2.0], 1);
        let inputs = columns.inputs(&moved, source.inputs()).unwrap();
        assert_eq!(inputs.row(0), [2.0, 1.0, 0.0, 5.0]);
        assert_eq!(inputs.row(1), [4.0, 0.0, 1.0, 5.0]);
    }

    #[test]
    fn scores_do_not_depend_on_a_common_factor() {
        let found = scores(&[0.8, 0.2, 0.4, 0.1], 2);
        for (a, b) in found.row(0).iter().zip(found.row(1)) {
            assert!((a - b).abs() < 1e-12);
        }
    }
}
