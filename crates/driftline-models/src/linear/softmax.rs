//! The linear softmax model for k classes, p = softmax(Wx + b), and its learner: mean cross-entropy + λ·ΣW²
//! (no ½, biases free), by mini-batch Adam as in the paper or by a full-batch solver to a tolerance.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cross_validation::CrossValidation;
use super::full_batch::{self, FullBatch, SHARE, WORTH_SHARING};
use super::kernel::{self, BLOCK, Block};
use super::margin::MarginModel;
use super::mini_batch;
use crate::classifier::mix;
use crate::loss::softmax::softmax_columns;
use crate::onnx::{self, Graph, Node};
use crate::optimizer::OptimizerMemory;
use crate::training::Training;
use crate::{AnyLearner, Arrays, Classifier, Learner, Runtime, Stored};
use driftline_core::data::{
    Examples, Fraction, Inputs, NonNegative, Positive, Probabilities, Shape,
};
use driftline_core::kernels::side_by_side;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// A solver that runs to a tolerance counts like this many passes over the data.
pub(super) const PASSES_TO_TOLERANCE: f64 = 200.0;

/// What stands beside the loss: λ·ΣW² + anchor·Σ(θ − θ_start)².
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalties {
    pub lambda: f64,
    pub anchor: f64,
}

/// Weights and biases, and the optimiser's memory where training left one.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    pub(super) shape: Shape,
    pub(super) n_classes: usize,
    /// One row of [`kernel::width`] numbers per class, then one bias per class.
    pub(super) parameters: Vec<f32>,
    pub(super) adam: Option<OptimizerMemory>,
}

/// How strongly large weights are punished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    None,
    /// λ in λ·ΣW².
    L2(NonNegative),
    /// λ chosen on the source alone.
    CrossValidated(CrossValidation),
}

/// How the minimum is sought.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    MiniBatch(Training),
    FullBatch(FullBatch),
}

/// Trains [`LinearModel`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LinearLearner {
    pub solver: Solver,
    pub penalty: Penalty,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    pub(super) runtime: Runtime,
}

impl LinearModel {
    /// All zeros: every class is equally probable.
    pub(super) fn zeros(shape: Shape, n_classes: usize) -> Self {
        Self {
            shape,
            n_classes,
            parameters: vec![0.0; n_classes * (kernel::width(shape.size()) + 1)],
            adam: None,
        }
    }

    /// A model with given weights, one row per class.
    pub fn new(shape: Shape, weights: &[Vec<f32>], biases: &[f32]) -> Result<Self> {
        let fits = weights.len() >= 2
            && weights.len() == biases.len()
            && weights.iter().all(|row| row.len() == shape.size());
        if !fits {
            return Err(Error::mismatch(
                "the weights",
                format!("at least 2 rows of {} and as many biases", shape.size()),
                format!("{} rows and {} biases", weights.len(), biases.len()),
            ));
        }
        let mut model = Self::zeros(shape, weights.len());
        let pitch = kernel::width(shape.size());
        for (row, given) in model.parameters.chunks_exact_mut(pitch).zip(weights) {
            row[..given.len()].copy_from_slice(given);
        }
        model.parameters[weights.len() * pitch..].copy_from_slice(biases);
        Ok(model)
    }

    /// The weights of one class.
    pub fn weights(&self, class: usize) -> &[f32] {
        let pitch = kernel::width(self.shape.size());
        &self.parameters[class * pitch..class * pitch + self.shape.size()]
    }

    pub fn bias(&self, class: usize) -> f32 {
        self.split().1[class]
    }

    /// Padded weights and biases.
    fn split(&self) -> (&[f32], &[f32]) {
        let pitch = kernel::width(self.shape.size());
        self.parameters.split_at(self.n_classes * pitch)
    }
}

