//! What self-training does: where students begin, what they carry over, what a teacher of another kind may do, and what
//! becomes of a window that the filter leaves empty or one-sided.

#[path = "self_training/broken.rs"]
mod broken;
#[path = "self_training/inertia.rs"]
mod inertia;
#[path = "self_training/labels.rs"]
mod labels;
#[path = "self_training/restraint.rs"]
mod restraint;

use std::num::NonZeroUsize;

use driftline_adapt::alignment::Standardize;
use driftline_adapt::{
    Candidate, Confidence, Curriculum, Decision, EachStep, Engine, Filter, Gradual, LabelKind,
    Labeling, MemoryWindows, NoLabels, OnEmptyWindow, OptimizerState, PseudoLabeling, SourceOnly,
    Stage, Stages, Step, StudentStart, Version, Windows,
};
use driftline_core::data::{
    Domain, Examples, Fraction, Inputs, LabeledDomain, NonNegative, Positive, Probabilities,
    Remainder, Shape, Tail, Targets, Task, Windowing,
};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_io::Answer;
use driftline_lab::datasets::gaussian::MovingGaussians;
use driftline_models::linear::{FullBatch, LinearLearner, LinearModel, Penalty, Solver};
use driftline_models::network::{Architecture, NetworkLearner};
use driftline_models::training::Training;
use driftline_models::{AnyLearner, AnyModel, Classifier, Learner};
use driftline_runs::measure;

/// The seed that all adaptations here begin with.
const SEED: Seed = Seed::new(2);

fn learner() -> LinearLearner {
    let training = Training::paper(NonZeroUsize::new(5).unwrap());
    let penalty = Penalty::L2(NonNegative::new(0.02).unwrap());
    LinearLearner::new(Solver::MiniBatch(training), penalty)
}

fn windowing() -> Windowing {
    Windowing::Size(NonZeroUsize::new(100).unwrap(), Tail::Forbid)
}

fn pseudo_labeling() -> PseudoLabeling {
    PseudoLabeling::paper(Fraction::new(0.1).unwrap())
}

fn candidate() -> Candidate {
    let drop = Fraction::new(0.1).unwrap();
    Candidate::paper(learner(), Gradual::new(windowing()), drop)
}

fn task() -> Task {
    let dimension = NonZeroUsize::new(12).unwrap();
    let settings = MovingGaussians {
        dimension,
        ..MovingGaussians::paper().scaled_down(10)
    };
    settings.draw(Seed::new(0)).unwrap().task
}

fn source_model(task: &Task) -> LinearModel {
    learner()
        .fit(&Examples::from(&task.source), Seed::new(1))
        .unwrap()
}

fn windows(task: &Task) -> MemoryWindows {
    MemoryWindows::of_task(task, Some(&windowing())).unwrap()
}

fn first_window(task: &Task) -> Domain {
    windows(task).window(0).unwrap()
}

fn start(candidate: Candidate, model: impl Classifier + Clone + 'static) -> Engine {
    Engine::new(candidate, AnyModel::new("teacher", model), SEED)
}

/// Every step along a stream. Nothing here goes back to an earlier version.
fn steps(mut engine: Engine, stream: &mut impl Stages<Rows = ()>) -> Result<Vec<Step>> {
    let mut steps = vec![];
    let mut sink = EachStep::new(&engine, |step: &Step| {
        steps.push(step.clone());
        Ok(())
    });
    engine.run(stream, &mut sink)?;
    Ok(steps)
}

/// One window that comes by itself.
fn one_step(adaptation: &mut Engine, window: Domain) -> Result<Step> {
    adaptation.process(Stage::window(window), (), &Vec::<Version>::new())
}

fn linear(version: &Version) -> LinearModel {
    let model: Option<&LinearModel> = version.model.downcast();
    model.expect("a linear model").clone()
}

fn models(candidate: Candidate, task: &Task) -> Vec<LinearModel> {
    let steps = steps(start(candidate, source_model(task)), &mut windows(task)).unwrap();
    steps.iter().map(|step| linear(&step.version)).collect()
}

/// A teacher that says what it is told, whatever the example.
#[derive(Clone, Debug)]
struct Dictated {
    shape: Shape,
    rows: fn(usize) -> [f32; 2],
}

impl Classifier for Dictated {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        2
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        Probabilities::new((0..inputs.len()).flat_map(self.rows).collect(), 2)
    }
}

