//! Classifiers and how they learn. Two short traits; every model of the library and of its users implements them.

mod any;
mod arrays;
mod augmentation;
pub mod frozen;
pub mod gradients;
mod kinds;
pub mod linear;
pub mod loss;
pub mod neighbours;
pub mod network;
pub mod onnx;
pub mod optimizer;
mod preset;
mod runtime;
pub mod training;
mod validation;

pub use any::{AnyLearner, AnyModel, DynLearner, Model, NamedLearner, Stored};
pub(crate) use arrays::write as write_arrays;
pub use arrays::{Array, Arrays};
pub use augmentation::Augmentation;
pub use kinds::ModelKinds;
pub use preset::Preset;
pub use runtime::Runtime;
pub use validation::Validation;
pub(crate) use validation::validate;

use crate::data::{Examples, Inputs, Labels, Positive, Probabilities, Shape};
use crate::random::Seed;
use crate::{Error, Result};

/// Anything that gives class probabilities.
pub trait Classifier: Send + Sync {
    /// The shape of one input.
    fn shape(&self) -> Shape;

    fn n_classes(&self) -> usize;

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities>;

    /// Probabilities and the classes decided on, from one pass over the inputs.
    ///
    /// The default decides by argmax, ties to the first class. Margin models override it: they decide by the sign of
    /// the score, which a rounded probability would lose.
    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        let probabilities = self.probabilities(inputs)?;
        Ok((probabilities.argmax(), probabilities))
    }

    /// What the last layer makes its scores from, one vector for each input: the inputs themselves for linear models, the
    /// activations before the output for networks, nothing for models that have no such thing.
    fn features(&self, _inputs: &Inputs) -> Result<Option<Inputs>> {
        Ok(None)
    }

    /// Whether inputs of this shape are taken: those of the model, and its features where only a head learns.
    fn takes(&self, shape: Shape) -> bool {
        shape == self.shape()
    }

    /// The model as one linear score of two classes, if it is one: what the theory speaks of.
    fn margin(&self) -> Option<linear::MarginModel> {
        None
    }

    fn predict(&self, inputs: &Inputs) -> Result<Labels> {
        Ok(self.assess(inputs)?.0)
    }
}

impl<C: Classifier + ?Sized> Classifier for &C {
    fn shape(&self) -> Shape {
        (**self).shape()
    }

    fn n_classes(&self) -> usize {
        (**self).n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        (**self).probabilities(inputs)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        (**self).assess(inputs)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        (**self).features(inputs)
    }

    fn takes(&self, shape: Shape) -> bool {
        (**self).takes(shape)
    }

    fn margin(&self) -> Option<linear::MarginModel> {
        (**self).margin()
    }
}

/// A way to train classifiers. All randomness comes from the seed: same examples and same seed, same bytes.
pub trait Learner: Clone + Send + Sync {
    type Model: Classifier + Clone;

    /// Trains a new model.
    fn fit(&self, examples: &Examples, seed: Seed) -> Result<Self::Model>;

    /// Trains on from `start`, whose optimiser state (if it has one) is carried on.
    fn refit(&self, start: &Self::Model, examples: &Examples, seed: Seed) -> Result<Self::Model>;

    /// The same, held to `start`: the loss gains anchor·‖θ − θ_start‖² over all weights and biases.
    fn refit_anchored(
        &self,
        _start: &Self::Model,
        _examples: &Examples,
        _anchor: Positive,
        _seed: Seed,
    ) -> Result<Self::Model> {
        Err(Error::NotSupported {
            what: "a model of this kind".into(),
            how: "anchored to the last weights".into(),
        })
    }

    /// The same model with the optimiser's memory cleared.
    fn forget(&self, model: &Self::Model) -> Self::Model {
        model.clone()
    }

    /// This learner with every setting that is chosen by looking at data chosen on the labelled source, once and for
    /// all: pseudo-labels never decide a setting.
    fn tuned(&self, _source: &Examples, _seed: Seed) -> Result<Self> {
        Ok(self.clone())
    }

    /// The same learner, computing in another way: threads, instruction set, a token to stop by.
    fn with_runtime(self, _runtime: &Runtime) -> Self {
        self
    }
}
