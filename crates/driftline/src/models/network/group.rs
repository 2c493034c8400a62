//! A fixed part of a batch with buffers of its own, walked in slices that stay in the second-level cache. How a batch is
//! cut depends on its size alone, never on the number of threads: that is what makes results independent of them.

use std::ops::Range;

use super::kernels::{Aligned, Isa, vectorized};
use super::phases::Phase;
use super::program::{
    Kind, Normalizer, Packed, Partial, Pass, Pixelwise, Program, Seeds, Step, gate,
};
use crate::data::Examples;
use crate::models::loss::softmax::{cross_entropy, score_gradient, softmax};
use crate::random::Seed;

/// Images that are taken through several layers together.
pub(super) const SLICE: usize = 16;
/// Groups of a large batch: as many threads can share it.
const MOST_GROUPS: usize = 8;

/// The examples of each group of a batch of `n`.
pub(super) fn cut(n: usize) -> Vec<Range<usize>> {
    let size = n.div_ceil(MOST_GROUPS).next_multiple_of(SLICE);
    (0..n)
        .step_by(size)
        .map(|first| first..n.min(first + size))
        .collect()
}

/// As many groups as any batch of up to `n` may be cut into: a smaller batch may have more of them than a larger one.
pub(super) fn most_groups(n: usize) -> usize {
    MOST_GROUPS.min(n.div_ceil(SLICE))
}

/// What all groups read during a phase.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub program: &'a Program,
    pub isa: Isa,
    pub weights: &'a [f32],
    /// Per step, the weights as the input gradient needs them.
    pub turned: &'a [Aligned],
    pub normalizers: &'a [Normalizer],
}

/// One batch of a training run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch<'a> {
    pub examples: &'a Examples,
    pub rows: &'a [usize],
    /// What an example of weight 1 counts in the batch's loss.
    pub share: f32,
    /// Dropout's seed for this epoch, or `None` where nothing is to be dropped.
    pub dropout: Option<Seed>,
    /// The place of the first row in the epoch.
    pub place: usize,
}

/// Buffers for a part of a batch.
#[derive(Debug)]
pub(super) struct Group {
    /// Its part of the current batch.
    part: Range<usize>,
    values: Vec<Aligned>,
    deltas: Vec<Aligned>,
    factors: Vec<Vec<f32>>,
    pub partials: Vec<Partial>,
    /// Gradients of all parameters, packed.
    pub gradient: Aligned,
    pub loss: f64,
    target: Vec<f32>,
}

impl Group {
    /// Room for `capacity` images, with gradients if the group is for training.
    pub fn new(program: &Program, capacity: usize, training: bool) -> Self {
        let slice = capacity.min(SLICE);
        let deltas = |(index, tensor): (usize, &super::program::Tensor)| {
            let images = if tensor.keeps_deltas { capacity } else { slice };
            let needed = training && index > 0;
            Aligned::zeros(if needed {
                images * tensor.deltas.image
            } else {
                0
            })
        };
        let factors = |step: &Step| match step.kind {
            Kind::Pixelwise(Pixelwise::Dropout { .. }) if training => {
                let size: usize = program.tensors[step.to].volume.iter().product();
                vec![1.0; capacity * size]
            }
            _ => vec![],
        };
        let partial = |(step, _)| {
            let step: &Step = &program.steps[step];
            Partial::new(program.tensors[step.to].volume[2])
        };
        Self {
            part: 0..0,
            values: (program.tensors.iter())
                .map(|tensor| Aligned::zeros(capacity * tensor.values.image))
                .collect(),
            deltas: program.tensors.iter().enumerate().map(deltas).collect(),
            factors: program.steps.iter().map(factors).collect(),
            partials: program.norms().map(partial).collect(),
            gradient: Aligned::zeros(if training { program.packed_len } else { 0 }),
            loss: 0.0,
            target: vec![0.0; program.n_classes],
        }
    }

    /// Takes over a part of the next batch.
    pub fn assign(&mut self, part: Range<usize>) {
        self.part = part;
    }

