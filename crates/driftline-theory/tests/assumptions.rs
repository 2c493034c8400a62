//! The assumption checker: what it says of drifts that meet the theory's assumptions, break them, or hide their labels.

use driftline_core::data::{
    AnswerKey, Benchmark, Inputs, LabeledDomain, Labels, Shape, Stream, Tail, Task, Windowing,
};
use driftline_core::random::Seed;
use driftline_lab::datasets::gaussian::MovingGaussians;
use driftline_models::linear::{MarginLearner, MarginModel, NormBall};
use driftline_models::loss::margin::MarginLoss;
use driftline_models::{Classifier, Learner};
use driftline_theory::assumptions::{AssumptionVerdict, Subject, check_assumptions, featurize};
use rand::RngExt;

const WINDOW: usize = 100;

/// Two mirrored classes around ±(x, y), a little wide; class counts are equal.
fn around(x: f32, y: f32, seed: Seed) -> LabeledDomain {
    let mut generator = seed.generator();
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for i in 0..WINDOW {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let noise: [f32; 2] = std::array::from_fn(|_| generator.random_range(-0.04..0.04));
        values.extend([side * x + noise[0], side * y + noise[1]]);
        classes.push(u32::from(side > 0.0));
    }
    let inputs = Inputs::new(values, Shape::Vector(2)).unwrap();
    LabeledDomain::new(inputs, Labels::new(classes, 2).unwrap()).unwrap()
}

/// Source at the first place, one window at each of the others; the last is the target.
fn drift(places: &[(f32, f32)], labeled: bool) -> Benchmark {
    let domains: Vec<LabeledDomain> = places
        .iter()
        .enumerate()
        .map(|(t, &(x, y))| around(x, y, Seed::new(3).nth(t)))
        .collect();
    let mut inputs = domains[1].inputs().clone();
    let mut classes = domains[1].labels().as_slice().to_vec();
    for domain in &domains[2..] {
        inputs = inputs.followed_by(domain.inputs()).unwrap();
        classes.extend_from_slice(domain.labels().as_slice());
    }
    let last = domains.last().unwrap();
    let task = Task {
        source: domains[0].clone(),
        intermediate: Stream::new(inputs),
        target_pool: last.unlabeled().into(),
    };
    let answers = AnswerKey {
        held_out_source: domains[0].clone(),
        intermediate: labeled.then(|| Labels::new(classes, 2).unwrap()),
        target: last.clone(),
    };
    Benchmark::new(task, answers).unwrap()
}

fn windows() -> Windowing {
    Windowing::Size(WINDOW.try_into().unwrap(), Tail::Forbid)
}

/// The given source model and the models of gradual self-training.
fn trace(benchmark: &Benchmark, source: MarginModel) -> Vec<MarginModel> {
    let learner = MarginLearner::new(MarginLoss::Ramp, NormBall::unit());
    let mut models = vec![source];
    let stream = &benchmark.task.intermediate;
    for range in stream.split(&windows()).unwrap().windows {
        let teacher = models.last().unwrap();
        let domain = stream.window(range).unwrap();
        let labels = teacher.predict(&domain.inputs).unwrap();
        let labeled = LabeledDomain::new(domain.inputs, labels).unwrap();
        models.push(
            learner
                .refit(teacher, &(&labeled).into(), Seed::new(5))
                .unwrap(),
        );
    }
    models
}

const GENTLE: [(f32, f32); 4] = [(1.1, 1.1), (1.1, 0.5), (1.1, -0.1), (1.1, -0.6)];

#[test]
fn a_gentle_drift_meets_the_assumptions_and_the_bound_holds() {
    let benchmark = drift(&GENTLE, true);
    let models = trace(&benchmark, MarginModel::new(vec![0.0, 1.0], 0.0));
    let found = check_assumptions(
        &benchmark,
        &windows(),
        &Subject::Linear(&models),
        Seed::new(0),
    )
    .unwrap();
    assert_eq!(found.gradual_shift, AssumptionVerdict::Holds, "{found:#?}");
    assert_eq!(found.no_label_shift, AssumptionVerdict::Holds);
    assert_eq!(found.separation, AssumptionVerdict::Holds);
    assert!((found.radius.unwrap() - 1.0).abs() < 1e-6);
    // All three bounds could have been exceeded; `a_student_that_learns_nothing_right` shows that the count rises.
    assert_eq!((found.telling_bounds, found.bounds_compared()), (3, 3));
    assert_eq!((found.steps.len(), found.bounds_exceeded), (3, 0));
    for step in &found.steps {
        let rho = step.rho.unwrap();
        assert!(rho.exact && rho.value > 0.45 && rho.value < 0.8, "{rho:?}");
        assert!(step.certain <= rho.value);
        assert!(step.floor.value < 0.2 && step.loss_after.unwrap() < 0.05);
    }
    // It goes into reports: what is written can be read again.
    let text = serde_json::to_string(&found).unwrap();
    let read: driftline_theory::assumptions::Assumptions = serde_json::from_str(&text).unwrap();
    assert_eq!(read.gradual_shift, found.gradual_shift);
}

