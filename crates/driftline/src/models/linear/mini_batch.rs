//! The linear softmax model trained in mini-batches with Adam, exactly as the paper's numbers were made.

use rand::RngExt;

use super::kernel::{self, BLOCK, Block, Column};
use super::softmax::LinearModel;
use crate::data::{Examples, Inputs, Shape};
use crate::models::loss::softmax::gradient_columns;
use crate::models::optimizer::AdamState;
use crate::models::training::Training;
use crate::random::Seed;

/// Glorot-uniform weights, U[−l, l] with l = √(6 / (features + classes)), and zero biases.
pub(super) fn initial(shape: Shape, n_classes: usize, seed: Seed) -> LinearModel {
    let size = shape.size();
    let limit = (6.0 / (size + n_classes) as f64).sqrt() as f32;
    let mut generator = seed.generator();
    let mut model = LinearModel::zeros(shape, n_classes);
    for row in model
        .parameters
        .chunks_exact_mut(kernel::width(size))
        .take(n_classes)
    {
        row[..size].fill_with(|| generator.random_range(-limit..=limit));
    }
    model
}

/// Trains on from `start`: weights and Adam's moments and step count are carried on.
pub(super) fn train(
    start: &LinearModel,
    examples: &Examples,
    training: &Training,
    lambda: f64,
    seed: Seed,
) -> LinearModel {
    let mut model = start.clone();
    let mut adam = model
        .adam
        .take()
        .unwrap_or_else(|| training.optimizer.fresh_state(model.parameters.len()));
    let inputs = kernel::widened(examples.inputs());
    let mut step = Step::new(&model, examples, &inputs, lambda);
    for epoch in 0..training.epochs.get() {
        let order = training.epoch_order(examples.len(), epoch, seed);
        for batch in order.chunks(training.batch_size.get()) {
            step.gradient(&model.parameters, batch);
            let update = training.optimizer.advance(&mut adam);
            let AdamState { first, second, .. } = &mut adam;
            kernel::dispatch(
                #[inline(always)]
                || update.apply(&mut model.parameters, &step.gradient, first, second),
            );
        }
    }
    model.adam = Some(adam);
    model
}

/// The data and the buffers of one gradient step, allocated once.
struct Step<'a> {
    examples: &'a Examples,
    inputs: &'a Inputs,
    n_weights: usize,
    /// First scores, then gradients with respect to them.
    scores: Vec<Column>,
    targets: Vec<Column>,
    /// Laid out like the model's parameters.
    gradient: Vec<f32>,
    double_lambda: f32,
    /// Scales the weights of the examples to mean 1.
    weight_scale: f32,
}

impl<'a> Step<'a> {
    fn new(model: &LinearModel, examples: &'a Examples, inputs: &'a Inputs, lambda: f64) -> Self {
        Self {
            examples,
            inputs,
            n_weights: model.parameters.len() - model.n_classes,
            scores: vec![[0.0; BLOCK]; model.n_classes],
            targets: vec![[0.0; BLOCK]; model.n_classes],
            gradient: vec![0.0; model.parameters.len()],
            double_lambda: (2.0 * lambda) as f32,
            weight_scale: examples.weight_scale(),
        }
    }

    /// Gradient of the batch's mean cross-entropy + λ·ΣW².
    fn gradient(&mut self, parameters: &[f32], batch: &[usize]) {
        let (weights, biases) = parameters.split_at(self.n_weights);
        let (gradient, bias_gradient) = self.gradient.split_at_mut(self.n_weights);
        for (g, w) in gradient.iter_mut().zip(weights) {
            *g = self.double_lambda * w;
        }
        bias_gradient.fill(0.0);
        let share = self.weight_scale / batch.len() as f32;
        for rows in batch.chunks(BLOCK) {
            let block = Block::new(self.inputs, rows.iter().copied());
            kernel::scores(&block, weights, biases, &mut self.scores);
            let targets = self.examples.targets();
            targets.write_columns(rows.iter().copied(), &mut self.targets);
            let mut shares = [share; BLOCK];
            if let Some(weights) = self.examples.weights() {
                for (place, &row) in shares.iter_mut().zip(rows) {
                    *place = share * weights[row];
                }
            }
            kernel::dispatch(
                #[inline(always)]
                || gradient_columns(&mut self.scores, &self.targets, &shares),
            );
            kernel::gradient(&block, &self.scores, gradient, bias_gradient);
        }
    }
}
