//! Trained trees behind the inputs that every model takes: what predicts, is stored and is exported.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fold::Fold;
use super::model::Model;
use super::store::StoredTrees;
use crate::onnx::{Graph, Node};
use crate::{Array, Arrays, Classifier, Stored};
use driftline_core::Result;
use driftline_core::data::{Inputs, Layout, Probabilities, Shape};

/// Gradient-boosted trees and the columns that their inputs belong to.
#[derive(Clone, Debug)]
pub struct TreesModel {
    pub(super) input: Shape,
    pub(super) layout: Layout,
    pub(super) fold: Fold,
    pub(super) trees: Model,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    input: Shape,
    layout: Layout,
    trees: Value,
    /// How many numbers each array has.
    lengths: BTreeMap<String, usize>,
}

impl TreesModel {
    /// The trees themselves, which take columns instead of inputs.
    pub fn trees(&self) -> &Model {
        &self.trees
    }

    pub(super) fn restored(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let Description {
            input,
            layout,
            trees,
            lengths,
        } = Stored::described(description)?;
        let size = input.within_reason()?;
        let fold = Fold::new(&layout, size).map_err(|error| error.to_string())?;
        let mut words = |name: &str| -> Result<Vec<u32>, String> {
            let length = lengths.get(name).copied().unwrap_or(0);
            let bytes = length.checked_mul(4).ok_or("is too long")?;
            let bytes = arrays.bytes(&format!("learned.{name}"), bytes)?;
            let (words, _) = bytes.as_chunks();
            Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
        };
        let stored = StoredTrees {
            description: trees,
            words: read(&StoredTrees::WORDS, &mut words)?,
            singles: read(&StoredTrees::SINGLES, &mut |name| {
                Ok(words(name)?.into_iter().map(f32::from_bits).collect())
            })?,
        };
        let trees = Model::restore(&stored)?;
        arrays.expect_classes(trees.n_classes())?;
        if trees.binning().kinds() != fold.columns() {
            return Err("the trees split by other columns than the inputs make".into());
        }
        Ok(Self {
            input,
            layout,
            fold,
            trees,
        })
    }
}

type Named<T> = Vec<(&'static str, Vec<T>)>;

fn read<T>(
    names: &[&'static str],
    one: &mut dyn FnMut(&str) -> Result<Vec<T>, String>,
) -> Result<Named<T>, String> {
    let named = |&name: &&'static str| Ok((name, one(name)?));
    names.iter().map(named).collect()
}

impl Classifier for TreesModel {
    fn shape(&self) -> Shape {
        self.input
    }

    fn n_classes(&self) -> usize {
        self.trees.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.input)?;
        let values = self.trees.probabilities(&self.fold.apply(inputs))?;
        Probabilities::new(values, self.n_classes())
    }

    /// As bytes: a threshold may be infinite, and columns carry flags.
    fn store(&self) -> Result<Stored> {
        let StoredTrees {
            description,
            singles,
            words,
        } = self.trees.store();
        let singles = singles.into_iter().map(|(name, values)| {
            let bits = values.into_iter().map(f32::to_bits).collect();
            (name, bits)
        });
        let all: Named<u32> = words.into_iter().chain(singles).collect();
        let description = Description {
            input: self.input,
            layout: self.layout.clone(),
            trees: description,
            lengths: all
                .iter()
                .map(|(name, values)| (String::from(*name), values.len()))
                .collect(),
        };
        let array = |(name, values): (&str, Vec<u32>)| {
            let bytes = values.iter().flat_map(|word| word.to_le_bytes()).collect();
            Array::bytes(format!("learned.{name}"), bytes)
        };
        Ok(Stored::new(
            &description,
            all.into_iter().map(array).collect(),
        ))
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let columns = self.fold.onnx(graph, input);
        Ok(self.trees.onnx(graph, columns))
    }

    fn n_parameters(&self) -> usize {
        self.trees.n_nodes()
    }
}