fn domain(n: usize) -> Domain {
    let values = (0..3 * n).map(|i| ((i * 7) % 11) as f32 / 11.0).collect();
    Domain::new(Inputs::new(values, Shape::Vector(3)).unwrap())
}

fn teacher(rows: fn(usize) -> [f32; 2]) -> Dictated {
    Dictated {
        shape: Shape::Vector(3),
        rows,
    }
}

/// One step is: label with the model, train it on. Along a stream that is done again and again.
#[test]
fn steps_by_hand_one_by_one_and_all_at_once_agree() {
    let task = task();
    let source = source_model(&task);
    let expected = models(candidate(), &task);
    assert_eq!(expected.len(), 5);
    let mut by_hand = learner().forget(&source);
    let mut single = start(candidate(), source.clone());
    for (t, expected) in expected.iter().enumerate() {
        let window = windows(&task).window(t).unwrap();
        let labeled = pseudo_labeling().of(&by_hand, &window).unwrap();
        by_hand = learner()
            .refit(&by_hand, &labeled.examples.unwrap(), SEED.nth(t))
            .unwrap();
        assert_eq!(by_hand, *expected);
        let step = one_step(&mut single, window).unwrap();
        assert_eq!(linear(&step.version), *expected);
        assert_eq!(step.labeling.unwrap(), labeled.labeling);
        assert_eq!((step.before.number, step.version.number), (t, t + 1));
        assert_eq!(step.outcome.decision, Decision::Deploy(0));
    }
    let adapted = start(candidate(), source)
        .finish(&mut windows(&task))
        .unwrap();
    assert_eq!(linear(&adapted), by_hand);
    assert_eq!(adapted.number, 5);
}

/// But for the optimiser's memory, which no stage would go on with.
#[test]
fn without_stages_the_source_model_is_the_answer() {
    let task = task();
    let source = source_model(&task);
    let drop = Fraction::new(0.1).unwrap();
    let idle = || Candidate::paper(learner(), SourceOnly::new(), drop);
    let adapted = start(idle(), source.clone())
        .finish(&mut windows(&task))
        .unwrap();
    assert_eq!(linear(&adapted), learner().forget(&source));
    assert_eq!(adapted.number, 0);
    assert_eq!(linear(start(idle(), source.clone()).first()), source);
}

/// Given windows it goes along with them, and every version is the source model.
#[test]
fn a_source_model_that_watches_windows_stays_what_it_is() {
    let task = task();
    let source = source_model(&task);
    let drop = Fraction::new(0.1).unwrap();
    let watching = Candidate::paper(learner(), SourceOnly::watching(windowing()), drop);
    let steps = steps(start(watching, source.clone()), &mut windows(&task)).unwrap();
    assert_eq!(steps.len(), 5);
    for step in &steps {
        assert_eq!(linear(&step.version), learner().forget(&source));
        assert!(step.labeling.is_none() && step.stage.learn.is_none());
        assert!(matches!(step.outcome.decision, Decision::Hold { .. }));
    }
}

#[test]
fn a_student_begins_where_it_is_told() {
    let task = task();
    let run = |start| models(candidate().with_start(start), &task);
    let (teacher, scratch, mixed) = (
        run(StudentStart::Teacher),
        run(StudentStart::Scratch),
        run(StudentStart::ScratchThenTeacher),
    );
    assert_eq!(scratch[0], mixed[0], "the first student is fresh in both");
    assert_ne!(teacher[0], mixed[0]);
    assert_ne!(
        scratch[1], mixed[1],
        "the second goes on only in one of them"
    );
    // A fresh student is a plain fit on the teacher's labels.
    let labeled = pseudo_labeling()
        .of(&source_model(&task), &first_window(&task))
        .unwrap();
    let fitted = learner()
        .fit(&labeled.examples.unwrap(), SEED.nth(0))
        .unwrap();
    assert_eq!(scratch[0], fitted);
}

#[test]
fn a_carried_optimizer_goes_on_and_a_fresh_one_begins_anew() {
    let task = task();
    let run = |state| models(candidate().with_optimizer_state(state), &task);
    let (carried, fresh) = (run(OptimizerState::Carried), run(OptimizerState::Fresh));
    assert_eq!(
        carried[0], fresh[0],
        "the source model's memory is cleared in both"
    );
    assert_ne!(carried[1], fresh[1]);
    assert_ne!(
        carried[1].weights(0),
        fresh[1].weights(0),
        "and it shows in the weights"
    );
}