/// The same drift, but the first student answers everything wrong, as no minimiser of the ramp loss would.
#[test]
fn a_student_that_learns_nothing_right_exceeds_the_bound() {
    let benchmark = drift(&GENTLE, true);
    let mut models = trace(&benchmark, MarginModel::new(vec![0.0, 1.0], 0.0));
    models[1] = MarginModel::new(vec![0.0, -1.0], 0.0);
    let subject = Subject::Linear(&models);
    let found = check_assumptions(&benchmark, &windows(), &subject, Seed::new(0)).unwrap();
    assert_eq!(found.bounds_exceeded, 1, "{found:#?}");
    assert!(found.steps[1].loss_before.unwrap() > 0.999);
    assert!(found.steps[1].bound.as_ref().unwrap().vacuous);
}

/// The same inputs with labels that have nothing to do with them: no line does better than a constant.
#[test]
fn classes_that_lie_in_one_place_are_not_separated() {
    let mut benchmark = drift(&GENTLE, true);
    let labels = (0..3 * WINDOW).map(|i| (i / 2 % 2) as u32).collect();
    benchmark.answers.intermediate = Some(Labels::new(labels, 2).unwrap());
    let models = [MarginModel::new(vec![0.0, 1.0], 0.0)];
    let subject = Subject::Linear(&models);
    let found = check_assumptions(&benchmark, &windows(), &subject, Seed::new(0)).unwrap();
    assert_eq!(found.separation, AssumptionVerdict::Violated, "{found:#?}");
    for step in &found.steps {
        let separation = step.separation.unwrap();
        assert!((separation.least - 0.5).abs() < 1e-9, "{separation:?}");
        assert!(step.best.unwrap() >= separation.least - 1e-9);
    }
    // Where the labels are not known, neither is this.
    benchmark.answers.intermediate = None;
    let found = check_assumptions(&benchmark, &windows(), &subject, Seed::new(0)).unwrap();
    assert_eq!(found.separation, AssumptionVerdict::NotRefuted);
}

#[test]
fn without_labels_nothing_is_confirmed() {
    let benchmark = drift(&GENTLE, false);
    let models = [MarginModel::new(vec![0.0, 1.0], 0.0)];
    let found = check_assumptions(
        &benchmark,
        &windows(),
        &Subject::Linear(&models),
        Seed::new(0),
    )
    .unwrap();
    assert_eq!(found.gradual_shift, AssumptionVerdict::NotRefuted);
    assert_eq!(found.no_label_shift, AssumptionVerdict::NotRefuted);
    assert!(found.steps[1].rho.is_none() && found.steps[1].bound.is_none());
    assert!(
        found.notes.iter().any(|note| note.contains("no labels")),
        "{:?}",
        found.notes
    );
}

/// All inputs move by 3 at once, so no labels are needed to see that the shift is not gradual.
#[test]
fn a_jump_is_seen_even_without_labels() {
    let mut benchmark = drift(&GENTLE, false);
    let stream = benchmark.task.intermediate.inputs();
    let moved = stream.iter().flatten().map(|v| v + 3.0).collect();
    benchmark.task.intermediate = Stream::new(Inputs::new(moved, stream.shape()).unwrap());
    let models = [MarginModel::new(vec![0.0, 1.0], 0.0)];
    let found = check_assumptions(
        &benchmark,
        &windows(),
        &Subject::Linear(&models),
        Seed::new(0),
    )
    .unwrap();
    assert_eq!(found.gradual_shift, AssumptionVerdict::Violated);
    assert!(found.steps[0].certain > 3.0 && found.steps[0].beyond > 1.0);
}

