//! The network learner and its files: what is carried on, what is forgotten, what is refused.

use std::num::NonZeroUsize;

use driftline_core::data::{Examples, Fraction, Inputs, Labels, Positive, Shape, Targets};
use driftline_core::random::Seed;
use driftline_models::network::{Architecture, Isa, Network, NetworkLearner};
use driftline_models::optimizer::{Optimizer, Sgd};
use driftline_models::training::Training;
use driftline_models::{Augmentation, Classifier, Learner, Runtime};
use proptest::prelude::*;
use rand::RngExt;

fn size(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

/// Images whose class is the quarter that is bright.
fn quarters(n: usize, side: usize, seed: u64) -> Examples {
    let mut generator = Seed::new(seed).generator();
    let mut labels = vec![];
    let mut values = vec![];
    for _ in 0..n {
        let class = generator.random_range(0..4_u32);
        labels.push(class);
        for y in 0..side {
            for x in 0..side {
                let quarter = 2 * u32::from(2 * y >= side) + u32::from(2 * x >= side);
                let bright = if quarter == class { 1.0 } else { 0.0 };
                values.push(bright + generator.random_range(-0.5..0.5_f32));
            }
        }
    }
    let shape = Shape::Image {
        height: side,
        width: side,
        channels: 1,
    };
    let targets = Targets::Hard(Labels::new(labels, 4).unwrap());
    Examples::new(Inputs::new(values, shape).unwrap(), targets).unwrap()
}

fn learner(epochs: usize) -> NetworkLearner {
    NetworkLearner::new(Architecture::paper_conv(), Training::paper(size(epochs)))
}

fn accuracy(network: &Network, examples: &Examples) -> f64 {
    let Targets::Hard(labels) = examples.targets() else {
        unreachable!("the examples above have hard labels")
    };
    let predicted = network.predict(examples.inputs()).unwrap();
    let right = predicted.as_slice().iter().zip(labels.as_slice());
    right.filter(|(a, b)| a == b).count() as f64 / examples.len() as f64
}

fn momentum() -> Optimizer {
    Optimizer::Sgd(Sgd {
        rate: Positive::new(0.01).unwrap(),
        momentum: Fraction::new(0.9).unwrap(),
    })
}

#[test]
fn every_optimiser_learns_the_quarters() {
    let (train, test) = (quarters(600, 12, 1), quarters(200, 12, 2));
    for optimizer in [Training::paper(size(1)).optimizer, momentum()] {
        for sharpness in [None, Some(Positive::new(0.05).unwrap())] {
            let mut learner = learner(6);
            learner.training.optimizer = optimizer;
            learner.training.sharpness = sharpness;
            let network = learner.fit(&train, Seed::new(3)).unwrap();
            let score = accuracy(&network, &test);
            assert!(score > 0.9, "{optimizer:?} {sharpness:?}: {score}");
        }
    }
}

#[test]
fn threads_change_no_bit_of_a_training_run() {
    let train = quarters(70, 12, 1);
    for optimizer in [Training::paper(size(1)).optimizer, momentum()] {
        let fit = |threads: usize| {
            let mut learner = learner(2);
            learner.training.optimizer = optimizer;
            learner.training.sharpness = Some(Positive::new(0.05).unwrap());
            learner.runtime = Runtime::default().with_threads(size(threads));
            learner.fit(&train, Seed::new(3)).unwrap()
        };
        let alone = fit(1);
        for threads in [2, 3, 8] {
            assert!(fit(threads) == alone, "{threads} threads");
        }
        let shared = alone
            .clone()
            .with_runtime(&Runtime::default().with_threads(size(3)));
        let many = quarters(500, 12, 9);
        assert_eq!(
            shared.unwrap().probabilities(many.inputs()).unwrap(),
            alone.probabilities(many.inputs()).unwrap()
        );
    }
}

/// Everything that can be switched on in training, alone and all at once.
fn variations() -> Vec<(&'static str, Training)> {
    let plain = learner(2).training;
    let augment = Some(Augmentation {
        shift: NonZeroUsize::new(1),
        turn: Some(Positive::new(10.0).unwrap()),
        zoom: Some(Fraction::new(0.1).unwrap()),
        flip: true,
        contrast: Some(Fraction::new(0.2).unwrap()),
        erase: NonZeroUsize::new(3),
    });
    let mixup = Some(Fraction::new(0.4).unwrap());
    let adversarial = Some(Positive::new(0.05).unwrap());
    let average = Some(Fraction::new(0.9).unwrap());
    let all = Training {
        sharpness: Some(Positive::new(0.05).unwrap()),
        augment,
        mixup,
        adversarial,
        average,
        ..plain
    };
    vec![
        ("augment", Training { augment, ..plain }),
        ("mixup", Training { mixup, ..plain }),
        (
            "adversarial",
            Training {
                adversarial,
                ..plain
            },
        ),
        ("average", Training { average, ..plain }),
        ("all", all),
    ]
}

/// Neither threads nor instruction sets that round alike decide how inputs are varied; and what is switched on does
/// something.
#[test]
fn varied_training_has_the_same_bits_everywhere() {
    let train = quarters(70, 12, 1);
    let fit = |training: Training, isa: Isa, threads: usize| {
        let mut learner = learner(2);
        learner.training = training;
        learner.runtime = Runtime::default().with_isa(isa).with_threads(size(threads));
        learner.fit(&train, Seed::new(3)).unwrap()
    };
    let isa = Isa::detect();
    let plain = fit(learner(2).training, isa, 1);
    for (name, training) in variations() {
        let alone = fit(training, isa, 1);
        assert!(alone != plain, "{name} changes nothing");
        for threads in [2, 3, 8] {
            assert!(
                fit(training, isa, threads) == alone,
                "{name}, {threads} threads"
            );
        }
        let alike = [Isa::Avx512, Isa::Avx2, Isa::Fused].into_iter();
        if isa != Isa::Portable {
            for other in alike.filter(|isa| isa.is_available()) {
                assert!(fit(training, other, 1) == alone, "{name}, {other}");
            }
        }
    }
}

#[test]
fn varied_training_learns_the_quarters() {
    let (train, test) = (quarters(600, 12, 1), quarters(200, 12, 2));
    for (name, training) in variations() {
        let mut learner = learner(8);
        // Turning and mirroring do not keep the label here: a quarter is known by its place.
        learner.training = Training {
            epochs: size(8),
            augment: training.augment.map(|_| Augmentation {
                shift: NonZeroUsize::new(1),
                ..Augmentation::default()
            }),
            ..training
        };
        let network = learner.fit(&train, Seed::new(3)).unwrap();
        let score = accuracy(&network, &test);
        assert!(score > 0.85, "{name}: {score}");
    }
}

/// By hand from a training of one step: w̄ = w₀ + (1 − d)·(w₁ − w₀).
#[test]
fn averaged_weights_lag_behind() {
    let examples = quarters(20, 6, 4);
    let mut learner = learner(1);
    let start = learner.fit(&examples, Seed::new(0)).unwrap();
    let last = learner.refit(&start, &examples, Seed::new(1)).unwrap();
    learner.training.average = Some(Fraction::new(0.75).unwrap());
    let mean = learner.refit(&start, &examples, Seed::new(1)).unwrap();
    for ((a, b), m) in start
        .tensors()
        .iter()
        .zip(last.tensors())
        .zip(mean.tensors())
    {
        for ((a, b), m) in a.values.iter().zip(b.values).zip(m.values) {
            assert!((a + 0.25 * (b - a) - m).abs() < 1e-6, "{a} {b} {m}");
        }
    }
}

/// A last batch of 100 is cut into more groups than a whole one of 150.
#[test]
fn a_smaller_last_batch_may_have_more_groups() {
    let examples = quarters(250, 4, 3);
    let mut learner = learner(1);
    learner.training.batch_size = size(150);
    let network = learner.fit(&examples, Seed::new(0)).unwrap();
    assert!(accuracy(&network, &examples).is_finite());
}

/// Adam has two moments and gradient descent one velocity: neither can go on from the other's.
#[test]
fn another_optimiser_begins_afresh() {
    let examples = quarters(64, 4, 4);
    let mut descent = learner(1);
    descent.training.optimizer = momentum();
    let start = descent.fit(&examples, Seed::new(0)).unwrap();
    let adam = learner(1);
    let carried = adam.refit(&start, &examples, Seed::new(1)).unwrap();
    let afresh = adam.refit(&adam.forget(&start), &examples, Seed::new(1));
    assert_ne!(carried.tensors(), start.tensors());
    assert_eq!(carried.tensors(), afresh.unwrap().tensors());
}

/// A whole training run: every number is one chain of multiply-adds, in an order that lanes and tiles do not change.
#[test]
fn instruction_sets_that_round_alike_train_to_the_same_bits() {
    let train = quarters(100, 12, 1);
    let trained = |isa: Isa| {
        let mut learner = learner(2);
        learner.runtime.isa = isa;
        let first = learner.fit(&train, Seed::new(3)).unwrap();
        let network = learner.refit(&first, &train, Seed::new(4)).unwrap();
        let probabilities = network.probabilities(train.inputs()).unwrap();
        let tensors = network.tensors();
        let values = tensors.iter().flat_map(|tensor| tensor.values);
        let values = values.chain(probabilities.iter().flatten());
        values.map(|v| v.to_bits()).collect::<Vec<u32>>()
    };
    let fused = trained(Isa::Fused);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        assert_eq!(trained(isa) == fused, isa.rounds_like(Isa::Fused), "{isa}");
        assert_eq!(isa.stand_in(), Some(isa));
    }
    // Results of any machine can be made again on this one.
    for isa in Isa::ALL {
        let here = isa.stand_in();
        let alike = here.is_some_and(|here| here.is_available() && here.rounds_like(isa));
        assert!(alike || cfg!(not(target_arch = "x86_64")), "{isa}");
    }
}