impl Classifier for LinearModel {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The log-odds of class 1 against class 0.
    fn margin(&self) -> Option<MarginModel> {
        MarginModel::from_softmax(self)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        inputs.expect_shape(self.shape)?;
        Ok(Some(inputs.clone()))
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape)?;
        let (weights, biases) = self.split();
        let wide = kernel::widened(inputs);
        let mut values = vec![0.0; inputs.len() * self.n_classes];
        let share = |(index, values): (usize, &mut [f32])| {
            let mut columns = vec![[0.0; BLOCK]; self.n_classes];
            let outputs = values.chunks_mut(BLOCK * self.n_classes);
            for (first, output) in (index * SHARE..).step_by(BLOCK).zip(outputs) {
                let n = output.len() / self.n_classes;
                let block = Block::new(&wide, first..first + n);
                kernel::scores(&block, weights, biases, &mut columns);
                side_by_side(
                    #[inline(always)]
                    || softmax_columns(&mut columns),
                );
                for (i, row) in output.chunks_exact_mut(self.n_classes).enumerate() {
                    for (p, column) in row.iter_mut().zip(&columns) {
                        *p = column[i];
                    }
                }
            }
        };
        if inputs.len() * weights.len() < WORTH_SHARING {
            let shares = values.chunks_mut(SHARE * self.n_classes);
            shares.enumerate().for_each(share);
        } else {
            let shares = values.par_chunks_mut(SHARE * self.n_classes);
            shares.enumerate().for_each(share);
        }
        Probabilities::new(values, self.n_classes)
    }

    fn averaged(&self, other: &Self, share: Fraction) -> Result<Self> {
        if (other.shape, other.n_classes) != (self.shape, self.n_classes) {
            return Err(Error::NoWarmStart);
        }
        let mut own = self.clone();
        mix(&mut own.parameters, &other.parameters, share);
        Ok(own)
    }

    fn store(&self) -> Result<Stored> {
        Ok(self.stored())
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        Ok(onnx::linear(graph, self, input))
    }

    fn n_parameters(&self) -> usize {
        self.n_classes * (self.shape.size() + 1)
    }
}

impl LinearLearner {
    pub fn new(solver: Solver, penalty: Penalty) -> Self {
        Self {
            solver,
            penalty,
            runtime: Runtime::default(),
        }
    }

    /// The λ to train with; cross-validation happens on the examples at hand unless [`Learner::tuned`] fixed it before.
    fn lambda(&self, examples: &Examples, seed: Seed) -> Result<f64> {
        match self.penalty {
            Penalty::None => Ok(0.0),
            Penalty::L2(lambda) => Ok(lambda.get()),
            Penalty::CrossValidated(search) => {
                search.choose(examples, seed.named("folds"), &self.runtime)
            }
        }
    }

    /// The same learner with λ chosen on the source.
    pub(crate) fn with_chosen_penalty(&self, source: &Examples, seed: Seed) -> Result<Self> {
        let lambda = NonNegative::new(self.lambda(source, seed)?)?;
        Ok(Self {
            penalty: Penalty::L2(lambda),
            ..self.clone()
        })
    }

    /// Trains on from `start`, held to it by `anchor`.
    fn learn(
        &self,
        start: &LinearModel,
        examples: &Examples,
        anchor: f64,
        seed: Seed,
    ) -> Result<LinearModel> {
        examples.expect_trainable()?;
        examples.inputs().expect_shape(start.shape)?;
        if examples.n_classes() != start.n_classes {
            return Err(Error::mismatch(
                "the examples",
                start.n_classes,
                examples.n_classes(),
            ));
        }
        let lambda = self.lambda(examples, seed)?;
        match self.solver {
            Solver::MiniBatch(training) => mini_batch::train(
                start,
                examples,
                &training,
                Penalties { lambda, anchor },
                seed,
                self.runtime.cancel(),
            ),
            Solver::FullBatch(settings) => {
                let penalties = Penalties { lambda, anchor };
                full_batch::minimize(start, examples, &settings, penalties, self.runtime.cancel())
            }
        }
    }
}

impl Learner for LinearLearner {
    const KIND: &'static str = "linear";

    type Model = LinearModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<LinearModel> {
        let shape = examples.inputs().shape();
        let start = match self.solver {
            Solver::MiniBatch(_) => {
                mini_batch::initial(shape, examples.n_classes(), seed.named("init"))
            }
            Solver::FullBatch(_) => LinearModel::zeros(shape, examples.n_classes()),
        };
        self.refit(&start, examples, seed)
    }

    fn refit(&self, start: &LinearModel, examples: &Examples, seed: Seed) -> Result<LinearModel> {
        self.learn(start, examples, 0.0, seed)
    }

    fn refit_anchored(
        &self,
        start: &LinearModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<LinearModel> {
        self.learn(start, examples, anchor.get(), seed)
    }

    fn forget(&self, model: &LinearModel) -> LinearModel {
        LinearModel {
            adam: None,
            ..model.clone()
        }
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        Ok(self.with_chosen_penalty(source, seed)?.into())
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<LinearModel, String> {
        LinearModel::restored(description, arrays)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let passes = match self.solver {
            Solver::MiniBatch(training) => training.epochs.get() as f64,
            Solver::FullBatch(_) => PASSES_TO_TOLERANCE,
        };
        3.0 * (shape.size() * n_classes) as f64 * passes
    }
}