#[test]
fn any_classifier_may_be_the_first_teacher() {
    let by_position = || teacher(|i| if i % 2 == 0 { [0.9, 0.1] } else { [0.2, 0.8] });
    let mut stages = vec![domain(20), domain(30)];
    let fresh = candidate().with_start(StudentStart::ScratchThenTeacher);
    let both = steps(start(fresh, by_position()), &mut stages).unwrap();
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].labeling.as_ref().unwrap().seen, 20);
    // From then on the student is its own teacher, and goes on from itself.
    let first = linear(&both[0].version);
    let labeled = pseudo_labeling().of(&first, &domain(30)).unwrap();
    let by_hand = learner()
        .refit(&first, &labeled.examples.unwrap(), SEED.nth(1))
        .unwrap();
    assert_eq!(linear(&both[1].version), by_hand);
    let refused = steps(start(candidate(), by_position()), &mut stages).unwrap_err();
    assert!(matches!(refused, Error::NoWarmStart));
}

#[test]
fn replay_is_training_on_both_with_the_given_weight() {
    let task = task();
    let source = learner().forget(&source_model(&task));
    let replaying = candidate().with_replay(Positive::new(0.25).unwrap());
    let window = first_window(&task);
    let labeled = pseudo_labeling().of(&source, &window).unwrap();
    let joined = labeled.examples.unwrap();
    let joined = joined.joined_with(&task.source, 0.25).unwrap();
    assert_eq!(joined.len(), labeled.labeling.kept + task.source.len());
    let expected = learner().refit(&source, &joined, SEED.nth(0)).unwrap();
    let mut with = start(replaying.clone(), source.clone()).with_source(task.source.clone());
    let step = one_step(&mut with, window.clone()).unwrap();
    assert_eq!(linear(&step.version), expected);
    assert_eq!(
        step.labeling.unwrap(),
        labeled.labeling,
        "the record speaks of the window alone"
    );
    let without = one_step(&mut start(candidate(), source.clone()), window.clone()).unwrap();
    assert_ne!(linear(&without.version), expected);
    let nowhere = one_step(&mut start(replaying, source), window).unwrap_err();
    assert!(matches!(nowhere, Error::SourceMissing));
}

fn labeling(kind: LabelKind, filter: Filter, on_empty_window: OnEmptyWindow) -> PseudoLabeling {
    PseudoLabeling {
        kind,
        confidence: Confidence::Spread,
        filter,
        on_empty_window,
        share_inertia: None,
    }
}

fn at_least(confidence: f64) -> Filter {
    Filter::Threshold(Fraction::new(confidence).unwrap())
}

/// Six to four for class 0 where the first input is 0, as good as certain of class 1 where it is 1.
fn hesitant() -> LinearModel {
    let weights = [vec![0.0; 3], vec![50.0, 0.0, 0.0]];
    LinearModel::new(Shape::Vector(3), &weights, &[1.5_f32.ln(), 0.0]).unwrap()
}

/// Eight examples, of which the first `sure` are certain.
fn eight(sure: usize) -> Domain {
    let row = |i: usize| [f32::from(i < sure), 0.1 * i as f32, 0.5];
    let values = (0..8).flat_map(row).collect();
    Domain::new(Inputs::new(values, Shape::Vector(3)).unwrap())
}

/// What a step makes of the hesitant model.
fn starved(sure: usize, on_empty_window: OnEmptyWindow) -> Result<(LinearModel, Step)> {
    let candidate =
        candidate().with_labeler(labeling(LabelKind::Hard, at_least(0.5), on_empty_window));
    let step = one_step(&mut start(candidate, hesitant()), eight(sure))?;
    Ok((linear(&step.version), step))
}

#[test]
fn a_window_of_which_nothing_is_left_fails_or_is_held() {
    let failed = starved(0, OnEmptyWindow::Fail);
    assert_eq!(
        failed.unwrap_err().to_string(),
        "the confidence filter left 0 of 8 examples"
    );
    for policy in [OnEmptyWindow::Hold, OnEmptyWindow::Proceed] {
        let (model, step) = starved(0, policy).unwrap();
        assert_eq!(model, hesitant());
        assert!(matches!(step.outcome.decision, Decision::Hold { .. }));
        assert_eq!((step.candidate, step.version.number), (None, 1));
        assert_eq!(
            step.labeling.unwrap(),
            Labeling {
                seen: 8,
                kept: 0,
                class_counts: vec![0, 0],
                held: true,
                generated: 0,
                place: None,
            }
        );
    }
}

