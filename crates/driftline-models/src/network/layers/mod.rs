//! The layers a network is made of: one per file, each with its formula and its shapes. `tests/network_gradients` has a plain
//! implementation of each in double precision that the fast program is tested against.

pub(super) mod batch_norm;
pub(super) mod conv;
pub(super) mod dense;
pub(super) mod dropout;
pub(super) mod global_pool;
pub(super) mod max_pool;
pub(super) mod residual;

use serde::{Deserialize, Serialize};

pub use batch_norm::{BatchNorm, MovingVariance};
pub use conv::{Conv, Padding};
pub use dense::{Dense, Output};
pub use dropout::Dropout;
pub use max_pool::MaxPool;

use driftline_core::data::Shape;

/// One layer, as written in an experiment file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "layer", rename_all = "kebab-case")]
pub enum Layer {
    Conv(Conv),
    Dense(Dense),
    Relu,
    Dropout(Dropout),
    BatchNorm(BatchNorm),
    Flatten,
    MaxPool(MaxPool),
    /// The mean over all pixels, channel by channel.
    GlobalPool,
    /// The beginning of a residual block.
    Remember,
    /// Its end: what was remembered is added.
    Add,
    /// The dense layer that gives one score per class: the last of every network, and only there.
    Output(Output),
}

impl Layer {
    /// The name in files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Layer::Conv(_) => "conv",
            Layer::Dense(_) => "dense",
            Layer::Relu => "relu",
            Layer::Dropout(_) => "dropout",
            Layer::BatchNorm(_) => "batch-norm",
            Layer::Flatten => "flatten",
            Layer::MaxPool(_) => "max-pool",
            Layer::GlobalPool => "global-pool",
            Layer::Remember => "remember",
            Layer::Add => "add",
            Layer::Output(_) => "output",
        }
    }

    /// The shape of the output for inputs of shape `input`, or what is wrong with them.
    pub(super) fn output(&self, input: Shape, n_classes: usize) -> Result<Shape, String> {
        match self {
            Layer::Conv(conv) => conv.output(input),
            Layer::MaxPool(pool) => pool.output(input),
            Layer::Dense(dense) => dense::output(input, dense.units.get()),
            Layer::Output(_) => dense::output(input, n_classes),
            Layer::Dropout(dropout) => dropout.check().map(|()| input),
            Layer::GlobalPool => global_pool::output(input),
            Layer::Relu | Layer::BatchNorm(_) | Layer::Remember | Layer::Add => Ok(input),
            Layer::Flatten => Ok(Shape::Vector(input.size())),
        }
    }

    /// Names and dimensions of what the layer learns, and of the statistics it keeps besides.
    pub(super) fn tensors(&self, input: Shape, output: Shape) -> Tensors {
        let affine = |kernel: Vec<usize>, units: usize, l2: f64| Tensors {
            learned: vec![
                TensorSpec::new("kernel", kernel, l2),
                TensorSpec::new("bias", vec![units], 0.0),
            ],
            kept: vec![],
        };
        match self {
            Layer::Conv(conv) => {
                let (k, channels) = (conv.kernel.get(), conv.channels.get());
                let kernel = vec![k, k, input.volume()[2], channels];
                affine(kernel, channels, conv.l2.get())
            }
            Layer::Dense(dense) => {
                let units = dense.units.get();
                affine(vec![input.size(), units], units, dense.l2.get())
            }
            Layer::Output(last) => {
                let units = output.size();
                affine(vec![input.size(), units], units, last.l2.get())
            }
            Layer::BatchNorm(_) => {
                let [.., channels] = input.volume();
                let spec = |name| TensorSpec::new(name, vec![channels], 0.0);
                Tensors {
                    learned: vec![spec("scale"), spec("shift")],
                    kept: vec![spec("moving_mean"), spec("moving_variance")],
                }
            }
            Layer::Relu
            | Layer::Dropout(_)
            | Layer::Flatten
            | Layer::MaxPool(_)
            | Layer::GlobalPool
            | Layer::Remember
            | Layer::Add => Tensors::default(),
        }
    }
}

/// What a layer learns and what it keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tensors {
    pub learned: Vec<TensorSpec>,
    pub kept: Vec<TensorSpec>,
}

/// One array of numbers of a layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TensorSpec {
    pub name: &'static str,
    pub dimensions: Vec<usize>,
    pub l2: f64,
}

impl TensorSpec {
    fn new(name: &'static str, dimensions: Vec<usize>, l2: f64) -> Self {
        Self {
            name,
            dimensions,
            l2,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.dimensions.iter().product()
    }
}
