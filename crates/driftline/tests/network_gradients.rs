//! Gradients of the network engine: the plain reference against finite differences, and the fast program against the
//! reference, on every instruction set and for any number of threads.

use std::num::NonZeroUsize;

use driftline::data::{Examples, Fraction, Inputs, NonNegative, Probabilities, Shape, Targets};
use driftline::models::Runtime;
use driftline::models::network::layers::{
    BatchNorm, Conv, Dense, Dropout, Layer, MaxPool, Output, Padding,
};
use driftline::models::network::reference::{ReferenceBatch, loss_and_gradient};
use driftline::models::network::{Architecture, Blueprint, Isa, Network};
use driftline::random::Seed;
use proptest::prelude::*;
use rand::RngExt;

fn size(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

fn conv(channels: usize, kernel: usize, stride: usize, padding: Padding) -> Layer {
    Layer::Conv(Conv {
        channels: size(channels),
        kernel: size(kernel),
        stride: size(stride),
        padding,
        l2: NonNegative::new(0.01).unwrap(),
    })
}

fn dense(units: usize) -> Layer {
    Layer::Dense(Dense {
        units: size(units),
        l2: NonNegative::new(0.0).unwrap(),
    })
}

fn output() -> Layer {
    Layer::Output(Output {
        l2: NonNegative::new(0.02).unwrap(),
    })
}

fn pool(window: usize, stride: usize) -> Layer {
    Layer::MaxPool(MaxPool {
        size: size(window),
        stride: size(stride),
    })
}

fn norm() -> Layer {
    Layer::BatchNorm(BatchNorm::paper())
}

fn dropout() -> Layer {
    Layer::Dropout(Dropout {
        rate: Fraction::new(0.5).unwrap(),
    })
}

fn image(height: usize, width: usize, channels: usize) -> Shape {
    Shape::Image {
        height,
        width,
        channels,
    }
}

/// A network with random weights and a batch with random inputs, soft targets and weights.
struct Case {
    network: Network,
    examples: Examples,
}

impl Case {
    fn new(layers: Vec<Layer>, shape: Shape, n_classes: usize, n: usize, seed: u64) -> Self {
        let mut generator = Seed::new(seed).generator();
        let blueprint = Architecture { layers }.build(shape, n_classes).unwrap();
        let mut draw = |n: usize, limit: f32| -> Vec<f32> {
            (0..n)
                .map(|_| generator.random_range(-limit..limit))
                .collect()
        };
        // Biases and batch-norm scales away from their usual starts, where mistakes could hide.
        let start = Network::initial(blueprint.clone(), Seed::new(seed)).unwrap();
        let tensors = start.tensors();
        let weights = tensors.iter().flat_map(|tensor| {
            let moved = match tensor.dimensions.len() {
                1 => draw(tensor.values.len(), 0.3),
                _ => vec![0.0; tensor.values.len()],
            };
            tensor
                .values
                .iter()
                .zip(moved)
                .map(|(w, m)| w + m)
                .collect::<Vec<f32>>()
        });
        let weights = weights.collect();
        let inputs = Inputs::new(draw(n * shape.size(), 1.0), shape).unwrap();
        let mut targets: Vec<f32> = draw(n * n_classes, 0.5).iter().map(|v| v + 0.6).collect();
        for row in targets.chunks_exact_mut(n_classes) {
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|t| *t /= sum);
        }
        let example_weights = draw(n, 0.5).iter().map(|v| v + 1.0).collect();
        let targets = Targets::Soft(Probabilities::new(targets, n_classes).unwrap());
        Self {
            network: Network::new(blueprint, weights).unwrap(),
            examples: Examples::new(inputs, targets)
                .unwrap()
                .with_weights(example_weights)
                .unwrap(),
        }
    }

    fn blueprint(&self) -> &Blueprint {
        self.network.blueprint()
    }

    fn weights(&self) -> Vec<f64> {
        let tensors = self.network.tensors();
        let values = tensors.iter().flat_map(|tensor| tensor.values);
        values.map(|&w| f64::from(w)).collect()
    }

    /// Loss and gradient of the plain reference at `weights`.
    fn reference(&self, weights: &[f64]) -> (f64, Vec<f64>) {
        let n = self.examples.len();
        let wide = |row: &[f32]| row.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
        let mut target = vec![0.0; self.examples.n_classes()];
        let targets: Vec<Vec<f64>> = (0..n)
            .map(|row| {
                self.examples.targets().write_row(row, &mut target);
                wide(&target)
            })
            .collect();
        let scale = f64::from(self.examples.weight_scale()) / n as f64;
        let shares: Vec<f64> = (0..n)
            .map(|row| scale * f64::from(self.examples.weight(row)))
            .collect();
        let inputs: Vec<Vec<f64>> = self.examples.inputs().iter().map(wide).collect();
        let batch = ReferenceBatch {
            inputs: &inputs,
            targets: &targets,
            shares: &shares,
            factors: &[],
        };
        let result = loss_and_gradient(self.blueprint(), weights, &batch);
        (result.loss, result.gradient)
    }

    fn fast(&self, isa: Isa, threads: usize) -> (f64, Vec<f32>) {
        let runtime = Runtime::default().with_isa(isa).with_threads(size(threads));
        let network = self.network.clone();
        let network = network.with_runtime(&runtime).unwrap();
        network.loss_and_gradient(&self.examples).unwrap()
    }

    /// ‖a − b‖ ≤ tolerance·‖b‖ for every tensor, against the reference.
    fn check_fast(&self) {
        let (loss, reference) = self.reference(&self.weights());
        for isa in available() {
            let (fast_loss, fast) = self.fast(isa, 1);
            assert!(
                (fast_loss - loss).abs() <= 1e-5 * loss.abs(),
                "{isa}: {fast_loss} {loss}"
            );
            let mut at = 0;
            for tensor in self.network.tensors() {
                let range = at..at + tensor.values.len();
                at = range.end;
                let (a, b) = (&fast[range.clone()], &reference[range]);
                let apart: f64 = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| (f64::from(*a) - b).powi(2))
                    .sum();
                let norm: f64 = b.iter().map(|b| b * b).sum();
                assert!(
                    apart.sqrt() <= 1e-5 * norm.sqrt() + 2e-6,
                    "{isa} {}: {} of {}",
                    tensor.name,
                    apart.sqrt(),
                    norm.sqrt()
                );
            }
        }
    }

    /// The reference's gradient against central differences, at up to `most` weights of each tensor.
    fn check_reference(&self, most: usize) {
        let weights = self.weights();
        let (_, gradient) = self.reference(&weights);
        let mut start = 0;
        for tensor in self.network.tensors() {
            let n = tensor.values.len();
            for at in (0..n).step_by(n.div_ceil(most)).map(|at| start + at) {
                let step = 1e-5;
                let loss = |change: f64| {
                    let mut moved = weights.clone();
                    moved[at] += change;
                    self.reference(&moved).0
                };
                let slope = (loss(step) - loss(-step)) / (2.0 * step);
                assert!(
                    (slope - gradient[at]).abs() <= 1e-6 + 1e-5 * gradient[at].abs(),
                    "{} [{}]: {slope} {}",
                    tensor.name,
                    at - start,
                    gradient[at]
                );
            }
            start += n;
        }
    }
}

