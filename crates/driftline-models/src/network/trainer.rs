//! Gradients and updates: the groups of a batch go through the phases of a step together, their sums are combined in a
//! fixed order, and one pass over the parameters moves them.

use super::architecture::Blueprint;
use super::domain_head::DomainHead;
use super::group::{Batch, Context, Group, PassKind, cut, most_groups, norm_of};
use super::kernels::{Aligned, FlushDenormals, Team, vectorized};
use super::model::State;
use super::phases::{Phase, phases};
use super::program::{
    Kind, Normalizer, Packed, Partial, Program, Step, pack_all, turn, unpack_all,
};
use crate::Runtime;
use crate::optimizer::{Optimizer, OptimizerMemory};
use crate::training::Training;
use driftline_core::{Error, Result};

/// A step of fewer products, forward and backward, is done before a second thread has begun.
const WORTH_SHARING: usize = 2_000_000;
/// Parameters that one member of the team moves at a time.
const CHUNK: usize = 4096;

/// A network in training.
#[derive(Debug)]
pub(super) struct Trainer {
    program: Program,
    phases: Vec<Phase>,
    runtime: Runtime,
    team: Team,
    groups: Vec<Group>,
    normalizers: Vec<Normalizer>,
    weights: Aligned,
    /// Per step, the kernel as the input gradient needs it.
    turned: Vec<Aligned>,
    gradient: Aligned,
    first: Aligned,
    second: Aligned,
    /// The weights before a sharpness-aware step climbed away from them; empty without.
    saved: Aligned,
    /// The weights that training is held to, and how strongly; empty without.
    anchor: Aligned,
    anchor_strength: f32,
    /// Moving means and variances of every batch norm, one after another.
    kept: Vec<f64>,
    /// Running averages of the weights and of `kept`; empty without.
    averaged: (Aligned, Vec<f64>),
    /// What tells domains apart, where gradients are reversed.
    head: Option<DomainHead>,
    /// Instead of the batch norms' own.
    momentum: Option<f64>,
    training: Training,
    memory: OptimizerMemory,
    _flush: FlushDenormals,
}

/// A stretch of all parameters with what its update needs.
struct Chunk<'a> {
    start: usize,
    weights: &'a mut [f32],
    gradient: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    saved: &'a [f32],
    anchor: &'a [f32],
    /// Σ g² of the stretch.
    squares: f64,
}

impl Trainer {
    /// Continues from `state` with batches of up to `batch` examples.
    pub fn new(
        blueprint: &Blueprint,
        state: &State,
        training: &Training,
        batch: usize,
        runtime: Runtime,
    ) -> Result<Self> {
        let program = Program::compile(blueprint);
        if training.adversarial.is_some() && !matches!(program.steps[0].kind, Kind::Affine(_)) {
            return Err(Error::out_of_range(
                "`adversarial`",
                "on",
                "off for a network that begins with neither a convolution nor a dense layer",
            ));
        }
        let n_groups = most_groups(batch);
        let capacity = cut(batch).iter().map(|part| part.len()).max().unwrap_or(0);
        let packed = |plain: &[f32]| {
            let mut packed = Aligned::zeros(program.packed_len);
            pack_all(&program.parameters, plain, &mut packed);
            packed
        };
        let fresh = training.optimizer.fresh_state(state.weights.len());
        let memory = state.memory.as_ref().filter(|memory| memory.suits(&fresh));
        let memory = memory.unwrap_or(&fresh);
        let turned = |step: &Step| match &step.kind {
            Kind::Affine(affine) => {
                affine.fresh_turned(&program.tensors[step.from], &program.tensors[step.to])
            }
            _ => Aligned::zeros(0),
        };
        let mut trainer = Self {
            phases: phases(&program),
            team: Team::new(match 3 * batch * program.products() < WORTH_SHARING {
                true => 1,
                false => runtime.threads().get().min(n_groups),
            }),
            groups: (0..n_groups)
                .map(|_| Group::new(&program, capacity, true))
                .collect(),
            normalizers: program.norms().map(|_| Normalizer::default()).collect(),
            weights: packed(&state.weights),
            turned: program.steps.iter().map(turned).collect(),
            gradient: Aligned::zeros(program.packed_len),
            first: packed(&memory.first),
            second: match memory.second.is_empty() {
                true => Aligned::zeros(0),
                false => packed(&memory.second),
            },
            saved: Aligned::zeros(0),
            anchor: Aligned::zeros(0),
            anchor_strength: 0.0,
            kept: state.kept.iter().map(|&value| f64::from(value)).collect(),
            averaged: (Aligned::zeros(0), vec![]),
            head: None,
            momentum: None,
            training: *training,
            memory: OptimizerMemory {
                step: memory.step,
                first: vec![],
                second: vec![],
            },
            program,
            runtime,
            _flush: FlushDenormals::begin(),
        };
        trainer.turn_weights();
        if training.average.is_some() {
            trainer.averaged = (trainer.weights.clone(), trainer.kept.clone());
        }
        Ok(trainer)
    }

