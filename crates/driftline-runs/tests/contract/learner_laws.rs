//! What every learner promises, as one function over any of them.

use driftline_core::data::{
    Examples, Inputs, LabeledDomain, Labels, Probabilities, Shape, Targets,
};
use driftline_core::random::Seed;
use driftline_models::{Classifier, Learner, Runtime};
use rand::RngExt;

/// What a law must know about the learner that it is applied to.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub shape: Shape,
    pub n_classes: usize,
    /// The order of the examples and the start do not matter, so that an example given twice is one of weight 2.
    pub full_batch: bool,
    /// Mean loss that training on may add by chance.
    pub slack: f64,
}

pub fn learner_contract<L: Learner>(name: &str, learner: &L, profile: Profile) {
    let data = Data::draw(profile);
    let seed = Seed::new(1);
    let model = learner
        .fit(&data.train, seed)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let bits = |model: &dyn Classifier| bits(&model.probabilities(data.test.inputs()).unwrap());
    let expected = bits(&model);

    // Same examples and same seed, same bytes, on any number of threads.
    assert_eq!(
        bits(&learner.fit(&data.train, seed).unwrap()),
        expected,
        "{name}: not reproducible"
    );
    for threads in 1..=3 {
        let runtime = Runtime::default().with_threads(threads.try_into().unwrap());
        let threaded = learner.clone().with_runtime(&runtime);
        let again = runtime.install(|| bits(&threaded.fit(&data.train, seed).unwrap()));
        assert_eq!(
            again, expected,
            "{name}: {threads} threads give other bytes"
        );
    }

    predictions_are_sound(name, &model, &data, profile);

    // Training on starts where the model is, and does not make it worse on what it is trained on.
    let refitted = learner
        .refit(&model, &data.train, seed.named("more"))
        .unwrap();
    let (before, after) = (
        mean_loss(&model, &data.train),
        mean_loss(&refitted, &data.train),
    );
    assert!(
        after <= before + profile.slack,
        "{name}: {before} became {after}"
    );
    assert_eq!(
        bits(
            &learner
                .refit(&model, &data.train, seed.named("more"))
                .unwrap()
        ),
        bits(&refitted),
        "{name}"
    );

    // Forgetting the optimiser's memory changes no prediction, and is idempotent.
    let forgotten = learner.forget(&model);
    assert_eq!(
        bits(&forgotten),
        expected,
        "{name}: forgetting changed a prediction"
    );
    let on = |model: &L::Model| bits(&learner.refit(model, &data.train, seed).unwrap());
    assert_eq!(on(&forgotten), on(&learner.forget(&forgotten)), "{name}");

    // A tuned learner has nothing left to choose.
    let tuned = learner.tuned(&data.train, seed).unwrap();
    let twice = tuned
        .tuned(&data.test_examples(), seed.named("again"))
        .unwrap();
    assert_eq!(
        bits(&tuned.fit(&data.train, seed).unwrap()),
        bits(&twice.fit(&data.train, seed).unwrap()),
        "{name}: tuning twice is not tuning once"
    );

    storage_does_not_matter(name, learner, &data, &expected);
    targets_mean_what_they_say(name, &tuned, &data, profile);
    bad_examples_are_refused(name, learner, &model, &data, profile);
}

