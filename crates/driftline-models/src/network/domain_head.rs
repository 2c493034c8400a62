//! The domain's side of gradient reversal: d = σ(w·f + b) tells source (1) from window (0) by the features f, which are what
//! the output layer reads. Its loss is −t·log d − (1−t)·log(1−d), averaged over the batch; w and b go down its gradient,
//! the features go up it: ∂/∂f is multiplied by −λ.

use super::group::{Batch, Context, Group};
use super::kernels::Pixels;
use super::program::{Program, Tensor, places};
use super::steps::Objective;
use crate::optimizer::{Optimizer, OptimizerMemory};
use driftline_core::math;

/// A linear unit on the features, trained along and thrown away afterwards.
#[derive(Clone, Debug)]
pub(super) struct DomainHead {
    /// One weight per feature, then the bias.
    pub weights: Vec<f32>,
    memory: OptimizerMemory,
}

/// The tensor that the output layer reads.
pub(super) fn features(program: &Program) -> usize {
    program.steps[program.steps.len() - 1].from
}

impl DomainHead {
    /// A unit that has not seen anything: all zeros.
    pub fn new(program: &Program, optimizer: &Optimizer) -> Self {
        let size = program.tensors[features(program)]
            .volume
            .iter()
            .product::<usize>()
            + 1;
        Self {
            weights: vec![0.0; size],
            memory: optimizer.fresh_state(size),
        }
    }

    /// ∂L/∂(w·f + b) = d − t of one image; its gradient is added to `gradient` with `share`.
    pub fn judge(
        &self,
        tensor: &Tensor,
        values: &[f32],
        image: usize,
        from_source: bool,
        share: f32,
        gradient: &mut [f32],
    ) -> f32 {
        let (weights, bias) = self.weights.split_at(self.weights.len() - 1);
        let mut score = bias[0];
        each(tensor, tensor.values.inside(image), |at, feature| {
            score += weights[feature] * values[at];
        });
        let certainty = 1.0 / (1.0 + math::exp(-score));
        let error = (certainty - f32::from(from_source)) * share;
        each(tensor, tensor.values.inside(image), |at, feature| {
            gradient[feature] += error * values[at];
        });
        gradient[weights.len()] += error;
        error
    }

    /// Adds −λ·∂L/∂f to the gradient of one image's features, where these are not cut off by a ReLU.
    pub fn reverse(
        &self,
        tensor: &Tensor,
        (values, image): (&[f32], usize),
        (deltas, delta_image): (&mut [f32], usize),
        error: f32,
        weight: f32,
    ) {
        let mut open = vec![true; self.weights.len()];
        if tensor.rectified {
            each(tensor, tensor.values.inside(image), |at, feature| {
                open[feature] = values[at] > 0.0;
            });
        }
        each(tensor, tensor.deltas.inside(delta_image), |at, feature| {
            if open[feature] {
                deltas[at] -= weight * error * self.weights[feature];
            }
        });
    }

    /// One step down the sum of the groups' gradients.
    pub fn step<'a>(&mut self, optimizer: &Optimizer, gradients: impl Iterator<Item = &'a [f32]>) {
        let mut sum = vec![0.0; self.weights.len()];
        for gradient in gradients {
            for (sum, g) in sum.iter_mut().zip(gradient) {
                *sum += g;
            }
        }
        let step = optimizer.advance(&mut self.memory);
        let OptimizerMemory { first, second, .. } = &mut self.memory;
        step.apply(&mut self.weights, &sum, first, second);
    }
}

/// Calls `f(offset, number of the feature)` for all features of one image.
fn each(tensor: &Tensor, pixels: Pixels, mut f: impl FnMut(usize, usize)) {
    let channels = tensor.volume[2];
    for (pixel, at) in places(1, tensor.volume, pixels).enumerate() {
        (0..channels).for_each(|c| f(at + c, pixel * channels + c));
    }
}

impl Group {
    /// Asks the domain head about every image of a slice, then turns its gradient against the features.
    pub(super) fn reverse(
        &mut self,
        [first, images]: [usize; 2],
        program: &Program,
        head: &DomainHead,
        weight: f32,
    ) {
        let index = features(program);
        let tensor = &program.tensors[index];
        let first_delta = if tensor.keeps_deltas { first } else { 0 };
        for image in 0..images {
            let values = (&self.values[index][..], first + image);
            let deltas = (&mut self.deltas[index][..], first_delta + image);
            let error = self.domain_errors[first + image];
            head.reverse(tensor, values, deltas, error, weight);
        }
    }

    /// How wrong the domain head is about the images of a slice, and its own gradient.
    pub(super) fn judge_domains(
        &mut self,
        [first, images]: [usize; 2],
        context: &Context,
        batch: &Batch,
    ) {
        let (Objective::Dann { source, .. }, Some(head)) = (batch.objective, context.head) else {
            return;
        };
        let index = features(context.program);
        let tensor = &context.program.tensors[index];
        self.head_gradient.resize(head.weights.len(), 0.0);
        self.domain_errors.resize(self.own_parts.len(), 0.0);
        let share = 1.0 / batch.rows.len() as f32;
        for image in first..first + images {
            let from_source = batch.rows[self.part.start + image] >= source;
            let gradient = &mut self.head_gradient;
            self.domain_errors[image] = head.judge(
                tensor,
                &self.values[index],
                image,
                from_source,
                share,
                gradient,
            );
        }
    }
}