/// Two atoms that stay, ten apart, whose shares go from one half to nine tenths.
fn changed_shares(labeled: bool) -> Benchmark {
    let fixed = |positive: usize| {
        let (mut values, mut classes) = (Vec::new(), Vec::new());
        for i in 0..WINDOW {
            let is_positive = i < positive;
            values.extend([if is_positive { 5.0 } else { -5.0 }, 0.0]);
            classes.push(u32::from(is_positive));
        }
        let inputs = Inputs::new(values, Shape::Vector(2)).unwrap();
        LabeledDomain::new(inputs, Labels::new(classes, 2).unwrap()).unwrap()
    };
    let (source, later) = (fixed(WINDOW / 2), fixed(9 * WINDOW / 10));
    let task = Task {
        source: source.clone(),
        intermediate: Stream::new(later.inputs().clone()),
        target_pool: later.unlabeled().into(),
    };
    let answers = AnswerKey {
        held_out_source: source,
        intermediate: labeled.then(|| later.labels().clone()),
        target: later,
    };
    Benchmark::new(task, answers).unwrap()
}

/// ρ = 0 although the means move by 4: that is a shift of labels, not of inputs.
#[test]
fn changed_class_shares_are_no_shift_of_inputs() {
    let models = [MarginModel::new(vec![1.0, 0.0], 0.0)];
    let check = |labeled: bool| {
        let benchmark = changed_shares(labeled);
        let subject = Subject::Linear(&models);
        check_assumptions(&benchmark, &windows(), &subject, Seed::new(0)).unwrap()
    };
    let known = check(true);
    assert!(known.steps[0].certain > 1.0 && known.steps[0].rho.unwrap().value == 0.0);
    assert_eq!(known.gradual_shift, AssumptionVerdict::Holds, "{known:#?}");
    assert_eq!(known.no_label_shift, AssumptionVerdict::Violated);
    // Without labels it is one or the other.
    let unknown = check(false);
    assert_eq!(unknown.gradual_shift, AssumptionVerdict::NotRefuted);
    assert_eq!(unknown.no_label_shift, AssumptionVerdict::NotRefuted);
    let said = |note: &String| note.contains("the shift is not gradual, or class shares change");
    assert!(unknown.notes.iter().any(said), "{:?}", unknown.notes);
}

#[test]
fn models_that_the_theory_does_not_know_are_not_judged() {
    let benchmark = drift(&GENTLE, true);
    let subject = Subject::Opaque("a network is not linear in its inputs");
    let found = check_assumptions(&benchmark, &windows(), &subject, Seed::new(0)).unwrap();
    assert_eq!(found.gradual_shift, AssumptionVerdict::NotApplicable);
    assert!(found.radius.is_none() && found.steps.iter().all(|step| step.bound.is_none()));
    assert!(
        found.steps[0].rho.is_some(),
        "distances are measured all the same"
    );
    // On its features the last layer is linear.
    let halved = |inputs: &Inputs| {
        Inputs::new(
            inputs.iter().flatten().map(|v| v / 2.0).collect(),
            inputs.shape(),
        )
    };
    let features = featurize(&benchmark, halved).unwrap();
    let on_features = check_assumptions(&features, &windows(), &subject, Seed::new(0)).unwrap();
    let ratio = found.steps[0].rho.unwrap().value / on_features.steps[0].rho.unwrap().value;
    assert!((ratio - 2.0).abs() < 1e-5);
}

/// In 100 dimensions samples of one and the same distribution are already far apart: the checker must not call the
/// paper's Gaussian drift anything stronger than what it can see.
#[test]
fn the_papers_gaussian_drift() {
    let drift = MovingGaussians::paper().draw(Seed::new(0)).unwrap();
    let learner = MarginLearner::new(MarginLoss::Hinge, NormBall::unit());
    let source = learner
        .fit(&(&drift.task.source).into(), Seed::new(1))
        .unwrap();
    let windowing = Windowing::Size(500.try_into().unwrap(), Tail::Forbid);
    let found = check_assumptions(
        &drift,
        &windowing,
        &Subject::Linear(&[source]),
        Seed::new(0),
    )
    .unwrap();
    assert_eq!(found.steps.len(), 10);
    // The windows differ in their class counts, so the theorem does not speak of them: no bound, none exceeded.
    assert_eq!(found.no_label_shift, AssumptionVerdict::Violated);
    assert_eq!((found.telling_bounds, found.bounds_compared()), (0, 0));
    for step in &found.steps {
        // What W∞ shows between windows is hardly more than between halves of one window.
        assert!(step.unlabeled.value < 1.5 * step.floor.value, "{step:?}");
        assert!(step.certain < step.unlabeled.value);
    }
}
