//! The guard of the engine's revision: the exact bits of a tiny run, pinned beside `ENGINE_REVISION`.
//!
//! The numbers come from this program itself; they say that nothing changed, not that it is right (other tests do).
//! Data and arithmetic avoid the platform's C library and fused multiply-add, so they hold on every machine.

use std::num::NonZeroUsize;

use driftline_adapt::{Candidate, Engine, Gradual, MemoryWindows};
use driftline_core::data::{
    Domain, Examples, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Shape, Stream, Tail,
    Task, Windowing,
};
use driftline_core::random::Seed;
use driftline_lab::experiment::ENGINE_REVISION;
use driftline_models::linear::{FullBatch, LinearLearner, LinearModel, Penalty, Solver};
use driftline_models::network::{Architecture, Isa, NetworkLearner};
use driftline_models::training::Training;
use driftline_models::{AnyModel, Classifier, Learner};
use expect_test::{Expect, expect};
use rand::RngExt;

const FEATURES: usize = 20;
const CLASSES: usize = 3;

/// Class c is high in the coordinates that leave the remainder c; the drift moves every class on by one.
fn task() -> Task {
    let mut generator = Seed::new(0).named("golden data").generator();
    let mut sample = |n: usize, at: &dyn Fn(usize) -> f32| {
        let labels: Vec<u32> = (0..n).map(|i| (i % CLASSES) as u32).collect();
        let mut values = Vec::new();
        for (i, &label) in labels.iter().enumerate() {
            for j in 0..FEATURES {
                let old = f32::from(j % CLASSES == label as usize);
                let new = f32::from(j % CLASSES == (label as usize + 1) % CLASSES);
                let noise = generator.random_range(-1.0_f32..1.0);
                values.push(old + (new - old) * at(i) + noise);
            }
        }
        let inputs = Inputs::new(values, Shape::Vector(FEATURES)).unwrap();
        LabeledDomain::new(inputs, Labels::new(labels, CLASSES).unwrap()).unwrap()
    };
    Task {
        source: sample(60, &|_| 0.0),
        intermediate: Stream::new(sample(120, &|i| i as f32 / 120.0).inputs().clone()),
        target_pool: Domain::new(sample(30, &|_| 1.0).inputs().clone()).into(),
    }
}

/// A few weights, the biases, and a checksum over the predictions, all as bits.
fn fingerprint(model: &LinearModel, task: &Task) -> String {
    let probabilities = model
        .probabilities(&task.target_pool.domain().unwrap().inputs)
        .unwrap();
    let mix = |sum: u32, p: &f32| sum.rotate_left(5) ^ p.to_bits();
    let checksum = probabilities.iter().flatten().fold(0, mix);
    let weights: Vec<String> = (0..CLASSES)
        .map(|c| format!("{:08x}", model.weights(c)[7].to_bits()))
        .collect();
    let biases: Vec<String> = (0..CLASSES)
        .map(|c| format!("{:08x}", model.bias(c).to_bits()))
        .collect();
    format!(
        "weights {} biases {} predictions {checksum:08x}",
        weights.join(" "),
        biases.join(" ")
    )
}

/// Compares with the pinned text, and says what to do where it differs.
fn pinned(what: &str, found: &str, expected: Expect) {
    let text = format!("engine {ENGINE_REVISION}: {found}");
    let renew = std::env::var_os("UPDATE_EXPECT").is_some();
    assert!(
        renew || expected.data() == text,
        "{what}: the arithmetic or the engine's revision changed.\n  pinned: {}\n  found:  {text}\n\
         If the arithmetic was not meant to change, undo the change: stored results would no longer be reproduced.\n\
         If it was, raise ENGINE_REVISION in src/experiment/identity.rs, and renew these numbers by\n  \
         UPDATE_EXPECT=1 cargo test -p driftline --test golden",
        expected.data()
    );
    expected.assert_eq(&text);
}

fn penalty() -> Penalty {
    Penalty::L2(NonNegative::new(0.02).unwrap())
}

