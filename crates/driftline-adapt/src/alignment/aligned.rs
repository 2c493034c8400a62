//! The map that an alignment has fitted: part of a version, applied before the model wherever it predicts.

use super::{ColumnMap, LinearMap, QuantileMap};
use driftline_core::data::Inputs;
use driftline_core::{Error, Result};
use driftline_models::onnx::{Graph, Node};
use driftline_models::{Array, Arrays};

/// A map of inputs into the model's frame.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Aligned {
    #[default]
    Identity,
    /// x ↦ (x − shift)·scale, input by input.
    Columns { shift: Vec<f32>, scale: Vec<f32> },
    /// By the window's own means and deviations.
    Standardized(ColumnMap),
    /// By its quantiles.
    Quantiles(QuantileMap),
    /// By a matrix, all inputs together.
    Linear(LinearMap),
}

impl Aligned {
    /// One shift and one scale for every input.
    pub fn columns(shift: Vec<f32>, scale: Vec<f32>) -> Result<Self> {
        if shift.len() != scale.len() {
            return Err(Error::mismatch("the scales", shift.len(), scale.len()));
        }
        if let Some(bad) = shift.iter().chain(&scale).find(|v| !v.is_finite()) {
            return Err(Error::out_of_range("a shift or scale", bad, "finite"));
        }
        Ok(Self::Columns { shift, scale })
    }

    /// How many inputs it takes; any number for the identity.
    fn size(&self) -> Option<usize> {
        match self {
            Self::Identity => None,
            Self::Columns { shift, .. } => Some(shift.len()),
            Self::Standardized(map) => Some(map.size()),
            Self::Quantiles(map) => Some(map.size()),
            Self::Linear(map) => Some(map.size()),
        }
    }

    pub fn apply(&self, inputs: &Inputs) -> Result<Inputs> {
        let Some(size) = self.size() else {
            return Ok(inputs.clone());
        };
        if size != inputs.shape().size() {
            return Err(Error::mismatch(
                "the alignment",
                format!("{} inputs", inputs.shape().size()),
                size,
            ));
        }
        let mut values = Vec::with_capacity(inputs.len() * size);
        for row in inputs.iter() {
            match self {
                Self::Identity => values.extend_from_slice(row),
                Self::Columns { shift, scale } => {
                    let columns = row.iter().zip(shift).zip(scale);
                    values.extend(columns.map(|((x, shift), scale)| (x - shift) * scale));
                }
                Self::Standardized(map) => map.apply(row, &mut values),
                Self::Quantiles(map) => map.apply(row, &mut values),
                Self::Linear(map) => map.apply(row, &mut values),
            }
        }
        Inputs::new(values, inputs.shape())
    }

    /// Adds its nodes to an ONNX graph, before those of the model.
    pub fn onnx(&self, graph: &mut Graph, input: Node) -> Node {
        match self {
            Self::Identity => input,
            Self::Columns { shift, scale } => {
                let shift = graph.floats("align.shift", &[shift.len()], shift);
                let scale = graph.floats("align.scale", &[scale.len()], scale);
                let centred = graph.node("Sub", &[&input, &shift], &[]);
                graph.node("Mul", &[&centred, &scale], &[])
            }
            Self::Standardized(map) => map.onnx(graph, input),
            Self::Quantiles(map) => map.onnx(graph, input),
            Self::Linear(map) => map.onnx(graph, input),
        }
    }

    /// How it stands in a file: nothing for the identity.
    pub fn arrays(&self) -> Vec<Array> {
        match self {
            Self::Identity => vec![],
            Self::Columns { shift, scale } => vec![
                Array::single("align.shift", &[shift.len()], shift),
                Array::single("align.scale", &[scale.len()], scale),
            ],
            Self::Standardized(map) => map.arrays(),
            Self::Quantiles(map) => map.arrays(),
            Self::Linear(map) => map.arrays(),
        }
    }

    /// Whether older versions of the program cannot read it.
    pub fn is_recent(&self) -> bool {
        !matches!(self, Self::Identity | Self::Columns { .. })
    }

    /// What stands in a file for a model with `size` inputs.
    pub fn restore(size: usize, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        if !arrays.has("align.") {
            return Ok(Self::Identity);
        }
        if arrays.has("align.deviation") {
            return ColumnMap::restore(size, arrays).map(Self::Standardized);
        }
        if arrays.has("align.from") {
            return QuantileMap::restore(size, arrays).map(Self::Quantiles);
        }
        if arrays.has("align.matrix") {
            return LinearMap::restore(size, arrays).map(Self::Linear);
        }
        let shift = arrays.single("align.shift", &[size])?;
        let scale = arrays.single("align.scale", &[size])?;
        Ok(Self::Columns { shift, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Shape;

    #[test]
    fn columns_are_shifted_then_scaled() {
        let inputs = Inputs::new(vec![1.0, 2.0, 3.0, 4.0], Shape::Vector(2)).unwrap();
        let aligned = Aligned::columns(vec![1.0, 0.0], vec![2.0, 0.5]).unwrap();
        let moved = aligned.apply(&inputs).unwrap();
        assert_eq!(&*moved.contiguous(), [0.0, 1.0, 4.0, 2.0]);
        assert_eq!(Aligned::Identity.apply(&inputs).unwrap(), inputs);
        assert!(Aligned::columns(vec![1.0], vec![]).is_err());
        assert!(Aligned::columns(vec![f32::NAN], vec![1.0]).is_err());
        let narrow = Aligned::columns(vec![1.0], vec![1.0]).unwrap();
        assert!(narrow.apply(&inputs).is_err());
    }
}
