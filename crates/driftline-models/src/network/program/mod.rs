//! The compiled form of a network: padded buffers and fused steps. Only this folder knows about fusion: a ReLU after an
//! affine layer is part of it, a flatten before a dense layer disappears, and an output is written straight into the
//! padded input of the next layer.

mod affine;
mod batch_norm;
mod classes;
mod layout;
mod packing;
mod pixelwise;
mod residual;
mod transposed_kernels;

pub(super) use affine::Affine;
pub(super) use batch_norm::{Norm, Normalizer, Partial};
pub(super) use layout::{Tensor, places};
pub(super) use packing::{Packed, pack_all, unpack_all};
pub(super) use pixelwise::{Pass, Pixelwise, Seeds, gate};
pub(super) use residual::{Residual, carry};
pub(super) use transposed_kernels::turn;

use std::ops::Range;

use super::architecture::Blueprint;
use super::kernels::CHANNEL_BLOCK;
use super::layers::{Conv, Layer};
use driftline_core::data::Shape;

/// Steps, tensors and parameters of one network.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Tensor 0 is the input; every step writes a later one.
    pub tensors: Vec<Tensor>,
    pub steps: Vec<Step>,
    pub parameters: Vec<Packed>,
    /// Numbers in the array of all packed parameters.
    pub packed_len: usize,
    pub n_classes: usize,
}

/// One step from a tensor to a later one.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub from: usize,
    pub to: usize,
    /// Something before this step learns, so the gradient must go on.
    pub passes_gradient: bool,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Affine(Affine),
    Norm(Norm),
    Pixelwise(Pixelwise),
    Residual(Residual),
}

impl Program {
    pub fn compile(blueprint: &Blueprint) -> Self {
        let mut compiler = Compiler::new(blueprint);
        let layers: Vec<(Layer, Shape, Shape)> = blueprint
            .layers()
            .map(|(layer, before, after)| (*layer, before, after))
            .collect();
        let mut index = 0;
        while index < layers.len() {
            let (layer, before, after) = layers[index];
            let next = layers.get(index + 1).map(|(layer, ..)| layer);
            let relu = matches!(next, Some(Layer::Relu));
            let affine = matches!(layer, Layer::Conv(_) | Layer::Dense(_) | Layer::Output(_));
            match layer {
                Layer::Conv(conv) => compiler.conv(conv, after, relu),
                Layer::Dense(_) | Layer::Output(_) => compiler.dense(after, relu),
                Layer::Flatten => {
                    let rest = layers[index + 1..].iter().map(|(layer, ..)| layer);
                    compiler.flatten(after, rest);
                }
                Layer::BatchNorm(norm) => compiler.norm(norm, before),
                Layer::Relu => compiler.pixelwise(Pixelwise::Relu, after),
                Layer::Dropout(dropout) => {
                    let layer = index;
                    compiler.pixelwise(Pixelwise::Dropout { dropout, layer }, after);
                }
                Layer::MaxPool(pool) => compiler.pixelwise(Pixelwise::MaxPool(pool), after),
                Layer::GlobalPool => compiler.pixelwise(Pixelwise::GlobalPool, after),
                Layer::Remember => compiler.remember(after),
                Layer::Add => compiler.add(after),
            }
            index += if affine && relu { 2 } else { 1 };
        }
        compiler.finish(blueprint)
    }

    /// Multiplications of one image's way through the network.
    pub fn products(&self) -> usize {
        let of_step = |step: &Step| match &step.kind {
            Kind::Affine(affine) => affine.windows() * self.parameters[affine.kernel].len(),
            _ => 0,
        };
        self.steps.iter().map(of_step).sum()
    }

    /// The batch norms and the steps that they are.
    pub fn norms(&self) -> impl Iterator<Item = (usize, &Norm)> {
        let steps = self.steps.iter().enumerate();
        steps.filter_map(|(index, step)| match &step.kind {
            Kind::Norm(norm) => Some((index, norm)),
            _ => None,
        })
    }

    /// Where the moving means and variances of a batch norm lie among all that are kept.
    pub fn kept_range(&self, norm: usize) -> Range<usize> {
        let mut start = 0;
        for (step, other) in self.norms() {
            let end = start + 2 * self.tensors[self.steps[step].to].volume[2];
            if other.index == norm {
                return start..end;
            }
            start = end;
        }
        start..start
    }
}

/// What grows while the layers are read.
struct Compiler {
    tensors: Vec<Tensor>,
    steps: Vec<Step>,
    parameters: Vec<Packed>,
    packed_len: usize,
    learns: bool,
    n_norms: usize,
    /// Tensors remembered by blocks that are still open, and whether anything before them learns.
    remembered: Vec<(usize, bool)>,
}

impl Compiler {
    fn new(blueprint: &Blueprint) -> Self {
        let input = blueprint.input().volume();
        Self {
            // The input keeps its own number of channels: nothing but an affine step reads it in a hurry.
            tensors: vec![Tensor::new(input, input[2])],
            steps: vec![],
            parameters: vec![],
            packed_len: 0,
            learns: false,
            n_norms: 0,
            remembered: vec![],
        }
    }

    fn last(&self) -> usize {
        self.tensors.len() - 1
    }