fn predictions_are_sound<M: Classifier>(name: &str, model: &M, data: &Data, profile: Profile) {
    assert_eq!(model.shape(), profile.shape, "{name}");
    assert_eq!(model.n_classes(), profile.n_classes, "{name}");
    let inputs = data.test.inputs();
    let all = model.probabilities(inputs).unwrap();
    assert_eq!(
        (all.len(), all.n_classes()),
        (inputs.len(), profile.n_classes),
        "{name}"
    );
    for row in all.iter() {
        let sum: f32 = row.iter().sum();
        assert!(
            row.iter().all(|p| (0.0..=1.0).contains(p)) && (sum - 1.0).abs() < 1e-5,
            "{name}: {row:?}"
        );
    }
    // It learns what can be learned.
    let predicted = model.predict(inputs).unwrap();
    let hits = predicted
        .as_slice()
        .iter()
        .zip(data.test.labels().as_slice())
        .filter(|(a, b)| a == b);
    let accuracy = hits.count() as f64 / inputs.len() as f64;
    assert!(accuracy >= 0.95, "{name}: {accuracy} of separable data");
    let (labels, probabilities) = model.assess(inputs).unwrap();
    assert_eq!(
        (&labels, bits(&probabilities)),
        (&predicted, bits(&all)),
        "{name}: assess"
    );
    // One example at a time, in other company, or from a copy: the same bits.
    for range in [0..1, 3..10, 1..inputs.len()] {
        let part = model.probabilities(&inputs.slice(range.clone())).unwrap();
        let wanted: Vec<usize> = range.collect();
        assert_eq!(bits(&part), bits(&all.pick(&wanted)), "{name}: slices");
    }
    let backwards: Vec<usize> = (0..inputs.len()).rev().collect();
    let picked = model.probabilities(&inputs.pick(&backwards)).unwrap();
    assert_eq!(bits(&picked), bits(&all.pick(&backwards)), "{name}: order");
    assert!(
        model.probabilities(&inputs.slice(0..0)).unwrap().is_empty(),
        "{name}: no input"
    );
    let other = Inputs::new(vec![0.0; 7], Shape::Vector(7)).unwrap();
    assert!(
        model.probabilities(&other).is_err(),
        "{name}: inputs of another shape"
    );
}

/// A window of a shared array is as good as a copy of it.
fn storage_does_not_matter<L: Learner>(name: &str, learner: &L, data: &Data, expected: &[u32]) {
    let inputs = data.train.inputs();
    let around = inputs
        .slice(0..5)
        .followed_by(inputs)
        .unwrap()
        .followed_by(inputs)
        .unwrap();
    let window = Examples::new(
        around.slice(5..5 + inputs.len()),
        data.train.targets().clone(),
    )
    .unwrap();
    let model = learner.fit(&window, Seed::new(1)).unwrap();
    assert_eq!(
        bits(&model.probabilities(data.test.inputs()).unwrap()),
        expected,
        "{name}: a window"
    );
    let all: Vec<usize> = (0..inputs.len()).collect();
    let model = learner.fit(&data.train.pick(&all), Seed::new(1)).unwrap();
    assert_eq!(
        bits(&model.probabilities(data.test.inputs()).unwrap()),
        expected,
        "{name}: picked rows"
    );
}

/// Soft targets that are certain, and weights that are all alike, say the same as hard targets without weights.
fn targets_mean_what_they_say<L: Learner>(name: &str, learner: &L, data: &Data, profile: Profile) {
    let seed = Seed::new(2);
    let probabilities = |examples: &Examples| {
        learner
            .fit(examples, seed)
            .unwrap()
            .probabilities(data.test.inputs())
            .unwrap()
    };
    let hard = probabilities(&data.train);
    let n = data.train.len();
    let mut values = vec![0.0; n * profile.n_classes];
    for (row, values) in values.chunks_exact_mut(profile.n_classes).enumerate() {
        data.train.targets().write_row(row, values);
    }
    let soft = Targets::Soft(Probabilities::new(values, profile.n_classes).unwrap());
    let soft = Examples::new(data.train.inputs().clone(), soft).unwrap();
    assert_eq!(
        bits(&probabilities(&soft)),
        bits(&hard),
        "{name}: certain soft targets"
    );
    let ones = data.train.clone().with_weights(vec![1.0; n]).unwrap();
    assert_eq!(
        bits(&probabilities(&ones)),
        bits(&hard),
        "{name}: weights of 1"
    );
    let threes = data.train.clone().with_weights(vec![4.0; n]).unwrap();
    assert_close(
        name,
        "only ratios of weights count",
        &probabilities(&threes),
        &hard,
        1e-5,
    );
    if profile.full_batch {
        let third = n / 3;
        let twice: Vec<usize> = (0..third).chain(0..n).collect();
        let weights = (0..n)
            .map(|row| if row < third { 2.0 } else { 1.0 })
            .collect();
        let weighted = data.train.clone().with_weights(weights).unwrap();
        let doubled = data.train.pick(&twice);
        assert_close(
            name,
            "weight 2 is twice",
            &probabilities(&weighted),
            &probabilities(&doubled),
            2e-3,
        );
    }
}

