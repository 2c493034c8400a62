//! The network engine against Keras and PyTorch: same weights, same batches, no dropout. `reference/` holds the script, the
//! numbers it printed and the versions that made them.

use std::num::NonZeroUsize;

use driftline_core::data::{
    Examples, Fraction, Inputs, Labels, NonNegative, Positive, Shape, Targets,
};
use driftline_core::random::Seed;
use driftline_models::network::layers::{
    BatchNorm, Conv, Dense, Layer, MovingVariance, Output, Padding,
};
use driftline_models::network::{Architecture, Isa, Network, NetworkLearner};
use driftline_models::optimizer::{Adam, Optimizer, Sgd};
use driftline_models::training::Training;
use driftline_models::{Classifier, Learner, Runtime};
use serde_json::Value;

const STEPS: usize = 50;
const BATCHES: usize = 5;
const BATCH: usize = 32;

/// Numbers in [−1, 1) from integer arithmetic alone, as the script computes them.
fn wave(n: usize, salt: u64) -> Vec<f32> {
    let number = |index: u64| {
        let mut h = ((index + 1 + 7919 * salt) * 2_654_435_761) % (1 << 32);
        h ^= h >> 15;
        h = (h * 2_246_822_519) % (1 << 32);
        h ^= h >> 13;
        ((h >> 8) as f64 / f64::from(1 << 23) - 1.0) as f32
    };
    (0..n as u64).map(number).collect()
}

#[derive(Clone, Copy)]
struct Convention {
    padding: Padding,
    moving_variance: MovingVariance,
}

/// The two networks of the script.
fn network(name: &str, convention: Convention) -> Network {
    let size = |n| NonZeroUsize::new(n).unwrap();
    let l2 = NonNegative::new(0.0).unwrap();
    let conv = |channels| {
        let conv = Conv {
            channels: size(channels),
            kernel: size(5),
            stride: size(2),
            padding: convention.padding,
            l2,
        };
        [Layer::Conv(conv), Layer::Relu]
    };
    let norm = Layer::BatchNorm(BatchNorm {
        moving_variance: convention.moving_variance,
        ..BatchNorm::paper()
    });
    let output = Layer::Output(Output { l2 });
    let dense = Layer::Dense(Dense {
        units: size(12),
        l2,
    });
    let (layers, side, channels, classes) = match name {
        "paper" => {
            let layers = [conv(32), conv(32), conv(32)].concat();
            (
                [layers, vec![norm, Layer::Flatten, output]].concat(),
                28,
                1,
                10,
            )
        }
        _ => {
            let first = [conv(5).to_vec(), vec![norm], conv(20).to_vec()].concat();
            let last = vec![Layer::Flatten, dense, Layer::Relu, norm, output];
            ([first, last].concat(), 9, 2, 3)
        }
    };
    let shape = Shape::Image {
        height: side,
        width: side,
        channels,
    };
    let blueprint = Architecture { layers }.build(shape, classes).unwrap();
    let fresh = Network::initial(blueprint.clone(), Seed::new(0)).unwrap();
    let tensors = fresh.tensors();
    let weights = tensors.iter().enumerate().flat_map(|(salt, tensor)| {
        let [area @ .., inputs, outputs] = &tensor.dimensions[..] else {
            return tensor.values.to_vec();
        };
        let area: usize = area.iter().product();
        let limit = (6.0 / (area * (inputs + outputs)) as f64).sqrt() as f32;
        let wave = wave(tensor.values.len(), salt as u64);
        wave.iter().map(|w| w * limit).collect()
    });
    let weights = weights.collect();
    Network::new(blueprint, weights).unwrap()
}

fn batches(network: &Network) -> Vec<Examples> {
    let Shape::Image {
        height, channels, ..
    } = network.shape()
    else {
        unreachable!("both networks see images")
    };
    let classes = network.n_classes();
    let n = BATCHES * BATCH;
    let pixels = height * height * channels;
    let mut values: Vec<f32> = wave(n * pixels, 2000)
        .iter()
        .map(|v| (v + 1.0) / 2.0)
        .collect();
    let labels: Vec<u32> = (0..n).map(|i| ((i * 7 + i / 3) % classes) as u32).collect();
    let row = height * channels;
    for (image, &label) in values.chunks_exact_mut(pixels).zip(&labels) {
        let start = (label as usize % height) * row;
        image[start..start + row].iter_mut().for_each(|v| *v += 1.0);
    }
    let inputs = Inputs::new(values, network.shape()).unwrap();
    let targets = Targets::Hard(Labels::new(labels, classes).unwrap());
    let all = Examples::new(inputs, targets).unwrap();
    let rows: Vec<usize> = (0..n).collect();
    rows.chunks(BATCH).map(|rows| all.pick(rows)).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|v| v.as_f64().unwrap()).collect()
}