    /// Holds training to the weights as they are now: the loss gains strength·‖θ − θ_now‖².
    pub fn anchor(&mut self, strength: f64) {
        self.anchor = self.weights.clone();
        self.anchor_strength = strength as f32;
    }

    /// One step of training; returns the loss of the batch, penalties included, before it.
    pub fn step(&mut self, batch: &Batch, optimizer: &Optimizer) -> f64 {
        let n = batch.rows.len();
        let mut batch = *batch;
        if self.training.adversarial.is_some() {
            batch.pass = PassKind::WithInputGradient;
        }
        let loss = self.backpropagate(&batch, true) + self.penalty();
        if let Some(radius) = self.training.adversarial {
            let program = &self.program;
            self.team
                .for_each(&mut self.groups[..cut(n).len()], |_, group| {
                    group.move_inputs(program, radius.get() as f32);
                });
            batch.pass = PassKind::OnMovedInputs;
            self.backpropagate(&batch, false);
        }
        if let Some(radius) = self.training.sharpness {
            self.climb(n, radius.get());
            self.backpropagate(&batch, false);
        }
        if let Some(head) = &mut self.head {
            let groups = &self.groups[..cut(n).len()];
            head.step(
                optimizer,
                groups.iter().map(|group| &group.head_gradient[..]),
            );
        }
        let update = optimizer.advance(&mut self.memory);
        let double = 2.0 * self.anchor_strength;
        self.each_chunk(
            Some(n),
            #[inline(always)]
            |chunk| {
                if !chunk.saved.is_empty() {
                    chunk.weights.copy_from_slice(chunk.saved);
                }
                let held = chunk.weights.iter().zip(chunk.anchor);
                for (g, (w, anchor)) in chunk.gradient.iter_mut().zip(held) {
                    *g += double * (w - anchor);
                }
                update.apply(chunk.weights, chunk.gradient, chunk.first, chunk.second);
            },
        );
        self.turn_weights();
        self.take_average();
        loss
    }

    /// Trains a domain head along from now on.
    pub fn tell_domains_apart(&mut self) -> Result<()> {
        let last = &self.program.steps[self.program.steps.len() - 1];
        if !last.passes_gradient {
            return Err(Error::mismatch(
                "`steps.reversal`",
                "a network with layers before its output",
                "one without",
            ));
        }
        self.head = Some(DomainHead::new(&self.program, &self.training.optimizer));
        Ok(())
    }

    /// Batch norms take in the batch as the `number`th of equals (from 0): afterwards they keep the means over all.
    pub fn survey(&mut self, batch: &Batch, number: usize) {
        self.momentum = Some(number as f64 / (number + 1) as f64);
        self.backpropagate(batch, true);
        self.momentum = None;
    }

    /// A step that moves nothing but scales and shifts of batch norms.
    pub fn step_norms(&mut self, batch: &Batch, optimizer: &Optimizer) -> f64 {
        let loss = self.backpropagate(batch, true);
        self.each_chunk(Some(batch.rows.len()), |_| {});
        let update = optimizer.advance(&mut self.memory);
        for (_, norm) in self.program.norms() {
            for parameter in [norm.scale, norm.shift] {
                let own = self.program.parameters[parameter].range();
                let second = match self.second.is_empty() {
                    true => &mut self.second[..],
                    false => &mut self.second[own.clone()],
                };
                update.apply(
                    &mut self.weights[own.clone()],
                    &self.gradient[own.clone()],
                    &mut self.first[own],
                    second,
                );
            }
        }
        self.turn_weights();
        loss
    }

