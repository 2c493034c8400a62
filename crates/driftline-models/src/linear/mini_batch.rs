//! The linear softmax model trained in mini-batches with Adam, exactly as the paper's numbers were made.

use rand::RngExt;

use super::kernel::{self, BLOCK, Block, Column};
use super::softmax::{LinearModel, Penalties};
use crate::loss::softmax::gradient_columns;
use crate::optimizer::OptimizerMemory;
use crate::training::Training;
use driftline_core::data::{Examples, Inputs, Shape};
use driftline_core::kernels::side_by_side;
use driftline_core::random::Seed;
use driftline_core::{Cancel, Result};

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
    penalties: Penalties,
    seed: Seed,
    cancel: &Cancel,
) -> Result<LinearModel> {
    let mut model = start.clone();
    let fresh = training.optimizer.fresh_state(model.parameters.len());
    let memory = model.adam.take().filter(|memory| memory.suits(&fresh));
    let mut adam = memory.unwrap_or(fresh);
    let inputs = kernel::widened(examples.inputs());
    let mut step = Step::new(&model, examples, &inputs, penalties.lambda);
    for epoch in 0..training.epochs.get() {
        let order = training.epoch_order(examples.len(), epoch, seed);
        for batch in order.chunks(training.batch_size.get()) {
            cancel.check()?;
            step.gradient(&model.parameters, batch);
            if penalties.anchor > 0.0 {
                let double = (2.0 * penalties.anchor) as f32;
                let held = model.parameters.iter().zip(&start.parameters);
                for (g, (p, start)) in step.gradient.iter_mut().zip(held) {
                    *g += double * (p - start);
                }
            }
            let update = training.optimizer.advance(&mut adam);
            let OptimizerMemory { first, second, .. } = &mut adam;
            side_by_side(
                #[inline(always)]
                || update.apply(&mut model.parameters, &step.gradient, first, second),
            );
        }
    }
    model.adam = Some(adam);
    Ok(model)
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
            side_by_side(
                #[inline(always)]
                || gradient_columns(&mut self.scores, &self.targets, &shares),
            );
            kernel::gradient(&block, &self.scores, gradient, bias_gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use driftline_core::data::{Labels, Targets};

    const PLAIN: Penalties = Penalties {
        lambda: 0.02,
        anchor: 0.0,
    };

    fn examples(n: usize, size: usize, n_classes: usize) -> Examples {
        let mut generator = Seed::new(2).generator();
        let labels: Vec<u32> = (0..n).map(|i| (i % n_classes) as u32).collect();
        let mut values = Vec::new();
        for &label in &labels {
            for j in 0..size {
                let centre = f32::from(j % n_classes == label as usize);
                values.push(centre + generator.random_range(-1.0_f32..1.0));
            }
        }
        let inputs = Inputs::new(values, Shape::Vector(size)).unwrap();
        let targets = Targets::Hard(Labels::new(labels, n_classes).unwrap());
        let weights = (0..n).map(|i| 1.0 + (i % 3) as f32).collect();
        Examples::new(inputs, targets)
            .unwrap()
            .with_weights(weights)
            .unwrap()
    }

    /// The plain twin: Adam on the textbook gradient, in double precision, one example after the other.
    fn textbook(
        start: &LinearModel,
        examples: &Examples,
        training: &Training,
        lambda: f64,
        seed: Seed,
    ) -> Vec<Vec<f64>> {
        let (k, size) = (start.n_classes, start.shape.size());
        let row = |c: usize| {
            start
                .weights(c)
                .iter()
                .chain([&start.parameters[start.parameters.len() - k + c]])
        };
        let mut p: Vec<Vec<f64>> = (0..k)
            .map(|c| row(c).map(|&v| f64::from(v)).collect())
            .collect();
        let (mut m, mut v) = (vec![vec![0.0; size + 1]; k], vec![vec![0.0; size + 1]; k]);
        let mut t = 0;
        let mean_weight: f64 = (0..examples.len())
            .map(|i| f64::from(examples.weight(i)))
            .sum::<f64>()
            / examples.len() as f64;
        for epoch in 0..training.epochs.get() {
            for batch in training
                .epoch_order(examples.len(), epoch, seed)
                .chunks(training.batch_size.get())
            {
                let mut g: Vec<Vec<f64>> = p
                    .iter()
                    .map(|row| row.iter().map(|w| 2.0 * lambda * w).collect())
                    .collect();
                g.iter_mut().for_each(|row| row[size] = 0.0);
                for &i in batch {
                    let x: Vec<f64> = examples
                        .inputs()
                        .row(i)
                        .iter()
                        .map(|&x| f64::from(x))
                        .chain([1.0])
                        .collect();
                    let scores: Vec<f64> = p
                        .iter()
                        .map(|row| row.iter().zip(&x).map(|(w, x)| w * x).sum())
                        .collect();
                    let sum: f64 = scores.iter().map(|s: &f64| s.exp()).sum();
                    let mut target = vec![0.0_f32; k];
                    examples.targets().write_row(i, &mut target);
                    let share = f64::from(examples.weight(i)) / mean_weight / batch.len() as f64;
                    for c in 0..k {
                        let delta = (scores[c].exp() / sum - f64::from(target[c])) * share;
                        g[c].iter_mut().zip(&x).for_each(|(g, x)| *g += delta * x);
                    }
                }
                t += 1;
                let rate = 1e-3 * (1.0 - 0.999_f64.powi(t)).sqrt() / (1.0 - 0.9_f64.powi(t));
                for c in 0..k {
                    for j in 0..=size {
                        m[c][j] = 0.9 * m[c][j] + 0.1 * g[c][j];
                        v[c][j] = 0.999 * v[c][j] + 0.001 * g[c][j] * g[c][j];
                        p[c][j] -= rate * m[c][j] / (v[c][j].sqrt() + 1e-7);
                    }
                }
            }
        }
        p
    }

    #[test]
    fn training_agrees_with_the_textbook() {
        for (size, n_classes) in [(5, 2), (40, 2), (23, 3), (100, 4)] {
            // 75 examples in batches of 32: two full ones and one of 11; 17 epochs are 51 steps.
            let examples = examples(75, size, n_classes);
            let training = Training::paper(NonZeroUsize::new(17).unwrap());
            let start = initial(Shape::Vector(size), n_classes, Seed::new(1));
            let run = Cancel::new();
            let trained = train(&start, &examples, &training, PLAIN, Seed::new(3), &run).unwrap();
            let expected = textbook(&start, &examples, &training, 0.02, Seed::new(3));
            assert_eq!(trained.adam.as_ref().unwrap().step, 51);
            for (c, expected) in expected.iter().enumerate() {
                let found = trained.weights(c).iter().copied().chain([trained.bias(c)]);
                for (found, expected) in found.zip(expected) {
                    assert!(
                        (f64::from(found) - expected).abs() < 2e-5,
                        "{found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_batch_larger_than_a_block_is_one_step() {
        let examples = examples(75, 20, 2);
        let training = Training {
            batch_size: NonZeroUsize::new(70).unwrap(),
            ..Training::paper(NonZeroUsize::new(3).unwrap())
        };
        let start = initial(Shape::Vector(20), 2, Seed::new(1));
        let run = Cancel::new();
        let trained = train(&start, &examples, &training, PLAIN, Seed::new(3), &run).unwrap();
        assert_eq!(trained.adam.as_ref().unwrap().step, 6);
        let expected = textbook(&start, &examples, &training, 0.02, Seed::new(3));
        for (found, expected) in trained.weights(1).iter().zip(&expected[1]) {
            assert!((f64::from(*found) - expected).abs() < 2e-5);
        }
    }

    #[test]
    fn initial_weights_are_glorot_uniform_and_biases_zero() {
        let model = initial(Shape::Vector(90), 10, Seed::new(0));
        let limit = (6.0_f32 / 100.0).sqrt();
        let all: Vec<f32> = (0..10).flat_map(|c| model.weights(c).to_vec()).collect();
        let largest = all.iter().fold(0.0_f32, |most, w| most.max(w.abs()));
        assert!(largest <= limit && largest > 0.95 * limit);
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((0..10).all(|c| model.bias(c) == 0.0));
        assert!(model.adam.is_none());
    }
}
