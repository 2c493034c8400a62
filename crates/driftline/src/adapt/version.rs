//! One version of the adapted model: what predicts between two windows, and what the next step needs to remember.

use std::collections::BTreeMap;

use super::alignment::Aligned;
use crate::data::{Inputs, Labels, Probabilities, Shape};
use crate::models::linear::MarginModel;
use crate::models::{AnyModel, Array, Arrays, Classifier};
use crate::{Error, Result};

/// The model after so many windows; 0 is the source model. As a classifier it takes inputs as they arrive.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Version {
    pub number: usize,
    /// How inputs are brought into the model's frame.
    pub alignment: Aligned,
    pub model: AnyModel,
    /// What the labeler wants to know when the next window comes.
    pub labeler: State,
}

/// Named arrays that only their owner understands; stored with a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    arrays: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
}

/// Where earlier versions are found: a policy may go back to one.
pub trait Archive {
    fn version(&self, number: usize) -> Result<Version>;
}

impl Version {
    /// The model as the source left it.
    pub fn source(model: AnyModel) -> Self {
        Self {
            number: 0,
            alignment: Aligned::Identity,
            model,
            labeler: State::default(),
        }
    }

    /// The same under another number.
    pub fn numbered(&self, number: usize) -> Self {
        Self {
            number,
            ..self.clone()
        }
    }
}

impl Classifier for Version {
    fn shape(&self) -> Shape {
        self.model.shape()
    }

    fn n_classes(&self) -> usize {
        self.model.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.model.probabilities(&self.alignment.apply(inputs)?)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.model.assess(&self.alignment.apply(inputs)?)
    }

    fn margin(&self) -> Option<MarginModel> {
        self.model
            .margin()
            .filter(|_| self.alignment == Aligned::Identity)
    }
}

impl State {
    /// Keeps an array of finite numbers under a name; `dimensions` multiply to the number of `values`.
    pub fn set(&mut self, name: &str, dimensions: &[usize], values: Vec<f32>) -> Result<()> {
        if dimensions.iter().product::<usize>() != values.len() {
            return Err(Error::mismatch(
                format!("the array `{name}`"),
                format!("{dimensions:?} numbers"),
                values.len(),
            ));
        }
        // What is not finite would be refused when it is read again.
        if let Some(bad) = values.iter().find(|value| !value.is_finite()) {
            let what = format!("a number of the array `{name}`");
            return Err(Error::out_of_range(what, bad, "finite"));
        }
        self.arrays
            .insert(name.into(), (dimensions.to_vec(), values));
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<(&[usize], &[f32])> {
        let (dimensions, values) = self.arrays.get(name)?;
        Some((dimensions, values))
    }

    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// The arrays as they are stored, their names behind `prefix`.
    pub(crate) fn arrays(&self, prefix: &str) -> Vec<Array> {
        let arrays = self.arrays.iter();
        arrays
            .map(|(name, (dimensions, values))| {
                Array::single(format!("{prefix}{name}"), dimensions, values)
            })
            .collect()
    }

    pub(crate) fn restore(prefix: &str, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let own = arrays.all_single(prefix)?.into_iter();
        Ok(Self {
            arrays: own
                .map(|(name, dimensions, values)| (name, (dimensions, values)))
                .collect(),
        })
    }
}

/// Everything since the source, in order.
impl Archive for Vec<Version> {
    fn version(&self, number: usize) -> Result<Version> {
        let found = self.iter().find(|version| version.number == number);
        found.cloned().ok_or_else(|| {
            let newest = self.last().map_or(0, |version| version.number);
            Error::out_of_range(
                "the version",
                number,
                format!("from 0 (the source model) to {newest}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_holds_what_can_be_read_again() {
        let mut state = State::default();
        assert!(state.set("a", &[2, 2], vec![0.0; 3]).is_err());
        for bad in [f32::NAN, f32::INFINITY] {
            assert!(state.set("a", &[1], vec![bad]).is_err());
        }
        assert!(state.is_empty());
        state.set("a", &[1, 2], vec![1.0, -0.0]).unwrap();
        assert_eq!(state.get("a"), Some((&[1, 2][..], &[1.0, -0.0][..])));
        assert_eq!(state.get("b"), None);
    }
}