    /// w̄ ← d·w̄ + (1 − d)·w, and so for what batch norms keep.
    fn take_average(&mut self) {
        let Some(decay) = self.training.average else {
            return;
        };
        let rest = 1.0 - decay.get();
        let (weights, kept) = &mut self.averaged;
        vectorized(
            self.runtime.isa,
            #[inline(always)]
            || {
                for (mean, w) in weights.iter_mut().zip(self.weights.iter()) {
                    *mean += rest as f32 * (w - *mean);
                }
            },
        );
        for (mean, value) in kept.iter_mut().zip(&self.kept) {
            *mean += rest * (value - *mean);
        }
    }

    /// The loss of a batch, penalties included, and its gradient, tensor after tensor; nothing moves.
    pub fn loss_and_gradient(&mut self, batch: &Batch) -> (f64, Vec<f32>) {
        let loss = self.backpropagate(batch, false) + self.penalty();
        self.each_chunk(Some(batch.rows.len()), |_| {});
        (loss, self.unpacked(&self.gradient))
    }

    /// The gradient of a batch's loss with respect to its inputs, example after example; nothing moves.
    pub fn input_gradient(&mut self, batch: &Batch) -> Vec<f32> {
        self.backpropagate(batch, false);
        let groups = &self.groups[..cut(batch.rows.len()).len()];
        groups
            .iter()
            .flat_map(|group| group.plain_input_gradient(&self.program))
            .collect()
    }

    /// What the network is now.
    pub fn state(&self) -> State {
        let (weights, kept) = match self.training.average {
            Some(_) => (&self.averaged.0, &self.averaged.1),
            None => (&self.weights, &self.kept),
        };
        State {
            weights: self.unpacked(weights),
            kept: kept.iter().map(|&value| value as f32).collect(),
            memory: Some(OptimizerMemory {
                first: self.unpacked(&self.first),
                second: match self.second.is_empty() {
                    true => vec![],
                    false => self.unpacked(&self.second),
                },
                step: self.memory.step,
            }),
        }
    }

    fn unpacked(&self, packed: &[f32]) -> Vec<f32> {
        let n = self.program.parameters.iter().map(Packed::len).sum();
        let mut plain = vec![0.0; n];
        unpack_all(&self.program.parameters, packed, &mut plain);
        plain
    }

    /// Goes through all phases; leaves the gradient of each group with it. `moving` says whether the moving averages
    /// of batch norms take the batch in.
    fn backpropagate(&mut self, batch: &Batch, moving: bool) -> f64 {
        let parts = cut(batch.rows.len());
        let active = parts.len();
        for (group, part) in self.groups.iter_mut().zip(parts) {
            group.assign(part);
        }
        for phase in &self.phases {
            let context = Context {
                program: &self.program,
                isa: self.runtime.isa,
                weights: &self.weights,
                turned: &self.turned,
                normalizers: &self.normalizers,
                head: self.head.as_ref(),
            };
            let groups = &mut self.groups[..active];
            self.team
                .for_each(groups, |_, group| group.run(phase, &context, batch));
            let parts = |norm: usize| -> Vec<&Partial> {
                groups.iter().map(|group| &group.partials[norm]).collect()
            };
            if let Some(step) = phase.measure {
                let (_, norm) = norm_of(&self.program, step);
                let normalizer = &mut self.normalizers[norm.index];
                let seen = norm.combine(&parts(norm.index), normalizer);
                if moving {
                    let kept = &mut self.kept[self.program.kept_range(norm.index)];
                    norm.take_in(&seen, kept, self.momentum);
                }
            }
            if let Some(step) = phase.measure_gradient {
                let (_, norm) = norm_of(&self.program, step);
                norm.combine_gradient(&parts(norm.index), &mut self.normalizers[norm.index]);
            }
        }
        self.groups[..active].iter().map(|group| group.loss).sum()
    }

    /// Sharpness-aware minimisation: p ← p + ρ·g/‖g‖, the old weights being kept.
    fn climb(&mut self, n: usize, radius: f64) {
        let squares = self.each_chunk(Some(n), |chunk| {
            let square = |&g: &f32| f64::from(g) * f64::from(g);
            chunk.squares = chunk.gradient.iter().map(square).sum();
        });
        self.saved = self.weights.clone();
        if squares > 0.0 {
            let scale = (radius / squares.sqrt()) as f32;
            self.each_chunk(None, |chunk| {
                for (w, g) in chunk.weights.iter_mut().zip(&*chunk.gradient) {
                    *w += scale * g;
                }
            });
        }
        self.turn_weights();
    }