#[test]
fn instruction_sets_agree_on_probabilities() {
    let train = quarters(100, 12, 1);
    let network = learner(1).fit(&train, Seed::new(3)).unwrap();
    let of = |isa: Isa| {
        let runtime = Runtime::default().with_isa(isa);
        let network = network.clone().with_runtime(&runtime).unwrap();
        network.probabilities(train.inputs()).unwrap()
    };
    let portable = of(Isa::Portable);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for (a, b) in of(isa).iter().flatten().zip(portable.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "{isa}: {a} {b}");
        }
    }
}

#[test]
fn refitting_carries_the_optimiser_on_and_forgetting_clears_it() {
    let train = quarters(40, 12, 1);
    let learner = learner(1);
    let network = learner.fit(&train, Seed::new(3)).unwrap();
    assert_eq!(network.steps(), 2);
    let further = learner.refit(&network, &train, Seed::new(4)).unwrap();
    assert_eq!(further.steps(), 4);
    let forgotten = learner.forget(&network);
    assert_eq!(forgotten.steps(), 0);
    assert_eq!(forgotten.tensors(), network.tensors());
    assert_eq!(forgotten.statistics(), network.statistics());
    let anew = learner.refit(&forgotten, &train, Seed::new(4)).unwrap();
    assert!(anew != further && anew.steps() == 2);
}