fn bad_examples_are_refused<L: Learner>(
    name: &str,
    learner: &L,
    model: &L::Model,
    data: &Data,
    profile: Profile,
) {
    let seed = Seed::new(3);
    let empty = data.train.pick(&[]);
    assert!(
        learner.fit(&empty, seed).is_err() && learner.refit(model, &empty, seed).is_err(),
        "{name}: empty"
    );
    let weightless = data
        .train
        .clone()
        .with_weights(vec![0.0; data.train.len()])
        .unwrap();
    assert!(
        learner.fit(&weightless, seed).is_err(),
        "{name}: weights that are all 0"
    );
    assert!(
        learner.refit(model, &weightless, seed).is_err(),
        "{name}: weights that are all 0"
    );
    let n = data.train.len();
    let other = Inputs::new(vec![0.5; 7 * n], Shape::Vector(7)).unwrap();
    let other = Examples::new(other, data.train.targets().clone()).unwrap();
    assert!(
        learner.refit(model, &other, seed).is_err(),
        "{name}: another shape"
    );
    let more = Labels::new(vec![0; n], profile.n_classes + 1).unwrap();
    let more = Examples::new(data.train.inputs().clone(), Targets::Hard(more)).unwrap();
    assert!(
        learner.refit(model, &more, seed).is_err(),
        "{name}: another number of classes"
    );
}

struct Data {
    train: Examples,
    test: LabeledDomain,
}

impl Data {
    /// Well separated classes: class c is high in the coordinates that leave the remainder c.
    fn draw(profile: Profile) -> Self {
        let sample = |n: usize, seed: Seed| {
            let mut generator = seed.generator();
            let labels: Vec<u32> = (0..n).map(|i| (i % profile.n_classes) as u32).collect();
            let mut values = Vec::new();
            for &label in &labels {
                for j in 0..profile.shape.size() {
                    let centre = f32::from(j % profile.n_classes == label as usize);
                    values.push(centre + generator.random_range(-0.4_f32..0.4));
                }
            }
            let inputs = Inputs::new(values, profile.shape).unwrap();
            LabeledDomain::new(inputs, Labels::new(labels, profile.n_classes).unwrap()).unwrap()
        };
        Self {
            train: Examples::from(&sample(90, Seed::new(10))),
            test: sample(60, Seed::new(11)),
        }
    }

    fn test_examples(&self) -> Examples {
        Examples::from(&self.test)
    }
}

fn bits(probabilities: &Probabilities) -> Vec<u32> {
    probabilities
        .iter()
        .flatten()
        .map(|p| p.to_bits())
        .collect()
}

fn assert_close(name: &str, law: &str, a: &Probabilities, b: &Probabilities, tolerance: f32) {
    let furthest = a
        .iter()
        .flatten()
        .zip(b.iter().flatten())
        .map(|(a, b)| (a - b).abs());
    let furthest = furthest.fold(0.0, f32::max);
    assert!(
        furthest <= tolerance,
        "{name}: {law}: probabilities differ by {furthest}"
    );
}

fn mean_loss(model: &impl Classifier, examples: &Examples) -> f64 {
    let probabilities = model.probabilities(examples.inputs()).unwrap();
    let mut target = vec![0.0; examples.n_classes()];
    let mut sum = 0.0;
    for (row, p) in probabilities.iter().enumerate() {
        examples.targets().write_row(row, &mut target);
        sum += driftline_models::loss::softmax::cross_entropy(p, &target);
    }
    sum / examples.len() as f64
}
