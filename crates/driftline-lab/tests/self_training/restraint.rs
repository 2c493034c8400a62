//! Steps that hold a student back: realigning without learning, the source replayed, anchors and averages.

use super::*;

/// Nothing is learned, and yet there is a version: the model as it is, under the alignment of the window.
#[test]
fn realigning_keeps_the_model_and_moves_the_alignment() {
    let task = task();
    let model = source_model(&task);
    let candidate = candidate()
        .with_labeler(NoLabels)
        .with_alignment(Standardize::default());
    let adaptation = start(candidate, model.clone()).with_source(task.source.clone());
    let steps = steps(adaptation, &mut windows(&task)).unwrap();
    let mut before = None;
    // A run begins without the optimiser's memory of the source.
    let begun = learner().forget(&model);
    for step in &steps {
        assert_eq!(step.outcome.decision, Decision::Deploy(0));
        assert_eq!(step.version.model.downcast(), Some(&begun));
        assert_ne!(Some(&step.version.alignment), before);
        before = Some(&step.version.alignment);
    }
    assert_eq!(steps.len(), 5);
}

/// Replay by share: a source twice as long counts the same in all.
#[test]
fn a_replayed_share_does_not_depend_on_the_length_of_the_source() {
    let task = task();
    let solver = Solver::FullBatch(FullBatch::default());
    let learner = LinearLearner::new(solver, Penalty::L2(NonNegative::new(0.02).unwrap()));
    let model = learner.fit(&Examples::from(&task.source), SEED).unwrap();
    let after = |source: &LabeledDomain, share: f64| {
        let mut candidate = candidate();
        candidate.learner = learner.clone().into();
        candidate.replay_share = Some(Positive::new(share).unwrap());
        let mut adaptation = start(candidate, model.clone()).with_source(source.clone());
        let stage = Stage::window(first_window(&task));
        let step = adaptation
            .process(stage, (), &Vec::<Version>::new())
            .unwrap();
        step.version
            .model
            .downcast::<LinearModel>()
            .unwrap()
            .clone()
    };
    let once = after(&task.source, 0.3);
    let all: Vec<usize> = (0..task.source.len()).collect();
    let twice = after(&task.source.pick(&[&all[..], &all[..]].concat()), 0.3);
    for (a, b) in once.weights(0).iter().zip(twice.weights(0)) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
    // With all the weight it is the source model again; with hardly any the window's own.
    let distance = |a: &LinearModel, b: &LinearModel| -> f32 {
        let pairs = a.weights(0).iter().zip(b.weights(0));
        pairs.map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let (most, least) = (after(&task.source, 1e4), after(&task.source, 1e-4));
    assert!(distance(&most, &model) < 1e-4 * distance(&least, &model));
}

/// The anchor holds a student back, more the stronger it is, and an average lies between.
#[test]
fn anchors_and_averages_hold_a_student_back() {
    let task = task();
    let batches = learner();
    let full = LinearLearner::new(Solver::FullBatch(FullBatch::default()), batches.penalty);
    let training = Training::paper(NonZeroUsize::new(3).unwrap());
    let learners: [AnyLearner; 3] = [
        batches.into(),
        full.into(),
        NetworkLearner::new(Architecture::mlp(), training).into(),
    ];
    for learner in learners {
        let model = learner.fit(&Examples::from(&task.source), SEED).unwrap();
        let probe = first_window(&task);
        let after = |anchor: Option<f64>, average: Option<f64>| {
            let mut candidate = candidate();
            candidate.learner = learner.clone();
            candidate.anchor = anchor.map(|value| Positive::new(value).unwrap());
            candidate.average = average.map(|value| Fraction::new(value).unwrap());
            let mut adaptation = Engine::new(candidate, model.clone(), SEED);
            let stage = Stage::window(probe.clone());
            let step = adaptation.process(stage, (), &Vec::<Version>::new());
            step.unwrap().version.model
        };
        let off = |other: &AnyModel| -> f32 {
            let [a, b] = [&model, other].map(|m| m.probabilities(&probe.inputs).unwrap());
            let pairs = a.iter().flatten().zip(b.iter().flatten());
            pairs.map(|(a, b)| (a - b).abs()).sum()
        };
        let free = off(&after(None, None));
        let (weak, strong) = (off(&after(Some(0.1), None)), off(&after(Some(100.0), None)));
        assert!(strong < weak && weak < free, "{strong} {weak} {free}");
        assert!(strong < 0.2 * free, "{strong} {free}");
        let half = off(&after(None, Some(0.5)));
        assert!(half < free && half > 0.2 * free, "{half} {free}");
        assert_eq!(after(None, Some(0.0)), after(None, None));
    }
}
