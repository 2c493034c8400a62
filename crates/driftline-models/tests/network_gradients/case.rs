//! A network with a batch: its loss and gradients by the plain reference, by the fast program, and by differences.

use super::reference::{ReferenceBatch, ReferenceResult, loss_and_gradient};
use driftline_core::data::{Examples, Inputs, Probabilities, Shape, Targets};
use driftline_core::random::Seed;
use driftline_models::Runtime;
use driftline_models::network::layers::Layer;
use driftline_models::network::{Architecture, Blueprint, Isa, Network};
use rand::RngExt;

use super::{available, size};

/// A network with random weights and a batch with random inputs, soft targets and weights.
pub struct Case {
    pub network: Network,
    pub examples: Examples,
}

impl Case {
    pub fn new(layers: Vec<Layer>, shape: Shape, n_classes: usize, n: usize, seed: u64) -> Self {
        let mut generator = Seed::new(seed).generator();
        let blueprint = Architecture { layers }.build(shape, n_classes).unwrap();
        let mut draw = |n: usize, limit: f32| -> Vec<f32> {
            (0..n)
                .map(|_| generator.random_range(-limit..limit))
                .collect()
        };
        // Biases and batch-norm scales away from their usual starts, where mistakes could hide.
        let start = Network::initial(blueprint.clone(), Seed::new(seed)).unwrap();
        let tensors = start.tensors();
        let weights = tensors.iter().flat_map(|tensor| {
            let moved = match tensor.dimensions.len() {
                1 => draw(tensor.values.len(), 0.3),
                _ => vec![0.0; tensor.values.len()],
            };
            tensor
                .values
                .iter()
                .zip(moved)
                .map(|(w, m)| w + m)
                .collect::<Vec<f32>>()
        });
        let weights = weights.collect();
        let inputs = Inputs::new(draw(n * shape.size(), 1.0), shape).unwrap();
        let mut targets: Vec<f32> = draw(n * n_classes, 0.5).iter().map(|v| v + 0.6).collect();
        for row in targets.chunks_exact_mut(n_classes) {
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|t| *t /= sum);
        }
        let example_weights = draw(n, 0.5).iter().map(|v| v + 1.0).collect();
        let targets = Targets::Soft(Probabilities::new(targets, n_classes).unwrap());
        Self {
            network: Network::new(blueprint, weights).unwrap(),
            examples: Examples::new(inputs, targets)
                .unwrap()
                .with_weights(example_weights)
                .unwrap(),
        }
    }

    pub fn blueprint(&self) -> &Blueprint {
        self.network.blueprint()
    }

    pub fn weights(&self) -> Vec<f64> {
        let tensors = self.network.tensors();
        let values = tensors.iter().flat_map(|tensor| tensor.values);
        values.map(|&w| f64::from(w)).collect()
    }

    /// Loss and gradient of the plain reference at `weights`.
    pub fn reference(&self, weights: &[f64]) -> (f64, Vec<f64>) {
        let result = self.whole_reference(weights, None);
        (result.loss, result.gradient)
    }

    /// The same with one input number moved, if one is given.
    pub fn whole_reference(
        &self,
        weights: &[f64],
        moved: Option<(usize, usize, f64)>,
    ) -> ReferenceResult {
        let n = self.examples.len();
        let wide = |row: &[f32]| row.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
        let mut target = vec![0.0; self.examples.n_classes()];
        let targets: Vec<Vec<f64>> = (0..n)
            .map(|row| {
                self.examples.targets().write_row(row, &mut target);
                wide(&target)
            })
            .collect();
        let scale = f64::from(self.examples.weight_scale()) / n as f64;
        let shares: Vec<f64> = (0..n)
            .map(|row| scale * f64::from(self.examples.weight(row)))
            .collect();
        let mut inputs: Vec<Vec<f64>> = self.examples.inputs().iter().map(wide).collect();
        if let Some((row, at, by)) = moved {
            inputs[row][at] += by;
        }
        let batch = ReferenceBatch {
            inputs: &inputs,
            targets: &targets,
            shares: &shares,
            factors: &[],
        };
        loss_and_gradient(self.blueprint(), weights, &batch)
    }

    pub fn fast(&self, isa: Isa, threads: usize) -> (f64, Vec<f32>) {
        let runtime = Runtime::default().with_isa(isa).with_threads(size(threads));
        let network = self.network.clone();
        let network = network.with_runtime(&runtime).unwrap();
        network.loss_and_gradient(&self.examples).unwrap()
    }

    /// ‖a − b‖ ≤ tolerance·‖b‖ for every tensor, against the reference.
    pub fn check_fast(&self) {
        let (loss, reference) = self.reference(&self.weights());
        for isa in available() {
            let (fast_loss, fast) = self.fast(isa, 1);
            assert!(
                (fast_loss - loss).abs() <= 1e-5 * loss.abs(),
                "{isa}: {fast_loss} {loss}"
            );
            let mut at = 0;
            for tensor in self.network.tensors() {
                let range = at..at + tensor.values.len();
                at = range.end;
                let (a, b) = (&fast[range.clone()], &reference[range]);
                let apart: f64 = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| (f64::from(*a) - b).powi(2))
                    .sum();
                let norm: f64 = b.iter().map(|b| b * b).sum();
                assert!(
                    apart.sqrt() <= 1e-5 * norm.sqrt() + 2e-6,
                    "{isa} {}: {} of {}",
                    tensor.name,
                    apart.sqrt(),
                    norm.sqrt()
                );
            }
        }
    }

    /// The reference's gradient against central differences, at up to `most` weights of each tensor.
    pub fn check_reference(&self, most: usize) {
        let weights = self.weights();
        let (_, gradient) = self.reference(&weights);
        let mut start = 0;
        for tensor in self.network.tensors() {
            let n = tensor.values.len();
            for at in (0..n).step_by(n.div_ceil(most)).map(|at| start + at) {
                let step = 1e-5;
                let loss = |change: f64| {
                    let mut moved = weights.clone();
                    moved[at] += change;
                    self.reference(&moved).0
                };
                let slope = (loss(step) - loss(-step)) / (2.0 * step);
                assert!(
                    (slope - gradient[at]).abs() <= 1e-6 + 1e-5 * gradient[at].abs(),
                    "{} [{}]: {slope} {}",
                    tensor.name,
                    at - start,
                    gradient[at]
                );
            }
            start += n;
        }
    }
}