    fn add_tensor(&mut self, shape: Shape) -> usize {
        let volume = shape.volume();
        let depth = volume[2].next_multiple_of(CHANNEL_BLOCK);
        self.tensors.push(Tensor::new(volume, depth));
        self.last()
    }

    fn add_parameter(&mut self, taps: usize, inputs: [usize; 2], outputs: usize) -> usize {
        let packed = Packed {
            offset: self.packed_len,
            taps,
            inputs: inputs[0],
            inputs_padded: inputs[1],
            outputs,
            outputs_padded: outputs.next_multiple_of(CHANNEL_BLOCK),
            l2: 0.0,
        };
        self.packed_len = packed.range().end;
        self.parameters.push(packed);
        self.parameters.len() - 1
    }

    fn add_step(&mut self, from: usize, to: usize, kind: Kind) {
        self.steps.push(Step {
            from,
            to,
            passes_gradient: self.learns,
            kind,
        });
    }

    fn conv(&mut self, conv: Conv, after: Shape, relu: bool) {
        let from = self.last();
        let [height, width, channels] = self.tensors[from].volume;
        let fits = "the blueprint has checked that the kernel fits";
        let down = conv.extent(height).expect(fits);
        let across = conv.extent(width).expect(fits);
        self.tensors[from].pad_values([down.before, down.after], [across.before, across.after]);
        let to = self.add_tensor(after);
        let k = conv.kernel.get();
        let depths = [channels, self.tensors[from].depth];
        let kernel = self.add_parameter(k * k, depths, conv.channels.get());
        let bias = self.add_parameter(1, [1, 1], conv.channels.get());
        let affine = Affine::conv(
            &conv,
            [down, across],
            &mut self.tensors,
            [from, to],
            self.learns,
        );
        self.finish_affine(affine, [kernel, bias], [from, to], relu);
    }

    fn dense(&mut self, after: Shape, relu: bool) {
        let from = self.last();
        let [height, width, channels] = self.tensors[from].volume;
        let to = self.add_tensor(after);
        let units = self.tensors[to].volume[2];
        let depths = [channels, self.tensors[from].depth];
        let kernel = self.add_parameter(height * width, depths, units);
        let bias = self.add_parameter(1, [1, 1], units);
        let affine = Affine::dense(&self.tensors[from], &self.tensors[to], self.learns);
        self.finish_affine(affine, [kernel, bias], [from, to], relu);
    }

    fn finish_affine(
        &mut self,
        mut affine: Affine,
        [kernel, bias]: [usize; 2],
        [from, to]: [usize; 2],
        relu: bool,
    ) {
        self.tensors[to].rectified = relu;
        affine.kernel = kernel;
        affine.bias = bias;
        self.add_step(from, to, Kind::Affine(affine));
        self.learns = true;
    }

    /// A dense layer reads an image as it lies; any other layer after a flatten needs the vector itself.
    fn flatten<'a>(&mut self, after: Shape, mut rest: impl Iterator<Item = &'a Layer>) {
        let [height, width, _] = self.tensors[self.last()].volume;
        let next = rest.find(|layer| !matches!(layer, Layer::Flatten));
        let dense = matches!(next, Some(Layer::Dense(_) | Layer::Output(_)));
        if !dense && [height, width] != [1, 1] {
            self.pixelwise(Pixelwise::Flatten, after);
        }
    }

    fn norm(&mut self, norm: super::layers::BatchNorm, shape: Shape) {
        let from = self.last();
        let to = self.add_tensor(shape);
        let channels = self.tensors[to].volume[2];
        let scale = self.add_parameter(1, [1, 1], channels);
        let shift = self.add_parameter(1, [1, 1], channels);
        let kind = Kind::Norm(Norm {
            settings: norm,
            scale,
            shift,
            index: self.n_norms,
            image: matches!(shape, Shape::Image { .. }),
        });
        self.tensors[to].keeps_deltas = true;
        self.add_step(from, to, kind);
        self.n_norms += 1;
        self.learns = true;
    }

    fn pixelwise(&mut self, kind: Pixelwise, after: Shape) {
        let from = self.last();
        let to = self.add_tensor(after);
        self.add_step(from, to, Kind::Pixelwise(kind));
    }

    fn remember(&mut self, shape: Shape) {
        let from = self.last();
        let to = self.add_tensor(shape);
        self.tensors[from].keeps_deltas = true;
        self.remembered.push((from, self.learns));
        self.add_step(from, to, Kind::Residual(Residual::Copy));
    }

    fn add(&mut self, shape: Shape) {
        let from = self.last();
        let to = self.add_tensor(shape);
        let (skip, passes) = self
            .remembered
            .pop()
            .expect("the blueprint has checked the residual blocks");
        self.add_step(from, to, Kind::Residual(Residual::Add { skip, passes }));
    }

    fn finish(mut self, blueprint: &Blueprint) -> Program {
        let learned = blueprint.learned();
        assert_eq!(learned.len(), self.parameters.len());
        for (packed, (_, spec)) in self.parameters.iter_mut().zip(&learned) {
            assert_eq!(packed.len(), spec.len());
            packed.l2 = spec.l2 as f32;
        }
        Program {
            tensors: self.tensors,
            steps: self.steps,
            parameters: self.parameters,
            packed_len: self.packed_len,
            n_classes: blueprint.n_classes(),
        }
    }
}
