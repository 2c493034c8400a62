//! Architectures as data: a list of layers, with names for the ones that the paper uses or mentions.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::layers::residual;
use super::layers::{BatchNorm, Conv, Dense, Dropout, Layer, Output, Padding, TensorSpec};
use super::limits;
use driftline_core::data::{Fraction, NonNegative, Shape};
use driftline_core::{Error, Result};

/// The layers from the input to the scores of the classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Architecture {
    pub layers: Vec<Layer>,
}

/// An architecture for inputs of one shape and a number of classes: every layer fits the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Blueprint {
    architecture: Architecture,
    /// The shape before each layer, and after the last.
    shapes: Vec<Shape>,
}

impl Architecture {
    /// Three times [conv 5×5, stride 2, 32 channels, ReLU], dropout 0.5, batch norm, flatten, output.
    pub fn paper_conv() -> Self {
        Self::convolutions(&[32; 3], regularized(), &[])
    }

    /// The paper's network without dropout and batch norm.
    pub fn unregularized_conv() -> Self {
        Self::convolutions(&[32; 3], vec![], &[])
    }

    /// The paper's network with a fourth convolution.
    pub fn deeper_conv() -> Self {
        Self::convolutions(&[32; 4], regularized(), &[])
    }

    /// The paper's network with another number of channels in every convolution.
    pub fn wider_conv(channels: NonZeroUsize) -> Self {
        Self::convolutions(&[channels.get(); 3], regularized(), &[])
    }

    /// The paper's network with a dense layer of `units` and a ReLU before the output.
    pub fn extra_dense(units: NonZeroUsize) -> Self {
        Self::convolutions(&[32; 3], regularized(), &[units])
    }

    /// Two dense layers of 32 with ReLU, dropout 0.5 and batch norm, output.
    pub fn mlp() -> Self {
        let mut layers = vec![Layer::Flatten];
        for _ in 0..2 {
            layers.extend([dense(size(32)), Layer::Relu]);
        }
        layers.extend(regularized());
        layers.push(output(0.0));
        Self { layers }
    }

    /// The stronger small network: conv 5×5 of 32 channels with stride 2, twice [conv 3×3 with stride 2 of 32 then 64
    /// channels, and a residual block of two convolutions 3×3], each convolution with batch norm; dropout 0.5 after the mean
    /// over all pixels, output.
    pub fn residual() -> Self {
        let normed = |channels: usize, kernel: usize, stride: usize| {
            let norm = Layer::BatchNorm(BatchNorm::paper());
            [conv(channels, kernel, stride), norm]
        };
        let mut layers = vec![];
        layers.extend(normed(32, 5, 2));
        layers.push(Layer::Relu);
        for channels in [32, 64] {
            layers.extend(normed(channels, 3, 2));
            layers.extend([Layer::Relu, Layer::Remember]);
            layers.extend(normed(channels, 3, 1));
            layers.push(Layer::Relu);
            layers.extend(normed(channels, 3, 1));
            layers.extend([Layer::Add, Layer::Relu]);
        }
        layers.extend([Layer::GlobalPool, drop_half(), output(0.0)]);
        Self { layers }
    }

    /// One dense layer: the linear softmax model with λ·ΣW².
    pub fn linear(l2: NonNegative) -> Self {
        Self {
            layers: vec![Layer::Flatten, Layer::Output(Output { l2 })],
        }
    }

    fn convolutions(
        channels: &[usize],
        regularizers: Vec<Layer>,
        dense_units: &[NonZeroUsize],
    ) -> Self {
        let mut layers = vec![];
        for &channels in channels {
            layers.extend([conv(channels, 5, 2), Layer::Relu]);
        }
        layers.extend(regularizers);
        layers.push(Layer::Flatten);
        for &units in dense_units {
            layers.extend([dense(units), Layer::Relu]);
        }
        layers.push(output(0.0));
        Self { layers }
    }