fn available() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

/// Every layer, in odd sizes and in company.
fn cases() -> Vec<Case> {
    use Layer::{Flatten, Relu};
    use Padding::{Even, Same, Valid};
    let case = Case::new;
    vec![
        case(vec![Flatten, output()], Shape::Vector(5), 3, 7, 1),
        case(vec![Flatten, output()], image(3, 2, 2), 2, 9, 2),
        case(
            vec![dense(20), Relu, dense(7), output()],
            Shape::Vector(9),
            4,
            19,
            3,
        ),
        case(
            vec![norm(), dense(6), norm(), Relu, output()],
            Shape::Vector(4),
            3,
            21,
            4,
        ),
        case(
            vec![conv(3, 3, 2, Same), Flatten, output()],
            image(7, 5, 2),
            3,
            5,
            5,
        ),
        case(
            vec![
                conv(5, 5, 2, Same),
                Relu,
                conv(6, 5, 2, Same),
                Relu,
                Flatten,
                output(),
            ],
            image(9, 8, 1),
            3,
            10,
            6,
        ),
        case(
            vec![
                conv(4, 3, 1, Valid),
                Relu,
                pool(2, 2),
                conv(3, 2, 3, Even(1)),
                norm(),
                Relu,
                Flatten,
                output(),
            ],
            image(10, 7, 3),
            2,
            9,
            7,
        ),
        case(
            vec![
                conv(17, 1, 2, Same),
                dropout(),
                norm(),
                Relu,
                Flatten,
                norm(),
                dense(33),
                Relu,
                output(),
            ],
            image(5, 6, 2),
            5,
            17,
            8,
        ),
        case(
            vec![
                conv(32, 2, 3, Same),
                Relu,
                conv(32, 1, 3, Valid),
                Relu,
                Flatten,
                Relu,
                output(),
            ],
            image(11, 13, 1),
            2,
            6,
            9,
        ),
        case(
            vec![
                pool(3, 1),
                Relu,
                conv(2, 4, 1, Same),
                pool(2, 1),
                Flatten,
                output(),
            ],
            image(6, 6, 1),
            3,
            8,
            10,
        ),
    ]
}