    /// Calls `work` on every chunk, after summing its gradient over the groups of a batch of `n` if one is given.
    /// Returns the sum of the chunks' squares.
    fn each_chunk(&mut self, n: Option<usize>, work: impl Fn(&mut Chunk) + Sync) -> f64 {
        let groups = &self.groups[..n.map_or(0, |n| cut(n).len())];
        let parameters = &self.program.parameters;
        let isa = self.runtime.isa;
        let mut second = self.second.chunks_mut(CHUNK);
        let mut saved = self.saved.chunks(CHUNK);
        let mut anchor = self.anchor.chunks(CHUNK);
        let mut chunks: Vec<Chunk> = (self.weights.chunks_mut(CHUNK))
            .zip(self.gradient.chunks_mut(CHUNK))
            .zip(self.first.chunks_mut(CHUNK))
            .enumerate()
            .map(|(index, ((weights, gradient), first))| Chunk {
                start: index * CHUNK,
                weights,
                gradient,
                first,
                second: second.next().unwrap_or_default(),
                saved: saved.next().unwrap_or_default(),
                anchor: anchor.next().unwrap_or_default(),
                squares: 0.0,
            })
            .collect();
        self.team.for_each(&mut chunks, |_, chunk| {
            vectorized(
                isa,
                #[inline(always)]
                || {
                    chunk.sum(groups, parameters);
                    work(chunk);
                },
            );
        });
        chunks.iter().map(|chunk| chunk.squares).sum()
    }

    /// Σ λ·ΣW² over the parameters with a penalty.
    fn penalty(&self) -> f64 {
        let penalized = self.program.parameters.iter().filter(|p| p.l2 > 0.0);
        let penalty = |parameter: &Packed| {
            let weights = self.weights[parameter.range()].iter();
            let squares: f64 = weights.map(|&w| f64::from(w) * f64::from(w)).sum();
            f64::from(parameter.l2) * squares
        };
        penalized.map(penalty).sum()
    }

    /// Brings `turned` up to date with the weights.
    fn turn_weights(&mut self) {
        let isa = self.runtime.isa;
        for (step, turned) in self.program.steps.iter().zip(&mut self.turned) {
            let Kind::Affine(affine) = &step.kind else {
                continue;
            };
            let (inputs, outputs) = (
                self.program.tensors[step.from].depth,
                self.program.tensors[step.to].depth,
            );
            let kernel = &self.weights[self.program.parameters[affine.kernel].range()];
            let block = inputs * outputs;
            let mut entries: Vec<(usize, &mut [f32])> = affine
                .turned_taps()
                .into_iter()
                .zip(turned.chunks_exact_mut(block))
                .collect();
            self.team.for_each(&mut entries, |_, (tap, turned)| {
                turn(
                    isa,
                    &kernel[*tap * block..][..block],
                    inputs,
                    outputs,
                    turned,
                );
            });
        }
    }
}

impl Chunk<'_> {
    /// Adds up the gradients of the groups, in their order, and those of the penalties: 2λW.
    #[inline(always)]
    fn sum(&mut self, groups: &[Group], parameters: &[Packed]) {
        let Some((head, tail)) = groups.split_first() else {
            return;
        };
        let own = self.start..self.start + self.weights.len();
        let head = &head.gradient[own.clone()];
        let tail = match tail.split_first() {
            None => {
                self.gradient.copy_from_slice(head);
                tail
            }
            Some((second, rest)) => {
                let pairs = head.iter().zip(&second.gradient[own.clone()]);
                for (sum, (a, b)) in self.gradient.iter_mut().zip(pairs) {
                    *sum = a + b;
                }
                rest
            }
        };
        for group in tail {
            for (sum, g) in self.gradient.iter_mut().zip(&group.gradient[own.clone()]) {
                *sum += g;
            }
        }
        for parameter in parameters.iter().filter(|parameter| parameter.l2 > 0.0) {
            let range = parameter.range();
            let (from, to) = (range.start.max(own.start), range.end.min(own.end));
            for index in from..to.max(from) {
                let at = index - own.start;
                self.gradient[at] += 2.0 * parameter.l2 * self.weights[at];
            }
        }
    }
}
