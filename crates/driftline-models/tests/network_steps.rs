//! Steps of a network that look at no label of the window: batch-norm adaptation, entropy minimisation, and
//! domain-adversarial training by gradient reversal. `bench/network_baselines.py` sets them beside PyTorch.

use std::num::NonZeroUsize;

use driftline_core::data::{
    Examples, Inputs, LabeledDomain, Labels, Positive, Probabilities, Shape, Targets,
};
use driftline_core::random::Seed;
use driftline_models::network::layers::{BatchNorm, Dense, Layer, Output};
use driftline_models::network::{Architecture, Network, NetworkLearner, Steps};
use driftline_models::training::Training;
use driftline_models::{Classifier, Learner, Runtime};
use rand::RngExt;

fn size(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

/// Two classes apart along the first feature, all of it moved by `shift` along the second.
fn clouds(n: usize, shift: f32, seed: u64) -> LabeledDomain {
    let mut generator = Seed::new(seed).generator();
    let (mut values, mut labels) = (vec![], vec![]);
    for _ in 0..n {
        let class = generator.random_range(0..2_u32);
        let mut noise = || generator.random_range(-1.0..1.0_f32);
        values.extend([3.0 * class as f32 + noise(), shift + noise(), noise()]);
        labels.push(class);
    }
    let inputs = Inputs::new(values, Shape::Vector(3)).unwrap();
    LabeledDomain::new(inputs, Labels::new(labels, 2).unwrap()).unwrap()
}

fn learner(steps: Option<Steps>) -> NetworkLearner {
    let none = driftline_core::data::NonNegative::new(0.0).unwrap();
    let layers = vec![
        Layer::Dense(Dense {
            units: size(8),
            l2: none,
        }),
        Layer::Relu,
        Layer::BatchNorm(BatchNorm::paper()),
        Layer::Output(Output { l2: none }),
    ];
    NetworkLearner {
        steps,
        ..NetworkLearner::new(Architecture { layers }, Training::paper(size(20)))
    }
}

fn source_model() -> Network {
    let source = Examples::from(&clouds(400, 0.0, 1));
    learner(None).fit(&source, Seed::new(0)).unwrap()
}

/// The same inputs with all labels the other way round.
fn contrary(window: &LabeledDomain) -> Examples {
    let labels = window.labels().as_slice().iter().map(|l| 1 - l).collect();
    let labels = Labels::new(labels, 2).unwrap();
    Examples::new(window.inputs().clone(), Targets::Hard(labels)).unwrap()
}

fn entropy(probabilities: &Probabilities) -> f64 {
    let of = |p: &f32| -f64::from(*p) * f64::from(p.max(1e-30)).ln();
    probabilities.iter().flatten().map(of).sum::<f64>() / probabilities.len() as f64
}

#[test]
fn statistics_become_the_windows_and_nothing_else_moves() {
    let start = source_model();
    let window = clouds(96, 4.0, 2);
    let learner = learner(Some(Steps::Statistics));
    let adapted = learner
        .refit(&start, &Examples::from(&window), Seed::new(1))
        .unwrap();
    assert_eq!(adapted.tensors(), start.tensors());
    assert_ne!(adapted.statistics(), start.statistics());
    let other = learner.refit(&start, &contrary(&window), Seed::new(1));
    assert!(other.unwrap() == adapted, "a label was looked at");
    // Three batches of 32: the mean of their means is the mean of all, by hand from the weights.
    let tensors = start.tensors();
    let (kernel, bias) = (tensors[0].values, tensors[1].values);
    let mut means = [0.0_f64; 8];
    for row in window.inputs().iter() {
        for (unit, mean) in means.iter_mut().enumerate() {
            let sum: f32 = (0..3).map(|i| row[i] * kernel[i * 8 + unit]).sum();
            *mean += f64::from((sum + bias[unit]).max(0.0)) / window.len() as f64;
        }
    }
    let kept = adapted.statistics();
    for (mean, kept) in means.iter().zip(kept[0].values) {
        assert!((mean - f64::from(*kept)).abs() < 1e-4, "{mean} {kept}");
    }
}

#[test]
fn entropy_falls_by_scales_and_shifts_alone() {
    let start = source_model();
    let window = clouds(200, 1.5, 3);
    let statistics = learner(Some(Steps::Statistics));
    let learner = learner(Some(Steps::Entropy));
    let examples = Examples::from(&window);
    let refit = |learner: &NetworkLearner| learner.refit(&start, &examples, Seed::new(1)).unwrap();
    let adapted = refit(&learner);
    for (before, after) in start.tensors().iter().zip(adapted.tensors()) {
        let is_norm = before.name.contains("batch-norm");
        assert_eq!(before.values != after.values, is_norm, "{}", before.name);
    }
    let of = |model: &Network| entropy(&model.probabilities(window.inputs()).unwrap());
    let (before, after) = (of(&refit(&statistics)), of(&adapted));
    assert!(after < before, "{before} {after}");
    let other = learner.refit(&start, &contrary(&window), Seed::new(1));
    assert!(other.unwrap() == adapted, "a label was looked at");
    let threads = Runtime::default().with_threads(size(3));
    assert!(refit(&learner.clone().with_runtime(&threads)) == adapted);
}

/// How far apart source and window are in what the network makes of them: the squared distance of their means, in
/// deviations, summed over the hidden units.
fn apart(model: &Network, source: &LabeledDomain, window: &LabeledDomain) -> f64 {
    let tensors = model.tensors();
    let (kernel, bias) = (tensors[0].values, tensors[1].values);
    let of = |domain: &LabeledDomain, unit: usize| -> [f64; 2] {
        let hidden = domain.inputs().iter().map(|row| {
            let sum: f32 = (0..3).map(|i| row[i] * kernel[i * 8 + unit]).sum();
            f64::from((sum + bias[unit]).max(0.0))
        });
        let hidden: Vec<f64> = hidden.collect();
        let mean = hidden.iter().sum::<f64>() / hidden.len() as f64;
        let square = |h: &f64| (h - mean).powi(2);
        [
            mean,
            hidden.iter().map(square).sum::<f64>() / hidden.len() as f64,
        ]
    };
    let of_unit = |unit: usize| {
        let ([a, v], [b, w]) = (of(source, unit), of(window, unit));
        (a - b).powi(2) / (0.5 * (v + w) + 1e-6)
    };
    (0..8).map(of_unit).sum()
}

#[test]
fn reversed_gradients_make_domains_alike_and_read_no_label_of_the_window() {
    let start = source_model();
    let (source, window) = (clouds(400, 0.0, 1), clouds(400, 1.5, 4));
    let weight = Positive::new(0.3).unwrap();
    let reversal = learner(Some(Steps::Dann { weight }));
    let joined = |window: &Examples| window.joined_with(&source, 1.0).unwrap();
    let refit = |learner: &NetworkLearner, examples: &Examples| {
        learner.refit(&start, examples, Seed::new(1)).unwrap()
    };
    let adapted = refit(&reversal, &joined(&Examples::from(&window)));
    assert!(refit(&reversal, &joined(&contrary(&window))) == adapted);
    let hardly = Positive::new(1e-9).unwrap();
    let hardly = learner(Some(Steps::Dann { weight: hardly }));
    let hardly = refit(&hardly, &joined(&Examples::from(&window)));
    let (before, after) = (
        apart(&hardly, &source, &window),
        apart(&adapted, &source, &window),
    );
    assert!(after < 0.5 * before, "{before} {after}");
    let predicted = adapted.predict(source.inputs()).unwrap();
    let right = predicted.as_slice().iter().zip(source.labels().as_slice());
    assert!(right.filter(|(a, b)| a == b).count() > 380);
    let threads = Runtime::default().with_threads(size(3));
    let shared = reversal.clone().with_runtime(&threads);
    assert!(refit(&shared, &joined(&Examples::from(&window))) == adapted);
}

#[test]
fn what_cannot_work_is_said() {
    let start = source_model();
    let window = Examples::from(&clouds(40, 1.0, 5));
    let weight = Positive::new(1.0).unwrap();
    let alone = learner(Some(Steps::Dann { weight }));
    let message = alone.refit(&start, &window, Seed::new(1)).unwrap_err();
    assert!(
        message.to_string().contains("self-training.replay"),
        "{message}"
    );
    let linear = Architecture::linear(driftline_core::data::NonNegative::new(0.0).unwrap());
    let mut linear = NetworkLearner::new(linear, Training::paper(size(1)));
    let start = linear.fit(&window, Seed::new(0)).unwrap();
    linear.steps = Some(Steps::Statistics);
    let message = linear.refit(&start, &window, Seed::new(1)).unwrap_err();
    assert!(message.to_string().contains("batch norms"), "{message}");
}