#[test]
fn the_reference_agrees_with_finite_differences() {
    for case in cases() {
        case.check_reference(25);
    }
}

#[test]
fn every_instruction_set_agrees_with_the_reference() {
    for (index, case) in cases().iter().enumerate() {
        println!("case {index}");
        case.check_fast();
    }
}

#[test]
fn the_papers_networks_agree_with_the_reference() {
    for architecture in [
        Architecture::paper_conv(),
        Architecture::unregularized_conv(),
        Architecture::extra_dense(size(20)),
    ] {
        Case::new(architecture.layers, image(28, 28, 1), 10, 5, 11).check_fast();
    }
    Case::new(Architecture::mlp().layers, Shape::Vector(54), 2, 33, 12).check_fast();
}

#[test]
fn threads_change_no_bit() {
    for n in [3, 32, 100] {
        let case = Case::new(
            Architecture::paper_conv().layers,
            image(28, 28, 1),
            10,
            n,
            13,
        );
        for isa in available() {
            let alone = case.fast(isa, 1);
            for threads in [2, 3, 8] {
                assert_eq!(
                    case.fast(isa, threads),
                    alone,
                    "{isa}, {n} examples, {threads} threads"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Any kernel, stride, padding, size and channel count: the fast program agrees with the reference.
    #[test]
    fn any_convolution_agrees(
        (height, width, channels) in (1_usize..12, 1_usize..12, 1_usize..4),
        (first, second) in (1_usize..36, 1_usize..20),
        (kernel, stride) in (1_usize..6, 1_usize..4),
        (kernel2, stride2) in (1_usize..5, 1_usize..4),
        padding in prop_oneof![Just(Padding::Same), Just(Padding::Valid), (0_usize..3).prop_map(Padding::Even)],
        n in 1_usize..12,
        seed in any::<u64>(),
    ) {
        let layers = vec![
            conv(first, kernel, stride, padding),
            Layer::Relu,
            conv(second, kernel2, stride2, Padding::Same),
            Layer::Flatten,
            output(),
        ];
        let architecture = Architecture { layers: layers.clone() };
        prop_assume!(architecture.build(image(height, width, channels), 3).is_ok());
        Case::new(layers, image(height, width, channels), 3, n, seed).check_fast();
    }
}