    /// Finds every shape, or names the layer that does not fit.
    pub fn build(&self, input: Shape, n_classes: usize) -> Result<Blueprint> {
        if n_classes < 2 {
            return Err(Error::out_of_range(
                "the number of classes",
                n_classes,
                "at least 2",
            ));
        }
        limits::check_layers(self.layers.len())?;
        let fault = |index: usize, message| Error::Layer {
            index,
            layer: self.layers[index].name(),
            message,
        };
        let partners =
            residual::partners(&self.layers).map_err(|(index, message)| fault(index, message))?;
        let mut shapes = vec![
            limits::check_shape(input)
                .map_err(|found| Error::mismatch("the input", "a size within reason", found))?,
        ];
        for (index, layer) in self.layers.iter().enumerate() {
            let before = shapes[index];
            let last = index + 1 == self.layers.len();
            let fits = if last == matches!(layer, Layer::Output(_)) {
                limits::check_layer(layer, before)
                    .and_then(|()| layer.output(before, n_classes))
                    .and_then(limits::check_shape)
            } else if last {
                Err("is the last layer, which must be `output`".into())
            } else {
                Err("stands before the end, where only the last layer may be an output".into())
            };
            let after = fits.and_then(|after| {
                if let Some(partner) = partners[index] {
                    residual::check(shapes[partner], before)?;
                }
                let tensors = layer.tensors(before, after);
                limits::check_tensors(&tensors.learned)?;
                limits::check_total(&shapes, after)
            });
            shapes.push(after.map_err(|message| fault(index, message))?);
        }
        Ok(Blueprint {
            architecture: self.clone(),
            shapes,
        })
    }
}

impl Blueprint {
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    pub fn input(&self) -> Shape {
        self.shapes[0]
    }

    pub fn n_classes(&self) -> usize {
        self.shapes[self.shapes.len() - 1].size()
    }

    /// How many numbers the last layer sees of an input.
    pub fn features(&self) -> usize {
        self.shapes[self.shapes.len() - 2].size()
    }

    /// Layers with the shapes before and after them.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (&Layer, Shape, Shape)> {
        let layers = self.architecture.layers.iter();
        layers
            .zip(self.shapes.windows(2))
            .map(|(layer, shapes)| (layer, shapes[0], shapes[1]))
    }

    /// Everything learned, layer by layer, as (layer, tensor).
    pub(super) fn learned(&self) -> Vec<(usize, TensorSpec)> {
        self.tensors(|tensors| tensors.learned)
    }

    /// Every statistic kept, layer by layer, as (layer, tensor).
    pub(super) fn kept(&self) -> Vec<(usize, TensorSpec)> {
        self.tensors(|tensors| tensors.kept)
    }

    fn tensors(
        &self,
        pick: impl Fn(super::layers::Tensors) -> Vec<TensorSpec>,
    ) -> Vec<(usize, TensorSpec)> {
        let of_layer = |(index, (layer, before, after)): (usize, (&Layer, Shape, Shape))| {
            let specs = pick(layer.tensors(before, after));
            specs.into_iter().map(move |spec| (index, spec))
        };
        self.layers().enumerate().flat_map(of_layer).collect()
    }

    /// Multiply-adds of the forward pass of one input, in convolutions and dense layers; nothing else is counted.
    pub fn multiply_adds(&self) -> u64 {
        self.affine_multiply_adds().iter().sum()
    }

    /// Multiply-adds of one training step per input: forward, weight gradient and input gradient cost the same, and the
    /// first layer has no input gradient.
    pub fn training_multiply_adds(&self) -> u64 {
        let each = self.affine_multiply_adds();
        3 * each.iter().sum::<u64>() - each.first().copied().unwrap_or(0)
    }

    fn affine_multiply_adds(&self) -> Vec<u64> {
        let of_layer = |(layer, before, after): (&Layer, Shape, Shape)| match layer {
            Layer::Conv(conv) => {
                let window = conv.kernel.get().pow(2) * before.volume()[2];
                Some((after.size() * window) as u64)
            }
            Layer::Dense(_) | Layer::Output(_) => Some((before.size() * after.size()) as u64),
            _ => None,
        };
        self.layers().filter_map(of_layer).collect()
    }

    pub fn n_parameters(&self) -> usize {
        self.learned().iter().map(|(_, spec)| spec.len()).sum()
    }
}