/// ‖a − b‖ ≤ 1e-5·‖b‖ for every gradient tensor. The file holds products of b with 24 directions; the mean square of
/// the differences along them, times the dimension, estimates ‖a − b‖².
fn check_gradients(network: &Network, batch: &Examples, golden: &Value) {
    let (_, gradient) = network.loss_and_gradient(batch).unwrap();
    let mut rest = &gradient[..];
    let golden = golden.as_array().unwrap();
    let tensors = network.tensors();
    assert_eq!(tensors.len(), golden.len());
    for (index, (tensor, golden)) in tensors.iter().zip(golden).enumerate() {
        let (own, others) = rest.split_at(tensor.values.len());
        rest = others;
        let norm = golden["norm"].as_f64().unwrap();
        let mut squares = 0.0;
        let along = numbers(&golden["along"]);
        for (d, along) in along.iter().enumerate() {
            let direction = wave(own.len(), 5000 + 100 * index as u64 + d as u64);
            let wide = || direction.iter().map(|&v| f64::from(v));
            let length = wide().map(|v| v * v).sum::<f64>().sqrt();
            let product: f64 = own.iter().zip(wide()).map(|(&g, v)| f64::from(g) * v).sum();
            squares += (product / length - along).powi(2);
        }
        let apart = (squares / along.len() as f64 * own.len() as f64).sqrt();
        // Biases before a batch norm have gradient 0 but for rounding.
        assert!(
            apart <= 1e-5 * norm + 2e-7,
            "{}: {apart} of {norm}",
            tensor.name
        );
    }
}

fn check(
    framework: &str,
    name: &str,
    golden: &Value,
    convention: Convention,
    optimizer: Optimizer,
    statistics: &str,
) {
    let size = |n| NonZeroUsize::new(n).unwrap();
    let golden = &golden[name];
    // The portable kernels are slow; they have the small network and, elsewhere, the plain reference to agree with.
    let isas = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let plain = [Isa::Portable, Isa::Fused];
    for isa in isas.filter(|isa| !plain.contains(isa) || name == "odd") {
        let runtime = Runtime::default().with_isa(isa);
        let mut network = network(name, convention).with_runtime(&runtime).unwrap();
        let batches = batches(&network);
        check_gradients(&network, &batches[0], &golden["gradients"]);
        let mut training = Training::paper(size(1));
        training.batch_size = size(BATCH);
        training.optimizer = optimizer;
        let mut learner = NetworkLearner::new(network.blueprint().architecture().clone(), training);
        learner.runtime = runtime;
        let losses = numbers(&golden["losses"]);
        for (step, right) in losses.iter().enumerate().take(STEPS) {
            let batch = &batches[step % BATCHES];
            let (loss, _) = network.loss_and_gradient(batch).unwrap();
            let what = format!("{framework} {name} {isa} step {step}");
            assert!((loss - right).abs() <= 1e-3, "{what}: {loss} {right}");
            network = learner
                .refit(&network, batch, Seed::new(step as u64))
                .unwrap();
        }
        for (tensor, right) in network
            .statistics()
            .iter()
            .zip(golden[statistics].as_array().unwrap())
        {
            for (a, b) in tensor.values.iter().zip(numbers(right)) {
                let close = (f64::from(*a) - b).abs() <= 1e-3 * b.abs().max(1.0);
                assert!(close, "{framework} {name} {isa} {}: {a} {b}", tensor.name);
            }
        }
        let probabilities = network
            .probabilities(&batches[0].inputs().slice(0..4))
            .unwrap();
        for (row, right) in probabilities
            .iter()
            .zip(golden["probabilities"].as_array().unwrap())
        {
            for (a, b) in row.iter().zip(numbers(right)) {
                assert!(
                    (f64::from(*a) - b).abs() <= 1e-2,
                    "{framework} {name} {isa}: {a} {b}"
                );
            }
        }
    }
}

#[test]
fn keras_agrees() {
    let golden: Value = serde_json::from_str(include_str!("reference/keras.json")).unwrap();
    let optimizer = Optimizer::Adam(Adam::paper());
    for (moving_variance, statistics) in [
        (MovingVariance::Biased, "statistics"),
        (MovingVariance::UnbiasedForImages, "fused_statistics"),
    ] {
        let convention = Convention {
            padding: Padding::Same,
            moving_variance,
        };
        for name in ["paper", "odd"] {
            check("Keras", name, &golden, convention, optimizer, statistics);
        }
    }
}

#[test]
fn torch_agrees() {
    let golden: Value = serde_json::from_str(include_str!("reference/torch.json")).unwrap();
    let optimizer = Optimizer::Sgd(Sgd {
        rate: Positive::new(0.001).unwrap(),
        momentum: Fraction::new(0.9).unwrap(),
    });
    let convention = Convention {
        padding: Padding::Even(2),
        moving_variance: MovingVariance::Unbiased,
    };
    for name in ["paper", "odd"] {
        check(
            "PyTorch",
            name,
            &golden,
            convention,
            optimizer,
            "statistics",
        );
    }
}
