//! A fixed part of a batch with buffers of its own, walked in slices that stay in the second-level cache. How a batch is
//! cut depends on its size alone, never on the number of threads: that is what makes results independent of them.

use std::ops::Range;

use super::domain_head::DomainHead;
use super::kernels::{Aligned, Isa, vectorized};
use super::phases::Phase;
use super::program::{
    Kind, Normalizer, Packed, Partial, Pass, Pixelwise, Program, Residual, Seeds, Step, carry,
    gate, places,
};
use super::steps::Objective;
use super::variation::Variation;
use crate::loss::softmax::{cross_entropy, entropy_gradient, score_gradient, softmax};
use driftline_core::data::Examples;
use driftline_core::random::Seed;

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
    /// What tells domains apart, where gradients are reversed.
    pub head: Option<&'a DomainHead>,
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
    /// How inputs are varied, if they are.
    pub variation: Option<Variation>,
    pub pass: PassKind,
    pub objective: Objective,
}

/// What one pass over a batch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassKind {
    Plain,
    /// The gradient with respect to the inputs is wanted too.
    WithInputGradient,
    /// The inputs are already there, moved against the network.
    OnMovedInputs,
}

/// Buffers for a part of a batch.
#[derive(Debug)]
pub(super) struct Group {
    /// Its part of the current batch.
    pub(super) part: Range<usize>,
    pub(super) values: Vec<Aligned>,
    pub(super) deltas: Vec<Aligned>,
    factors: Vec<Vec<f32>>,
    pub partials: Vec<Partial>,
    /// Gradients of all parameters, packed.
    pub gradient: Aligned,
    pub loss: f64,
    target: Vec<f32>,
    /// Per image of the part, how much of itself an example keeps when examples are mixed.
    pub(super) own_parts: Vec<f32>,
    /// Two images without padding, and one distribution, to vary inputs in.
    pub(super) scratch: [Vec<f32>; 3],
    /// Gradients with respect to the inputs, laid out like them; empty unless they are wanted.
    pub input_gradient: Vec<f32>,
    /// Of the domain head, and per image the error of its score; empty without one.
    pub head_gradient: Vec<f32>,
    pub(super) domain_errors: Vec<f32>,
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
            own_parts: vec![1.0; if training { capacity } else { 0 }],
            scratch: Default::default(),
            input_gradient: vec![],
            head_gradient: vec![],
            domain_errors: vec![],
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
            self.head_gradient.clear();
        }
        for first in (0..images).step_by(SLICE) {
            let slice = [first, SLICE.min(images - first)];
            match batch.variation {
                _ if !phase.load || batch.pass == PassKind::OnMovedInputs => {}
                Some(variation) => self.load_varied(context.program, slice, batch, &variation),
                None => {
                    let rows = &batch.rows[self.part.start + first..][..slice[1]];
                    self.load(context.program, slice, |i| {
                        batch.examples.inputs().row(rows[i])
                    });
                }
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
                self.compare(slice, context, batch);
                self.judge_domains(slice, context, batch);
            }
            for step in phase.backward.clone().rev() {
                self.backward(step, slice, context);
                if let (Objective::Dann { weight, .. }, Some(head)) =
                    (batch.objective, context.head)
                    && step + 1 == context.program.steps.len()
                {
                    self.reverse(slice, context.program, head, weight);
                }
                if step == 0 && batch.pass == PassKind::WithInputGradient {
                    self.differentiate_inputs(slice, context);
                }
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
            Kind::Residual(residual) => {
                let [first, images] = slice;
                let there = to.values.inside(first);
                let own = (&source[..], from.values.inside(first));
                carry(images, to.volume, own, (&mut out[..], there), false);
                if let Residual::Add { skip, .. } = *residual {
                    let skipped = program.tensors[skip].values.inside(first);
                    let other = (&before[skip][..], skipped);
                    carry(images, to.volume, other, (&mut out[..], there), true);
                }
            }
        }
    }

    /// Turns the scores into probabilities, and these into the gradient.
    #[inline(always)]
    fn compare(&mut self, [first, images]: [usize; 2], context: &Context, batch: &Batch) {
        let program = context.program;
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
            if batch.objective == Objective::Entropy {
                self.loss += f64::from(batch.share) * entropy_gradient(delta, batch.share);
                continue;
            }
            if let Objective::Dann { source, .. } = batch.objective
                && row < source
            {
                delta.fill(0.0);
                continue;
            }
            batch.examples.targets().write_row(row, &mut self.target);
            if batch.variation.is_some_and(|variation| variation.mixes()) {
                let other = &mut self.scratch[2];
                other.resize(program.n_classes, 0.0);
                let partner = batch.rows.len() - 1 - (self.part.start + first + image);
                batch
                    .examples
                    .targets()
                    .write_row(batch.rows[partner], other);
                let part = self.own_parts[first + image];
                for (own, other) in self.target.iter_mut().zip(other) {
                    *own = part * *own + (1.0 - part) * *other;
                }
            }
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
            Kind::Residual(residual) if step.passes_gradient => {
                // What was remembered has its gradient from the `add` already.
                let adding = matches!(residual, Residual::Copy);
                let deltas = (&delta[..], to.deltas.inside(first_delta));
                let there = from.deltas.inside(first_out);
                carry(images, to.volume, deltas, (&mut out[..], there), adding);
                if let Residual::Add { skip, passes: true } = *residual {
                    let there = program.tensors[skip].deltas.inside(first);
                    carry(
                        images,
                        to.volume,
                        deltas,
                        (&mut before[skip][..], there),
                        false,
                    );
                }
            }
            Kind::Norm(_) | Kind::Pixelwise(_) | Kind::Residual(_) => {}
        }
    }

    /// The scores of image `index`.
    pub fn scores(&self, program: &Program, index: usize) -> &[f32] {
        let last = program.tensors.len() - 1;
        let at = index * program.tensors[last].values.image;
        &self.values[last][at..at + program.n_classes]
    }

    /// What the last step reads of image `index`: pixel after pixel, without borders.
    #[inline(always)]
    pub fn features(&self, program: &Program, index: usize, out: &mut [f32]) {
        let from = super::domain_head::features(program);
        let tensor = &program.tensors[from];
        let channels = tensor.volume[2];
        let places = places(1, tensor.volume, tensor.values.inside(index));
        for (at, out) in places.zip(out.chunks_exact_mut(channels)) {
            out.copy_from_slice(&self.values[from][at..at + channels]);
        }
    }
}

pub(super) fn norm_of(program: &Program, step: usize) -> (&Step, &super::program::Norm) {
    let step = &program.steps[step];
    match &step.kind {
        Kind::Norm(norm) => (step, norm),
        _ => unreachable!("phases end at batch norms"),
    }
}