    /// Works through one phase of a training step.
    pub fn run(&mut self, phase: &Phase, context: &Context, batch: &Batch) {
        vectorized(
            context.isa,
            #[inline(always)]
            || self.work_through(phase, context, batch),
        );
    }

    #[inline(always)]
    fn work_through(&mut self, phase: &Phase, context: &Context, batch: &Batch) {
        let images = self.part.len();
        if phase.load {
            self.loss = 0.0;
        }
        for first in (0..images).step_by(SLICE) {
            let slice = [first, SLICE.min(images - first)];
            if phase.load {
                let rows = &batch.rows[self.part.start + first..][..slice[1]];
                self.load(context.program, slice, |i| {
                    batch.examples.inputs().row(rows[i])
                });
            }
            let place = batch.place + self.part.start;
            let seed = batch
                .dropout
                .map(|seed| move |layer: usize, image: usize| seed.nth(layer).nth(place + image));
            let seed = seed
                .as_ref()
                .map(|seed| seed as &dyn Fn(usize, usize) -> Seed);
            for step in phase.forward.clone() {
                self.forward(step, slice, context, seed);
            }
            if phase.loss {
                self.compare(slice, context.program, batch);
            }
            for step in phase.backward.clone().rev() {
                self.backward(step, slice, context);
            }
        }
        if let Some(step) = phase.measure {
            let (step, norm) = norm_of(context.program, step);
            let from = &context.program.tensors[step.from];
            self.partials[norm.index].measure(images, from, &self.values[step.from]);
        }
        if let Some(step) = phase.measure_gradient {
            self.measure_gradient(step, images, context);
        }
    }

    #[inline(always)]
    fn measure_gradient(&mut self, step: usize, images: usize, context: &Context) {
        let program = context.program;
        let (step, norm) = norm_of(program, step);
        let partial = &mut self.partials[norm.index];
        partial.measure_gradient(
            images,
            [&program.tensors[step.from], &program.tensors[step.to]],
            &self.values[step.from],
            &self.deltas[step.to],
            &context.normalizers[norm.index],
        );
        let mut set = |packed: &Packed, sums: &[f64]| {
            for (g, &sum) in self.gradient[packed.range()].iter_mut().zip(sums) {
                *g = sum as f32;
            }
        };
        set(&program.parameters[norm.scale], &partial.scale_gradient);
        set(&program.parameters[norm.shift], &partial.shift_gradient);
    }

