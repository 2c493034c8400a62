//! From the inputs that every model takes to the columns that trees take: the inputs of one column of categories become
//! its code, and a number with a mark becomes a number or missing.

use std::borrow::Cow;
use std::ops::Range;

use driftline_core::data::{Inputs, Layout};
use driftline_core::{Error, Result};

use super::table::Column;
use crate::onnx::{Attribute, Graph, Node};

/// An input that an alignment has moved still counts as 1 from here on.
const IS_ONE: f32 = 0.5;

/// Columns in the order that trees have them: numbers, numbers with a mark, categories.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fold {
    numbers: Vec<usize>,
    marked: Vec<usize>,
    one_hot: Vec<Range<usize>>,
}

impl Fold {
    pub(super) fn new(layout: &Layout, width: usize) -> Result<Self> {
        if !layout.fits(width) {
            return Err(Error::mismatch(
                "the inputs",
                format!("the columns {layout:?}"),
                format!("{width} inputs"),
            ));
        }
        let within = |at: usize| {
            layout.one_hot.iter().any(|group| group.contains(&at))
                || layout
                    .marked
                    .iter()
                    .any(|&value| (value..value + 2).contains(&at))
        };
        Ok(Self {
            numbers: (0..width).filter(|&at| !within(at)).collect(),
            marked: layout.marked.clone(),
            one_hot: layout.one_hot.clone(),
        })
    }

    fn is_plain(&self) -> bool {
        self.marked.is_empty() && self.one_hot.is_empty()
    }

    pub(super) fn columns(&self) -> Vec<Column> {
        let numbers = self.numbers.len() + self.marked.len();
        let mut columns = vec![Column::Number; numbers];
        columns.resize(numbers + self.one_hot.len(), Column::Category);
        columns
    }

    /// Row after row, one value for each column.
    pub(super) fn apply<'a>(&self, inputs: &'a Inputs) -> Cow<'a, [f32]> {
        if self.is_plain() {
            return inputs.contiguous();
        }
        let width = self.numbers.len() + self.marked.len() + self.one_hot.len();
        let mut values = Vec::with_capacity(inputs.len() * width);
        for row in inputs.iter() {
            values.extend(self.numbers.iter().map(|&at| row[at]));
            let marked = |&at: &usize| {
                if row[at + 1] >= IS_ONE {
                    f32::NAN
                } else {
                    row[at]
                }
            };
            values.extend(self.marked.iter().map(marked));
            values.extend(self.one_hot.iter().map(|group| code(&row[group.clone()])));
        }
        values.into()
    }

    /// The same in a graph.
    pub(super) fn onnx(&self, graph: &mut Graph, input: Node) -> Node {
        if self.is_plain() {
            return input;
        }
        let axis = || ("axis", Attribute::Int(1));
        let keep = || ("keepdims", Attribute::Int(1));
        let one = graph.floats("trees.is_one", &[1], &[IS_ONE]);
        let none = graph.floats("trees.missing", &[1], &[f32::NAN]);
        let pick = |graph: &mut Graph, name: &str, places: Vec<usize>| {
            let places: Vec<i64> = places.into_iter().map(|at| at as i64).collect();
            let places = graph.ints(name, &[places.len()], &places);
            graph.node("Gather", &[&input, &places], &[axis()])
        };
        let mut parts = vec![];
        if !self.numbers.is_empty() {
            parts.push(pick(graph, "trees.numbers", self.numbers.clone()));
        }
        if !self.marked.is_empty() {
            let values = pick(graph, "trees.marked", self.marked.clone());
            let marks = self.marked.iter().map(|at| at + 1).collect();
            let marks = pick(graph, "trees.marks", marks);
            let missing = graph.node("GreaterOrEqual", &[&marks, &one], &[]);
            parts.push(graph.node("Where", &[&missing, &none, &values], &[]));
        }
        for (number, group) in self.one_hot.iter().enumerate() {
            let name = format!("trees.categories_{number}");
            let group = pick(graph, &name, group.clone().collect());
            let largest = [("axes", Attribute::Ints(vec![1])), keep()];
            let largest = graph.node("ReduceMax", &[&group], &largest);
            let codes = graph.node("ArgMax", &[&group], &[axis(), keep()]);
            let codes = graph.node("Cast", &[&codes], &[("to", Attribute::Int(1))]);
            let missing = graph.node("Less", &[&largest, &one], &[]);
            parts.push(graph.node("Where", &[&missing, &none, &codes], &[]));
        }
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or(input);
        parts.fold(first, |all, part| {
            graph.node("Concat", &[&all, &part], &[axis()])
        })
    }
}

/// The place of the input that is 1, of equals the first; missing where none is.
fn code(group: &[f32]) -> f32 {
    let mut best = 0;
    for at in 1..group.len() {
        if group[at] > group[best] {
            best = at;
        }
    }
    if group[best] >= IS_ONE {
        best as f32
    } else {
        f32::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Shape;

    #[test]
    fn inputs_of_one_column_become_one_value() {
        let layout = Layout {
            one_hot: std::iter::once(1..4).collect(),
            marked: vec![4],
        };
        let fold = Fold::new(&layout, 6).unwrap();
        assert_eq!(
            fold.columns(),
            [Column::Number, Column::Number, Column::Category]
        );
        let rows = vec![
            2.0, 0.0, 0.0, 1.0, 7.0, 0.0, //
            3.0, 0.0, 0.0, 0.0, 8.0, 1.0, //
            4.0, 0.2, 0.8, 0.1, 9.0, 0.4,
        ];
        let inputs = Inputs::new(rows, Shape::Vector(6)).unwrap();
        let folded = fold.apply(&inputs);
        assert_eq!(folded[..3], [2.0, 7.0, 2.0]);
        assert!(folded[3] == 3.0 && folded[4].is_nan() && folded[5].is_nan());
        assert_eq!(folded[6..], [4.0, 9.0, 1.0]);
        assert!(Fold::new(&layout, 5).is_err());
        let plain = Fold::new(&Layout::default(), 6).unwrap();
        assert_eq!(plain.apply(&inputs)[..6], inputs.row(0)[..]);
    }
}
