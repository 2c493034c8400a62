//! Generated domains: where they lie, how many there are, and what they are for. Features and frozen encoders.

use std::num::NonZeroUsize;

use driftline_adapt::{
    Bridge, Candidate, Curriculum, EachStep, Engine, Goat, Gradual, Matching, Space, Step, Version,
};
use driftline_core::data::{
    Domain, Examples, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Positive, Shape, Tail,
    Windowing,
};
use driftline_core::random::Seed;
use driftline_models::evaluate::accuracy;
use driftline_models::frozen::FrozenEncoderLearner;
use driftline_models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline_models::network::{Architecture, NetworkLearner};
use driftline_models::training::Training;
use driftline_models::{AnyLearner, AnyModel, Classifier, Learner};
use rand::RngExt;

/// Two blobs, one of each class, three deviations from the origin on a line that is turned by so many degrees.
fn blobs(degrees: f64, n: usize, seed: usize) -> LabeledDomain {
    let mut generator = Seed::new(21).nth(seed).generator();
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut values = vec![];
    let labels: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
    for &label in &labels {
        let side = if label == 0 { -3.0 } else { 3.0 };
        // The sum of twelve uniform draws is about normal, with deviation 1.
        let mut noise = || (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0;
        let (x, y) = (side * cos + noise(), side * sin + noise());
        values.extend([x as f32, y as f32]);
    }
    let inputs = Inputs::new(values, Shape::Vector(2)).unwrap();
    LabeledDomain::new(inputs, Labels::new(labels, 2).unwrap()).unwrap()
}

fn some(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

fn linear() -> AnyLearner {
    let penalty = Penalty::L2(NonNegative::new(0.2).unwrap());
    LinearLearner::new(Solver::FullBatch(FullBatch::default()), penalty).into()
}

fn network() -> AnyLearner {
    NetworkLearner::new(Architecture::mlp(), Training::paper(some(30))).into()
}

fn frozen() -> AnyLearner {
    let head = Architecture::linear(NonNegative::new(0.0).unwrap());
    FrozenEncoderLearner::new(Architecture::mlp(), head, Training::paper(some(30))).into()
}

/// Goes from the source over `windows`; every step.
fn follow(
    learner: &AnyLearner,
    curriculum: impl Curriculum + 'static,
    source: &LabeledDomain,
    mut windows: Vec<Domain>,
) -> driftline_core::Result<Vec<Step>> {
    let model = learner.fit(&Examples::from(source), Seed::new(0))?;
    let candidate = Candidate::paper(learner.clone(), curriculum, Fraction::new(0.1).unwrap());
    let mut adaptation = Engine::new(candidate, model, Seed::new(1)).with_source(source.clone());
    let mut steps = vec![];
    let mut sink = EachStep::new(&adaptation, |step: &Step| {
        steps.push(step.clone());
        Ok(())
    });
    adaptation.run(&mut windows, &mut sink)?;
    Ok(steps)
}

fn one_window() -> Windowing {
    Windowing::Size(some(400), Tail::Forbid)
}

fn generated(bridge: Bridge) -> Goat {
    Goat::new(one_window(), bridge)
}

/// A turn of 75° in one step is too far for the teacher's own labels, and not for eight small ones.
#[test]
fn a_long_step_is_made_in_small_ones() {
    let (source, target) = (blobs(0.0, 400, 0), blobs(75.0, 400, 1));
    let window = || vec![target.unlabeled()];
    let plain = follow(&linear(), Gradual::new(one_window()), &source, window()).unwrap();
    let plain = accuracy(&plain[0].version, &target).unwrap();
    assert!(plain < 0.92, "{plain}");
    let eight = Bridge {
        domains: Some(some(8)),
        ..Bridge::default()
    };
    let entropic = Bridge {
        matching: Matching::Entropic(Positive::new(0.01).unwrap()),
        ..eight
    };
    for bridge in [eight, entropic] {
        let steps = follow(&linear(), generated(bridge), &source, window()).unwrap();
        assert_eq!(steps.len(), 1, "a window makes one version");
        assert_eq!(steps[0].labeling.as_ref().unwrap().generated, 8);
        assert!(steps[0].assessed.is_none());
        let reached = accuracy(&steps[0].version, &target).unwrap();
        assert!(reached > 0.97, "{bridge:?}: {reached}");
    }
}

/// None where nothing has moved, more the farther it has, and never more than allowed.
#[test]
fn their_number_follows_the_distance() {
    let source = blobs(0.0, 400, 0);
    let number = |degrees: f64, bridge: Bridge| {
        let window = vec![blobs(degrees, 400, 7).unlabeled()];
        let steps = follow(&linear(), generated(bridge), &source, window).unwrap();
        steps[0].labeling.as_ref().unwrap().generated
    };
    let step = Bridge {
        step: Some(Positive::new(1.0).unwrap()),
        ..Bridge::default()
    };
    let numbers = [0.0, 20.0, 45.0, 75.0].map(|degrees| number(degrees, step));
    assert_eq!(numbers[0], 0, "{numbers:?}");
    assert!(
        numbers.is_sorted() && numbers[3] > numbers[1],
        "{numbers:?}"
    );
    let capped = Bridge {
        at_most: Some(some(2)),
        ..step
    };
    assert_eq!(number(75.0, capped), 2);
    assert_eq!(
        number(45.0, Bridge::default()),
        20,
        "small steps, as many as allowed"
    );
}

/// Between windows, too; and without a source or a window before there is nothing to go from.
#[test]
fn every_step_is_bridged_that_has_two_ends() {
    let source = blobs(0.0, 400, 0);
    let windows = [60.0, 120.0, 180.0].map(|degrees| blobs(degrees, 400, degrees as usize));
    let bridge = Bridge {
        domains: Some(some(6)),
        ..Bridge::default()
    };
    let domains = windows.iter().map(LabeledDomain::unlabeled).collect();
    let steps = follow(&linear(), generated(bridge), &source, domains).unwrap();
    let last = accuracy(&steps[2].version, &windows[2]).unwrap();
    assert!(last > 0.97, "{last}");

    let model = linear()
        .fit(&Examples::from(&source), Seed::new(0))
        .unwrap();
    let fraction = Fraction::new(0.1).unwrap();
    let candidate = Candidate::paper(linear(), generated(bridge), fraction);
    let mut alone = Engine::new(candidate, model, Seed::new(1));
    let windows = windows[..2].iter().map(LabeledDomain::unlabeled);
    let mut stream: Vec<Domain> = windows.collect();
    let mut numbers = vec![];
    let mut sink = EachStep::new(&alone, |step: &Step| {
        numbers.push(step.labeling.as_ref().unwrap().generated);
        Ok(())
    });
    alone.run(&mut stream, &mut sink).unwrap();
    assert_eq!(numbers, [0, 6]);
}

/// In the space of features the head alone goes along; the encoder keeps every bit.
#[test]
fn features_are_bridged_by_a_head_on_a_frozen_encoder_and_by_nothing_else() {
    let (source, target) = (blobs(0.0, 400, 0), blobs(40.0, 400, 1));
    let bridge = Bridge {
        domains: Some(some(3)),
        space: Space::Features,
        ..Bridge::default()
    };
    let window = || vec![target.unlabeled()];
    let steps = follow(&frozen(), generated(bridge), &source, window()).unwrap();
    let model = |version: &Version| {
        let found: Option<&driftline_models::frozen::FrozenEncoder> = version.model.downcast();
        found.unwrap().clone()
    };
    let (before, after) = (model(&steps[0].before), model(&steps[0].version));
    assert_eq!(before.encoder(), after.encoder());
    assert_ne!(before.head(), after.head());
    let refused = follow(&network(), generated(bridge), &source, window());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("frozen-encoder"), "{message}");
    // The features of a linear model are its inputs.
    assert!(follow(&linear(), generated(bridge), &source, window()).is_ok());
}

/// The output layer, by hand, on the features gives the network's own probabilities.
#[test]
fn features_are_what_the_last_layer_sees() {
    let source = blobs(0.0, 200, 3);
    let image = Shape::Image {
        height: 1,
        width: 2,
        channels: 1,
    };
    for architecture in [
        Architecture::mlp(),
        Architecture::linear(NonNegative::new(0.0).unwrap()),
    ] {
        let learner = NetworkLearner::new(architecture, Training::paper(some(5)));
        for shape in [Shape::Vector(2), image] {
            let inputs = Inputs::new(source.inputs().contiguous().into_owned(), shape).unwrap();
            let examples = Examples::from(&source).with_inputs(inputs.clone()).unwrap();
            let network = Learner::fit(&learner, &examples, Seed::new(2)).unwrap();
            let features = network.features(&inputs).unwrap().unwrap();
            let tensors = network.tensors();
            let [kernel, bias] =
                [tensors.len() - 2, tensors.len() - 1].map(|at| tensors[at].values);
            let found = network.probabilities(&inputs).unwrap();
            for (row, found) in features.iter().zip(found.iter()) {
                let score = |class: usize| -> f64 {
                    let terms = row.iter().zip(kernel.chunks_exact(2));
                    let sum: f64 = terms
                        .map(|(x, w)| f64::from(*x) * f64::from(w[class]))
                        .sum();
                    sum + f64::from(bias[class])
                };
                let right = 1.0 / (1.0 + (score(1) - score(0)).exp());
                assert!((f64::from(found[0]) - right).abs() < 1e-5);
            }
        }
    }
}

/// Stored and read again, with its optimiser's memory; features and inputs give the same probabilities.
#[test]
fn frozen_encoders_take_inputs_and_features_alike() {
    let source = blobs(0.0, 200, 4);
    let model: AnyModel = frozen()
        .fit(&Examples::from(&source), Seed::new(3))
        .unwrap();
    let features = model.features(source.inputs()).unwrap().unwrap();
    assert!(model.takes(features.shape()) && model.takes(Shape::Vector(2)));
    assert!(!model.takes(Shape::Vector(3)));
    assert_eq!(
        model.probabilities(&features).unwrap(),
        model.probabilities(source.inputs()).unwrap()
    );
    let refitted = frozen().refit(
        &model,
        &Examples::from(&source).with_inputs(features).unwrap(),
        Seed::new(4),
    );
    let from_inputs = frozen().refit(&model, &Examples::from(&source), Seed::new(4));
    assert!(refitted.unwrap() == from_inputs.unwrap());
}
