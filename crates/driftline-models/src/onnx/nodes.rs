//! Models as ONNX nodes: from prepared inputs to one score per class, or to the probabilities themselves.

use super::graph::{Attribute, Graph, Node};
use crate::Classifier;
use crate::linear::{LinearModel, MarginModel};
use crate::neighbours::NeighboursModel;
use crate::network::layers::{BatchNorm, Conv, Layer, MaxPool};
use crate::network::{NamedTensor, Network};
use driftline_core::data::Shape;

pub(crate) fn linear(graph: &mut Graph, model: &LinearModel, input: Node) -> Node {
    let (classes, size) = (model.n_classes(), model.shape().size());
    let input = flat(graph, input, model.shape());
    let mut weights = vec![0.0; size * classes];
    for class in 0..classes {
        for (feature, &weight) in model.weights(class).iter().enumerate() {
            weights[feature * classes + class] = weight;
        }
    }
    let biases: Vec<f32> = (0..classes).map(|class| model.bias(class)).collect();
    let scores = affine(graph, "linear", &input, [size, classes], &weights, &biases);
    softmax(graph, &scores)
}

/// In double precision, as the model itself computes.
pub(crate) fn margin(graph: &mut Graph, model: &MarginModel, input: Node) -> Node {
    let size = model.shape().size();
    let input = flat(graph, input, model.shape());
    let input = graph.node("Cast", &[&input], &[("to", Attribute::Int(11))]);
    let weights = graph.doubles("margin.weights", &[size, 1], &model.weights);
    let bias = graph.doubles("margin.bias", &[1], &[model.bias]);
    let score = graph.node("MatMul", &[&input, &weights], &[]);
    let score = graph.node("Add", &[&score, &bias], &[]);
    let opposite = graph.node("Neg", &[&score], &[]);
    let both = graph.node(
        "Concat",
        &[&opposite, &score],
        &[("axis", Attribute::Int(1))],
    );
    let sigmoids = graph.node("Sigmoid", &[&both], &[]);
    graph.node("Cast", &[&sigmoids], &[("to", Attribute::Int(1))])
}

/// The nearest by |r|² − 2x·r, which orders rows r as |x − r|² does; of equals TopK takes the first, too. Sums of the
/// votes, each over the sum of all.
pub(crate) fn neighbours(
    graph: &mut Graph,
    model: &NeighboursModel,
    input: Node,
    rows: &[f32],
    votes: &[f32],
) -> Node {
    let (size, classes) = (model.shape().size(), model.n_classes());
    let n = rows.len() / size;
    let k = model.k().get().min(n) as i64;
    let input = flat(graph, input, model.shape());
    let mut doubled = vec![0.0; rows.len()];
    let mut squares = vec![0.0; n];
    for (number, row) in rows.chunks_exact(size).enumerate() {
        for (feature, &value) in row.iter().enumerate() {
            doubled[feature * n + number] = -2.0 * value;
            squares[number] += value * value;
        }
    }
    let distances = affine(graph, "rows", &input, [size, n], &doubled, &squares);
    let k = graph.ints("k", &[1], &[k]);
    let smallest = [("axis", Attribute::Int(1)), ("largest", Attribute::Int(0))];
    let nearest = graph.second("TopK", &[&distances, &k], &smallest);
    let votes = graph.floats("votes", &[n, classes], votes);
    let votes = graph.node(
        "Gather",
        &[&votes, &nearest],
        &[("axis", Attribute::Int(0))],
    );
    let first = graph.ints("first.axis", &[1], &[1]);
    let without = [("keepdims", Attribute::Int(0))];
    let votes = graph.node("ReduceSum", &[&votes, &first], &without);
    let all = graph.node(
        "ReduceSum",
        &[&votes, &first],
        &[("keepdims", Attribute::Int(1))],
    );
    graph.node("Div", &[&votes, &all], &[])
}

/// ONNX has channels before pixels, this library after them: images are turned once at the start and, for the order of
/// the numbers of a flattened image, once more before a dense layer. Constants have names that begin with `prefix`.
pub(crate) fn network(graph: &mut Graph, model: &Network, input: Node, prefix: &str) -> Node {
    let scores = network_layers(graph, model, input, prefix, 0);
    softmax(graph, &scores)
}

