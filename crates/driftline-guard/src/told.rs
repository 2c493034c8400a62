//! Rows that were asked about, with their inputs: once their classes are told, a candidate may learn from them.

use serde::{Deserialize, Serialize};

use super::ROWS;
use super::memory::Memory;
use driftline_adapt::policy::{AskedRow, LabelledRow};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Labels, Shape};

/// The candidate that learns from them.
pub(super) const ASKED: &str = "asked";
/// The inputs are kept under this name, one row after the other.
const INPUTS: &str = "asked rows";

/// A row of a window, and its class once that was told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    window: usize,
    row: usize,
    class: Option<u32>,
}

impl Memory {
    /// Keeps the rows of a window that are asked about; the oldest go where there are too many.
    pub fn keep(&mut self, window: usize, asked: &[AskedRow], inputs: &Inputs) -> Result<()> {
        let size = inputs.shape().size();
        let kept = self.kept.get(INPUTS).map_or(&[][..], |(_, kept)| kept);
        let mut numbers = kept.to_vec();
        for asked in asked {
            let AskedRow { row, class, .. } = *asked;
            self.told.push(Told { window, row, class });
            numbers.extend(inputs.row(row));
        }
        let old = self.told.len().saturating_sub(ROWS);
        self.told.drain(..old);
        numbers.drain(..old * size);
        self.kept.set(INPUTS, &[self.told.len(), size], numbers)
    }

    /// Takes in labels that came late.
    pub fn tell(&mut self, labelled: &[LabelledRow]) {
        for one in labelled {
            let is = |own: &&mut Told| (own.window, own.row) == (one.window, one.asked.row);
            if let Some(own) = self.told.iter_mut().find(is) {
                own.class = one.class;
            }
        }
    }

    /// The rows whose classes were told.
    pub fn learnable(&self, shape: Shape, n_classes: usize) -> Result<Option<LabeledDomain>> {
        let Some((_, numbers)) = self.kept.get(INPUTS) else {
            return Ok(None);
        };
        let rows = self.told.iter().zip(numbers.chunks_exact(shape.size()));
        let (classes, inputs): (Vec<u32>, Vec<&[f32]>) = rows
            .filter_map(|(told, inputs)| Some((told.class?, inputs)))
            .unzip();
        let inputs = Inputs::new(inputs.concat(), shape)?;
        LabeledDomain::new(inputs, Labels::new(classes, n_classes)?).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_learned_from_once_their_classes_are_told() {
        let shape = Shape::Vector(2);
        let inputs = Inputs::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape).unwrap();
        let asked = |row, class| AskedRow {
            row,
            weight: 1.0,
            decided: Default::default(),
            likely: vec![],
            from_all: true,
            class,
        };
        let mut memory = Memory::default();
        assert_eq!(memory.learnable(shape, 2).unwrap(), None);
        let rows = [asked(2, Some(1)), asked(0, None)];
        memory.keep(3, &rows, &inputs).unwrap();
        let told = memory.learnable(shape, 2).unwrap().unwrap();
        assert_eq!((told.inputs().row(0), told.len()), (&[5.0, 6.0][..], 1));
        let late = LabelledRow {
            window: 3,
            asked: asked(0, None),
            class: Some(0),
        };
        memory.tell(&[late]);
        let memory = Memory::read(&memory.store()).unwrap();
        let told = memory.learnable(shape, 2).unwrap().unwrap();
        assert_eq!(told.labels().as_slice(), [1, 0]);
        assert_eq!(told.inputs().row(1), [1.0, 2.0]);
    }
}