    /// Copies inputs into the padded first tensor.
    #[inline(always)]
    pub fn load<'a>(
        &mut self,
        program: &Program,
        [first, images]: [usize; 2],
        row: impl Fn(usize) -> &'a [f32],
    ) {
        let tensor = &program.tensors[0];
        let [_, width, channels] = tensor.volume;
        let pixels = tensor.values.inside(first);
        for image in 0..images {
            for (y, line) in row(image).chunks_exact(width * channels).enumerate() {
                let at = pixels.origin + image * pixels.image + y * pixels.row;
                self.values[0][at..at + line.len()].copy_from_slice(line);
            }
        }
    }

    /// One step forward; dropout drops only if it has seeds, by layer and image.
    #[inline(always)]
    pub fn forward(
        &mut self,
        index: usize,
        slice: [usize; 2],
        context: &Context,
        seeds: Option<Seeds>,
    ) {
        let program = context.program;
        let step = &program.steps[index];
        let (from, to) = (&program.tensors[step.from], &program.tensors[step.to]);
        let (before, after) = self.values.split_at_mut(step.to);
        let (source, out) = (&before[step.from], &mut after[0]);
        let weights = |parameter: usize| &context.weights[program.parameters[parameter].range()];
        match &step.kind {
            Kind::Affine(affine) => {
                let (kernel, bias) = (weights(affine.kernel), weights(affine.bias));
                affine.forward(context.isa, slice, from, to, source, out, kernel, bias);
            }
            Kind::Norm(norm) => {
                let normalizer = &context.normalizers[norm.index];
                let learned = [weights(norm.scale), weights(norm.shift)];
                norm.forward(slice, from, to, source, out, normalizer, learned);
            }
            Kind::Pixelwise(kind) => {
                let pass = Pass {
                    first: slice[0],
                    images: slice[1],
                    from,
                    to,
                };
                let factors = seeds.map(|seeds| (&mut self.factors[index][..], seeds));
                kind.forward(&pass, source, out, factors);
            }
        }
    }

    /// Turns the scores into probabilities, and these into the gradient.
    #[inline(always)]
    fn compare(&mut self, [first, images]: [usize; 2], program: &Program, batch: &Batch) {
        let last = program.tensors.len() - 1;
        let tensor = &program.tensors[last];
        let first_delta = if tensor.keeps_deltas { first } else { 0 };
        for image in 0..images {
            let row = batch.rows[self.part.start + first + image];
            let at = (first_delta + image) * tensor.deltas.image;
            let delta = &mut self.deltas[last][at..at + program.n_classes];
            let at = (first + image) * tensor.values.image;
            delta.copy_from_slice(&self.values[last][at..at + program.n_classes]);
            softmax(delta);
            batch.examples.targets().write_row(row, &mut self.target);
            let share = batch.share * batch.examples.weight(row);
            self.loss += f64::from(share) * cross_entropy(delta, &self.target);
            score_gradient(delta, &self.target, share);
        }
    }

    #[inline(always)]
    fn backward(&mut self, index: usize, [first, images]: [usize; 2], context: &Context) {
        let program = context.program;
        let step = &program.steps[index];
        let (from, to) = (&program.tensors[step.from], &program.tensors[step.to]);
        // Gradients that only live within a slice begin at image 0 of their buffers.
        let place = |keeps: bool| if keeps { first } else { 0 };
        let (first_delta, first_out) = (place(to.keeps_deltas), place(from.keeps_deltas));
        let (before, after) = self.deltas.split_at_mut(step.to);
        let (out, delta) = (&mut before[step.from], &mut after[0]);
        match &step.kind {
            Kind::Affine(affine) => {
                let next = program.steps.get(index + 1).map(|next| &next.kind);
                if to.rectified && !matches!(next, Some(Kind::Affine(_))) {
                    gate(
                        [first, first_delta, images],
                        to,
                        &self.values[step.to],
                        delta,
                    );
                }
                let (kernel, bias) = (
                    program.parameters[affine.kernel],
                    program.parameters[affine.bias],
                );
                let (kernels, biases) = self.gradient.split_at_mut(bias.offset);
                affine.parameter_gradient(
                    context.isa,
                    [first, first_delta, images],
                    from,
                    to,
                    &self.values[step.from],
                    delta,
                    &mut kernels[kernel.range()],
                    &mut biases[..bias.outputs_padded],
                    first > 0,
                );
                if step.passes_gradient {
                    affine.input_gradient(
                        context.isa,
                        [first, first_delta, images],
                        first_out,
                        from,
                        to,
                        &self.values[step.from],
                        delta,
                        out,
                        &context.turned[index],
                    );
                }
            }
            Kind::Norm(norm) if step.passes_gradient => norm.backward(
                [first, first_out, images],
                from,
                to,
                &self.values[step.from],
                delta,
                out,
                &context.normalizers[norm.index],
                &context.weights[program.parameters[norm.scale].range()],
            ),
            Kind::Pixelwise(kind) if step.passes_gradient => {
                let pass = Pass {
                    first,
                    images,
                    from,
                    to,
                };
                kind.backward(
                    &pass,
                    &self.values[step.from],
                    (delta, first_delta),
                    (out, first_out),
                    &self.factors[index],
                );
            }
            Kind::Norm(_) | Kind::Pixelwise(_) => {}
        }
    }

    /// The scores of image `index`.
    pub fn scores(&self, program: &Program, index: usize) -> &[f32] {
        let last = program.tensors.len() - 1;
        let at = index * program.tensors[last].values.image;
        &self.values[last][at..at + program.n_classes]
    }
}

pub(super) fn norm_of(program: &Program, step: usize) -> (&Step, &super::program::Norm) {
    let step = &program.steps[step];
    match &step.kind {
        Kind::Norm(norm) => (step, norm),
        _ => unreachable!("phases end at batch norms"),
    }
}