/// All layers but the last `without`: with one less, what the last layer sees.
pub(crate) fn network_layers(
    graph: &mut Graph,
    model: &Network,
    input: Node,
    prefix: &str,
    without: usize,
) -> Node {
    let blueprint = model.blueprint();
    let layers = blueprint.layers().len() - without;
    let (learned, kept) = (model.tensors(), model.statistics());
    let mut value = input;
    let mut remembered = vec![];
    if let Shape::Image { .. } = blueprint.input() {
        value = turned(graph, &value, [0, 3, 1, 2]);
    }
    for (index, (layer, before, after)) in blueprint.layers().enumerate().take(layers) {
        let own = |tensors: &[NamedTensor<'_>], name: &str| -> Vec<f32> {
            let name = format!("{index}.{}.{name}", layer.name());
            let found = tensors.iter().find(|tensor| tensor.name == name);
            found.map_or(vec![], |tensor| tensor.values.to_vec())
        };
        let name = format!("{prefix}{index}.{}", layer.name());
        value = match layer {
            Layer::Conv(layer) => {
                let (kernel, bias) = (own(&learned, "kernel"), own(&learned, "bias"));
                conv(graph, &name, value, layer, before, &kernel, &bias)
            }
            Layer::Dense(_) | Layer::Output(_) => {
                let sizes = [before.size(), after.size()];
                let (kernel, bias) = (own(&learned, "kernel"), own(&learned, "bias"));
                affine(graph, &name, &value, sizes, &kernel, &bias)
            }
            Layer::Relu => graph.node("Relu", &[&value], &[]),
            // While predicting, dropout does nothing.
            Layer::Dropout(_) => value,
            Layer::BatchNorm(layer) => {
                let parts = [
                    ("scale", own(&learned, "scale")),
                    ("shift", own(&learned, "shift")),
                    ("mean", own(&kept, "moving_mean")),
                    ("variance", own(&kept, "moving_variance")),
                ];
                batch_norm(graph, &name, &value, layer, &parts)
            }
            Layer::MaxPool(layer) => max_pool(graph, &value, layer),
            Layer::GlobalPool => {
                let means = graph.node("GlobalAveragePool", &[&value], &[]);
                flat(graph, means, before)
            }
            Layer::Remember => {
                remembered.push(value.clone());
                value
            }
            Layer::Add => match remembered.pop() {
                Some(other) => graph.node("Add", &[&value, &other], &[]),
                None => value,
            },
            Layer::Flatten => match before {
                Shape::Vector(_) => value,
                Shape::Image { .. } => {
                    let pixels_first = turned(graph, &value, [0, 2, 3, 1]);
                    flat(graph, pixels_first, before)
                }
            },
        };
    }
    value
}

fn conv(
    graph: &mut Graph,
    name: &str,
    value: Node,
    conv: &Conv,
    input: Shape,
    kernel: &[f32],
    bias: &[f32],
) -> Node {
    let [height, width, channels] = input.volume();
    let (side, outputs) = (conv.kernel.get(), conv.channels.get());
    let zeros = |size: usize| {
        let extent = conv.extent(size);
        extent.map_or((0, 0), |extent| (extent.before, extent.after))
    };
    let ((top, bottom), (left, right)) = (zeros(height), zeros(width));
    let mut turned = Vec::with_capacity(kernel.len());
    for output in 0..outputs {
        for channel in 0..channels {
            for pixel in 0..side * side {
                turned.push(kernel[(pixel * channels + channel) * outputs + output]);
            }
        }
    }
    let dimensions = [outputs, channels, side, side];
    let kernel = graph.floats(&format!("{name}.kernel"), &dimensions, &turned);
    let bias = graph.floats(&format!("{name}.bias"), &[outputs], bias);
    let attributes = [
        ("kernel_shape", twice(side)),
        ("strides", twice(conv.stride.get())),
        ("pads", sizes(&[top, left, bottom, right])),
    ];
    graph.node("Conv", &[&value, &kernel, &bias], &attributes)
}

fn batch_norm(
    graph: &mut Graph,
    name: &str,
    value: &Node,
    layer: &BatchNorm,
    parts: &[(&str, Vec<f32>); 4],
) -> Node {
    let parts = parts
        .each_ref()
        .map(|(part, values)| graph.floats(&format!("{name}.{part}"), &[values.len()], values));
    let [scale, shift, mean, variance] = &parts;
    let epsilon = Attribute::Float(layer.epsilon.get() as f32);
    let inputs = [value, scale, shift, mean, variance];
    graph.node("BatchNormalization", &inputs, &[("epsilon", epsilon)])
}

fn max_pool(graph: &mut Graph, value: &Node, layer: &MaxPool) -> Node {
    let attributes = [
        ("kernel_shape", twice(layer.size.get())),
        ("strides", twice(layer.stride.get())),
    ];
    graph.node("MaxPool", &[value], &attributes)
}

/// x·W + b with W: inputs × outputs.
fn affine(
    graph: &mut Graph,
    name: &str,
    value: &Node,
    sizes: [usize; 2],
    weights: &[f32],
    biases: &[f32],
) -> Node {
    let weights = graph.floats(&format!("{name}.weights"), &sizes, weights);
    let biases = graph.floats(&format!("{name}.biases"), &sizes[1..], biases);
    let product = graph.node("MatMul", &[value, &weights], &[]);
    graph.node("Add", &[&product, &biases], &[])
}

fn softmax(graph: &mut Graph, scores: &Node) -> Node {
    graph.node("Softmax", &[scores], &[("axis", Attribute::Int(1))])
}

fn turned(graph: &mut Graph, value: &Node, order: [usize; 4]) -> Node {
    graph.node("Transpose", &[value], &[("perm", sizes(&order))])
}

/// One row of numbers per example.
fn flat(graph: &mut Graph, value: Node, shape: Shape) -> Node {
    match shape {
        Shape::Vector(_) => value,
        Shape::Image { .. } => graph.node("Flatten", &[&value], &[("axis", Attribute::Int(1))]),
    }
}

fn twice(size: usize) -> Attribute {
    sizes(&[size, size])
}

fn sizes(values: &[usize]) -> Attribute {
    Attribute::Ints(values.iter().map(|&value| value as i64).collect())
}