#[test]
fn gradual_self_training_gives_the_pinned_bits() {
    let task = task();
    let training = Training::paper(NonZeroUsize::new(7).unwrap());
    let learner = LinearLearner::new(Solver::MiniBatch(training), penalty());
    let source = learner
        .fit(&Examples::from(&task.source), Seed::new(0))
        .unwrap();
    let windowing = Windowing::Size(NonZeroUsize::new(40).unwrap(), Tail::Forbid);
    let mut windows = MemoryWindows::of_task(&task, Some(&windowing)).unwrap();
    let drop = Fraction::new(0.1).unwrap();
    let candidate = Candidate::paper(learner, Gradual::new(windowing), drop);
    let adaptation = Engine::new(candidate, AnyModel::new("linear", source), Seed::new(0));
    let adapted = adaptation.finish(&mut windows).unwrap();
    let adapted: &LinearModel = adapted.model.downcast().unwrap();
    let expected = expect![
        "engine 1: weights be9ae457 be26a354 bcc01aa1 biases 3b122549 bca7b3b8 3c0ec0bd predictions f22a99f3"
    ];
    pinned("self-training", &fingerprint(adapted, &task), expected);
}

#[test]
fn the_exact_minimiser_has_the_pinned_bits() {
    let task = task();
    let learner = LinearLearner::new(Solver::FullBatch(FullBatch::default()), penalty());
    let model = learner
        .fit(&Examples::from(&task.source), Seed::new(0))
        .unwrap();
    let expected = expect![
        "engine 1: weights be4cfae0 3eaf6965 be11d7e9 biases bd320177 bdcf026d 3e1401aa predictions 982866a0"
    ];
    pinned("the exact minimiser", &fingerprint(&model, &task), expected);
}

/// The paper's network, two epochs of a full batch and a part of one: every kernel, batch norm, dropout and Adam.
fn network_fingerprint(isa: Isa) -> String {
    let mut generator = Seed::new(0).named("golden images").generator();
    let shape = Shape::Image {
        height: 28,
        width: 28,
        channels: 1,
    };
    let n = 72;
    let values = (0..n * 28 * 28).map(|_| generator.random_range(0.0_f32..1.0));
    let inputs = Inputs::new(values.collect(), shape).unwrap();
    let labels = Labels::new((0..n).map(|i| i as u32 % 10).collect(), 10).unwrap();
    let domain = LabeledDomain::new(inputs, labels).unwrap();
    let mut training = Training::paper(NonZeroUsize::new(2).unwrap());
    training.batch_size = NonZeroUsize::new(48).unwrap();
    let mut learner = NetworkLearner::new(Architecture::paper_conv(), training);
    learner.runtime.isa = isa;
    let model = learner.fit(&Examples::from(&domain), Seed::new(0)).unwrap();
    let mix = |sum: u64, p: &f32| sum.rotate_left(5) ^ u64::from(p.to_bits());
    let weights = model
        .tensors()
        .iter()
        .flat_map(|tensor| tensor.values)
        .fold(0, mix);
    let probabilities = model.probabilities(domain.inputs()).unwrap();
    let predictions = probabilities.iter().flatten().fold(0, mix);
    format!("weights {weights:016x} predictions {predictions:016x}")
}

#[test]
fn a_network_has_the_pinned_bits_on_every_instruction_set() {
    for (isa, expected) in [
        (
            Isa::Portable,
            expect!["engine 1: weights 01d38614f7ee814b predictions 6ef6da2e916d53c0"],
        ),
        (
            Isa::Avx2,
            expect!["engine 1: weights 47f22ad9a4234a94 predictions e92cbcc0f852c2b8"],
        ),
        (
            Isa::Avx512,
            expect!["engine 1: weights 47f22ad9a4234a94 predictions e92cbcc0f852c2b8"],
        ),
    ] {
        if isa.is_available() {
            pinned(&isa.to_string(), &network_fingerprint(isa), expected);
        } else {
            eprintln!("skipped {isa}: not available on this machine");
        }
    }
}