fn regularized() -> Vec<Layer> {
    vec![drop_half(), Layer::BatchNorm(BatchNorm::paper())]
}

fn drop_half() -> Layer {
    let rate = Fraction::new(0.5).expect("a half is a fraction");
    Layer::Dropout(Dropout { rate })
}

fn conv(channels: usize, kernel: usize, stride: usize) -> Layer {
    Layer::Conv(Conv {
        channels: size(channels),
        kernel: size(kernel),
        stride: size(stride),
        padding: Padding::Same,
        l2: none(),
    })
}

fn dense(units: NonZeroUsize) -> Layer {
    Layer::Dense(Dense { units, l2: none() })
}

fn output(l2: f64) -> Layer {
    let l2 = NonNegative::new(l2).expect("the library's own settings are in range");
    Layer::Output(Output { l2 })
}

fn none() -> NonNegative {
    NonNegative::new(0.0).expect("0 is not negative")
}

fn size(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("the library's own sizes are not 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: Shape = Shape::Image {
        height: 28,
        width: 28,
        channels: 1,
    };
    const PORTRAITS: Shape = Shape::Image {
        height: 32,
        width: 32,
        channels: 1,
    };

    #[test]
    fn parameter_counts_are_the_papers() {
        let count = |architecture: Architecture, shape, classes| {
            architecture.build(shape, classes).unwrap().n_parameters()
        };
        assert_eq!(count(Architecture::paper_conv(), DIGITS, 10), 57_290);
        assert_eq!(count(Architecture::paper_conv(), PORTRAITS, 2), 53_186);
        assert_eq!(
            count(Architecture::unregularized_conv(), DIGITS, 10),
            57_226
        );
        let linear = Architecture::linear(none());
        assert_eq!(count(linear, Shape::Vector(100), 2), 202);
        assert_eq!(
            count(Architecture::mlp(), Shape::Vector(54), 2),
            54 * 32 + 32 + 32 * 32 + 32 + 64 + 66
        );
    }

    /// The figures behind every speed that this project reports.
    #[test]
    fn multiply_adds_of_the_papers_network() {
        let blueprint = Architecture::paper_conv().build(DIGITS, 10).unwrap();
        assert_eq!(blueprint.multiply_adds(), 1_825_920);
        assert_eq!(blueprint.training_multiply_adds(), 5_320_960);
    }

    #[test]
    fn every_named_architecture_builds() {
        for architecture in [
            Architecture::deeper_conv(),
            Architecture::wider_conv(size(48)),
            Architecture::extra_dense(size(100)),
            Architecture::mlp(),
            Architecture::residual(),
        ] {
            architecture.build(DIGITS, 10).unwrap();
            architecture.build(PORTRAITS, 2).unwrap();
            let text = serde_json::to_string(&architecture).unwrap();
            assert_eq!(
                serde_json::from_str::<Architecture>(&text).unwrap(),
                architecture
            );
        }
    }

    #[test]
    fn a_layer_that_does_not_fit_is_named() {
        let mut architecture = Architecture::paper_conv();
        let message = |architecture: &Architecture, shape| {
            architecture.build(shape, 10).unwrap_err().to_string()
        };
        assert_eq!(
            message(&architecture, Shape::Vector(784)),
            "layer 0 (`conv`) needs an image, but gets 784 features"
        );
        architecture.layers.remove(8);
        assert_eq!(
            message(&architecture, DIGITS),
            "layer 8 (`output`) needs a vector, but gets 4×4 pixels with 32 channels; put `flatten` before it"
        );
        architecture.layers.pop();
        assert!(message(&architecture, DIGITS).contains("the last layer, which must be `output`"));
    }
}
