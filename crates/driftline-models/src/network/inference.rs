//! Class probabilities, or what the last layer makes them from: the forward pass alone, slice by slice, with moving
//! statistics and without dropout.

use super::group::{Context, Group};
use super::kernels::{Aligned, FlushDenormals, Team, vectorized};
use super::model::Network;
use super::program::{Normalizer, Program, pack_all};
use crate::loss::softmax::softmax;
use driftline_core::Result;
use driftline_core::data::{Inputs, Probabilities, Shape};

/// Images that are taken through all layers together.
const SLICE: usize = 16;
/// A thread is not worth starting for fewer products than this.
const WORTH_SHARING: usize = 2_000_000;

/// What one thread works on.
struct Share<'a> {
    first: usize,
    out: &'a mut [f32],
    group: Group,
}

pub(super) fn probabilities(network: &Network, inputs: &Inputs) -> Result<Probabilities> {
    let classes = network.blueprint.n_classes();
    let values = forward(
        network,
        inputs,
        classes,
        |program| program.steps.len(),
        #[inline(always)]
        |group, program, image, row| {
            row.copy_from_slice(group.scores(program, image));
            softmax(row);
        },
    );
    Probabilities::new(values, classes)
}

/// What the output layer sees of every input.
pub(super) fn features(network: &Network, inputs: &Inputs) -> Result<Inputs> {
    let size = network.blueprint.features();
    let values = forward(
        network,
        inputs,
        size,
        |program| program.steps.len() - 1,
        #[inline(always)]
        |group, program, image, row| group.features(program, image, row),
    );
    Inputs::new(values, Shape::Vector(size))
}

/// Takes every input through the first `steps` and lets `read` write its row of `width` numbers.
fn forward(
    network: &Network,
    inputs: &Inputs,
    width: usize,
    steps: impl Fn(&Program) -> usize,
    read: impl Fn(&Group, &Program, usize, &mut [f32]) + Sync,
) -> Vec<f32> {
    let _flush = FlushDenormals::begin();
    let program = Program::compile(&network.blueprint);
    let mut weights = Aligned::zeros(program.packed_len);
    pack_all(&program.parameters, &network.state.weights, &mut weights);
    let normalizers = moving_normalizers(&program, &network.state.kept);
    let context = Context {
        program: &program,
        isa: network.runtime.isa,
        weights: &weights,
        turned: &[],
        normalizers: &normalizers,
        head: None,
    };
    let mut values = vec![0.0; inputs.len() * width];
    if inputs.is_empty() {
        return values;
    }
    let steps = steps(&program);
    let threads = network.runtime.threads().get();
    let threads = threads
        .min(inputs.len() * program.products() / WORTH_SHARING)
        .max(1);
    // More shares than threads, so that a slower one does fewer.
    let shares = if threads > 1 { 4 * threads } else { 1 };
    let rows = inputs.len().div_ceil(shares).next_multiple_of(SLICE);
    let mut shares: Vec<Share> = (values.chunks_mut(rows * width).enumerate())
        .map(|(index, out)| Share {
            first: index * rows,
            out,
            group: Group::new(&program, SLICE, false),
        })
        .collect();
    Team::new(threads.min(shares.len())).for_each(&mut shares, |_, share| {
        share.run(&context, inputs, [width, steps], &read);
    });
    values
}

impl Share<'_> {
    fn run(
        &mut self,
        context: &Context,
        inputs: &Inputs,
        sizes: [usize; 2],
        read: &impl Fn(&Group, &Program, usize, &mut [f32]),
    ) {
        vectorized(
            context.isa,
            #[inline(always)]
            || self.work_through(context, inputs, sizes, read),
        );
    }

    #[inline(always)]
    fn work_through(
        &mut self,
        context: &Context,
        inputs: &Inputs,
        [width, steps]: [usize; 2],
        read: &impl Fn(&Group, &Program, usize, &mut [f32]),
    ) {
        for (slice, out) in self.out.chunks_mut(SLICE * width).enumerate() {
            let images = out.len() / width;
            let first = self.first + slice * SLICE;
            self.group
                .load(context.program, [0, images], |i| inputs.row(first + i));
            for step in 0..steps {
                self.group.forward(step, [0, images], context, None);
            }
            for (image, row) in out.chunks_exact_mut(width).enumerate() {
                read(&self.group, context.program, image, row);
            }
        }
    }
}

fn moving_normalizers(program: &Program, kept: &[f32]) -> Vec<Normalizer> {
    let normalizer = |(_, norm): (usize, &super::program::Norm)| {
        let kept: Vec<f64> = kept[program.kept_range(norm.index)]
            .iter()
            .map(|&value| f64::from(value))
            .collect();
        let (mean, variance) = kept.split_at(kept.len() / 2);
        let mut normalizer = Normalizer::default();
        norm.set(mean, variance, &mut normalizer);
        normalizer
    };
    program.norms().map(normalizer).collect()
}
