//! Gradients of the network engine: the plain reference against finite differences, and the fast program against the
//! reference, on every instruction set and for any number of threads.

#[path = "network_gradients/case.rs"]
mod case;
#[path = "network_gradients/formulas.rs"]
mod formulas;
#[path = "network_gradients/reference.rs"]
mod reference;

use std::num::NonZeroUsize;

use case::Case;
use driftline_core::data::{Fraction, NonNegative, Shape};
use driftline_models::Runtime;
use driftline_models::network::layers::{
    BatchNorm, Conv, Dense, Dropout, Layer, MaxPool, Output, Padding,
};
use driftline_models::network::{Architecture, Isa};
use proptest::prelude::*;

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

fn available() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

/// Every layer, in odd sizes and in company.
fn cases() -> Vec<Case> {
    use Layer::{Add, Flatten, GlobalPool, Relu, Remember};
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
        case(
            vec![
                conv(4, 3, 1, Same),
                norm(),
                Relu,
                Remember,
                conv(5, 3, 1, Same),
                Relu,
                Remember,
                conv(5, 1, 1, Same),
                norm(),
                Add,
                conv(4, 3, 1, Same),
                norm(),
                Add,
                Relu,
                GlobalPool,
                dropout(),
                output(),
            ],
            image(6, 5, 2),
            3,
            19,
            14,
        ),
        case(
            vec![
                Remember,
                conv(2, 3, 1, Same),
                Relu,
                Add,
                conv(17, 2, 2, Same),
                Relu,
                Remember,
                Add,
                GlobalPool,
                output(),
            ],
            image(4, 7, 2),
            4,
            6,
            15,
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
        Architecture::residual(),
    ] {
        Case::new(architecture.layers, image(28, 28, 1), 10, 5, 11).check_fast();
    }
    Case::new(Architecture::mlp().layers, Shape::Vector(54), 2, 33, 12).check_fast();
}

/// The gradient with respect to inputs: reference against differences, every instruction set and number of threads against
/// the reference.
#[test]
fn gradients_reach_the_inputs() {
    let begins_affine = |case: &&Case| {
        let first = &case.blueprint().architecture().layers[0];
        let second = &case.blueprint().architecture().layers[1];
        let dense = matches!(first, Layer::Flatten) && matches!(second, Layer::Output(_));
        dense || matches!(first, Layer::Conv(_) | Layer::Dense(_))
    };
    let all = cases();
    let some: Vec<&Case> = all.iter().filter(begins_affine).collect();
    assert!(some.len() >= 8, "{}", some.len());
    for case in some {
        let weights = case.weights();
        let reference = case.whole_reference(&weights, None).inputs;
        let numbers = reference[0].len();
        for (row, gradients) in reference.iter().enumerate().take(2) {
            for at in (0..numbers).step_by(numbers.div_ceil(5)) {
                let loss = |by: f64| case.whole_reference(&weights, Some((row, at, by))).loss;
                let slope = (loss(1e-5) - loss(-1e-5)) / 2e-5;
                assert!((slope - gradients[at]).abs() <= 1e-6 + 1e-5 * slope.abs());
            }
        }
        let reference = reference.concat();
        let norm: f64 = reference.iter().map(|g| g * g).sum::<f64>().sqrt();
        for isa in available() {
            let gradient = |threads: usize| {
                let runtime = Runtime::default().with_isa(isa).with_threads(size(threads));
                let network = case.network.clone().with_runtime(&runtime).unwrap();
                network.input_gradient(&case.examples).unwrap()
            };
            let alone = gradient(1);
            let pairs = alone.iter().zip(&reference);
            let apart: f64 = pairs.map(|(a, b)| (f64::from(*a) - b).powi(2)).sum();
            assert!(
                apart.sqrt() <= 1e-5 * norm + 2e-6,
                "{isa}: {} of {norm}",
                apart.sqrt()
            );
            assert_eq!(gradient(3), alone, "{isa}");
        }
    }
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