#[test]
fn a_file_resumes_bit_for_bit() {
    let train = quarters(40, 12, 1);
    for optimizer in [Training::paper(size(1)).optimizer, momentum()] {
        let mut learner = learner(1);
        learner.training.optimizer = optimizer;
        let network = learner.fit(&train, Seed::new(3)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("network.safetensors");
        for network in [&network, &learner.forget(&network)] {
            network.save(&path).unwrap();
            let loaded = Network::load(&path).unwrap();
            assert!(loaded == *network);
            let seed = Seed::new(4);
            assert!(
                learner.refit(&loaded, &train, seed).unwrap()
                    == learner.refit(network, &train, seed).unwrap()
            );
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

/// The bytes of a small network, for taking apart.
fn bytes() -> Vec<u8> {
    let architecture = Architecture::mlp();
    let learner = NetworkLearner::new(architecture, Training::paper(size(1)));
    learner
        .fit(&quarters(10, 4, 1), Seed::new(1))
        .unwrap()
        .to_bytes()
}

#[test]
fn faulty_files_are_refused_with_a_reason() {
    let good = bytes();
    let refused = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err();
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len(), "the header's length must stay");
        let at = good
            .windows(from.len())
            .position(|w| w == from.as_bytes())
            .unwrap();
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        refused(&bytes)
    };
    for cut in [0, 7, 100, good.len() / 2, good.len() - 1] {
        assert!(
            refused(&good[..cut]).contains("not a whole safetensors file"),
            "{cut}"
        );
    }
    assert!(replaced("batch-norm", "match-norm").contains("unknown variant `match-norm`"));
    assert!(
        replaced(r#"\"format\":1"#, r#"\"format\":9"#)
            .contains("it has format 9, and this version")
    );
    assert!(replaced(r#"\"units\":32"#, r#"\"units\":31"#).contains("must be F32 [16, 31]"));
    assert!(replaced("learned.1.dense.bias", "learned.1.dense.bibs").contains("has no array"));
    let mut nan = good.clone();
    let end = nan.len();
    nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(refused(&nan).contains("holds NaN"));
    assert!(Network::load("no/such/file").is_err());
}

#[test]
fn wrong_data_are_refused() {
    let learner = learner(1);
    let network = learner.fit(&quarters(10, 12, 1), Seed::new(1)).unwrap();
    assert!(
        learner
            .refit(&network, &quarters(10, 14, 1), Seed::new(1))
            .is_err()
    );
    assert!(network.probabilities(quarters(10, 14, 1).inputs()).is_err());
    let other = NetworkLearner::new(Architecture::deeper_conv(), learner.training);
    assert!(
        other
            .refit(&network, &quarters(10, 12, 1), Seed::new(1))
            .is_err()
    );
    let mut wild = learner.clone();
    wild.training.optimizer = Optimizer::Sgd(Sgd {
        rate: Positive::new(1e30).unwrap(),
        momentum: Fraction::new(0.9).unwrap(),
    });
    let error = wild.fit(&quarters(100, 12, 1), Seed::new(1)).unwrap_err();
    assert!(
        error.to_string().starts_with("training diverged"),
        "{error}"
    );
}

proptest! {
    /// No bytes make reading panic, whether they are noise or a damaged network.
    #[test]
    fn reading_never_panics(
        noise in proptest::collection::vec(any::<u8>(), 0..200),
        place in any::<prop::sample::Index>(),
        damage in any::<u8>(),
    ) {
        let _ = Network::from_bytes(&noise);
        let mut bytes = bytes();
        // Half of the damage goes to the header, where the structure is.
        let header = 8 + bytes[0] as usize + 256 * bytes[1] as usize;
        let at = place.index(if damage % 2 == 0 { header } else { bytes.len() });
        bytes[at] ^= damage;
        if let Ok(network) = Network::from_bytes(&bytes) {
            prop_assert!(network.tensors().iter().all(|t| t.values.iter().all(|v| v.is_finite())));
        }
    }
}

/// As small as a network of this shape can be, for an interpreter that watches every access and every race: see
/// `docs/network.md`.
#[test]
fn two_threads_of_plain_rust_train_a_tiny_network_as_one_does() {
    let examples = quarters(18, 4, 1);
    let fit = |threads: usize| {
        let mut learner = learner(1);
        learner.architecture = Architecture::wider_conv(size(1));
        learner.runtime = Runtime::default()
            .with_isa(Isa::Portable)
            .with_threads(size(threads));
        learner.fit(&examples, Seed::new(0)).unwrap()
    };
    let one = fit(1).probabilities(examples.inputs()).unwrap();
    assert!(one == fit(2).probabilities(examples.inputs()).unwrap());
}