#[test]
fn a_window_of_which_one_class_is_left_fails_or_is_held_or_learned() {
    let failed = starved(3, OnEmptyWindow::Fail);
    assert_eq!(
        failed.unwrap_err().to_string(),
        "the confidence filter left 3 of 8 examples, all of class 1"
    );
    let (model, step) = starved(3, OnEmptyWindow::Hold).unwrap();
    assert_eq!(model, hesitant());
    assert_eq!(
        step.labeling.unwrap(),
        Labeling {
            seen: 8,
            kept: 3,
            class_counts: vec![0, 3],
            held: true,
            generated: 0,
            place: None,
        }
    );
    let (model, step) = starved(3, OnEmptyWindow::Proceed).unwrap();
    assert_ne!(model, hesitant());
    assert_eq!(
        step.labeling.unwrap(),
        Labeling {
            seen: 8,
            kept: 3,
            class_counts: vec![0, 3],
            held: false,
            generated: 0,
            place: None,
        }
    );
}

/// It stays in use, and the student that it is still to teach is a fresh one.
#[test]
fn a_held_first_window_leaves_a_foreign_teacher_in_use() {
    let holding = labeling(LabelKind::Hard, at_least(0.5), OnEmptyWindow::Hold);
    let candidate = candidate()
        .with_start(StudentStart::ScratchThenTeacher)
        .with_labeler(holding);
    let sure_of_long_ones = teacher(|i| match i {
        0..8 => [0.6, 0.4],
        _ if i % 2 == 0 => [1.0, 0.0],
        _ => [0.0, 1.0],
    });
    let mut adaptation = start(candidate, sure_of_long_ones.clone());
    let held = one_step(&mut adaptation, domain(8)).unwrap();
    assert_eq!(held.version.model.kind(), "teacher");
    assert_eq!(
        held.labeling.map(|labeling| (labeling.kept, labeling.held)),
        Some((0, true))
    );
    let learned = one_step(&mut adaptation, domain(30)).unwrap();
    let labeled = holding.of(&sure_of_long_ones, &domain(30)).unwrap();
    let fresh = learner().fit(&labeled.examples.unwrap(), SEED.nth(1));
    assert_eq!(linear(&learned.version), fresh.unwrap());
}

/// The first student is a fresh one, also where the first window was held.
#[test]
fn a_held_first_window_leaves_the_first_student_fresh() {
    let holding = PseudoLabeling {
        on_empty_window: OnEmptyWindow::Hold,
        ..pseudo_labeling()
    };
    let candidate = candidate()
        .with_start(StudentStart::ScratchThenTeacher)
        .with_labeler(holding);
    let task = task();
    let source = source_model(&task);
    let window = first_window(&task);
    let alike = Domain::new(window.inputs.pick(&[0; 20]));
    let mut stages = vec![alike, window.clone(), window.clone()];
    let steps = steps(start(candidate, source.clone()), &mut stages).unwrap();
    let held = |t: usize| steps[t].labeling.as_ref().unwrap().held;
    assert!(held(0) && !held(1));
    let labeled = holding.of(&source, &window).unwrap();
    let fresh = learner().fit(&labeled.examples.unwrap(), SEED.nth(1));
    assert_eq!(linear(&steps[1].version), fresh.unwrap());
    let second = linear(&steps[1].version);
    let labeled = holding.of(&second, &window).unwrap();
    let further = learner().refit(&second, &labeled.examples.unwrap(), SEED.nth(2));
    assert_eq!(linear(&steps[2].version), further.unwrap());
}

/// An answer too many belongs to no row: told, and no reason to panic.
#[test]
fn answers_must_be_as_many_as_rows() {
    let task = task();
    let mut adaptation = start(candidate(), source_model(&task));
    let step = one_step(&mut adaptation, first_window(&task)).unwrap();
    let inputs = first_window(&task).inputs;
    let classes = ["a".to_owned(), "b".to_owned()];
    let measured = |count: usize| {
        let answers = vec![Answer::Class(0); count];
        measure(&step, &step.before, &inputs, Some(&answers), &classes)
    };
    assert!(measured(inputs.len()).is_ok());
    for count in [inputs.len() + 1, inputs.len() - 1, 0] {
        let error = measured(count).unwrap_err();
        assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    }
}
