//! What self-training does: where students begin, what they carry over, what a teacher of another kind may do, and what
//! becomes of a window that the filter leaves empty or one-sided.

use std::num::NonZeroUsize;

use driftline::adapt::{
    Confidence, Curriculum, Filter, Gradual, LabelKind, Labeling, OptimizerState, PseudoLabeling,
    Replay, SelfTraining, SourceOnly, Stages, Starvation, StudentStart,
};
use driftline::data::{
    Domain, Examples, Fraction, Inputs, NonNegative, Positive, Probabilities, Shape, Tail, Targets,
    Task, Windowing,
};
use driftline::datasets::gaussian::MovingGaussians;
use driftline::models::linear::{LinearLearner, LinearModel, Penalty, Solver};
use driftline::models::training::Training;
use driftline::models::{Classifier, Learner};
use driftline::random::Seed;
use driftline::{Error, Result};

type Method = SelfTraining<LinearLearner>;

fn learner() -> LinearLearner {
    LinearLearner {
        solver: Solver::MiniBatch(Training::paper(NonZeroUsize::new(5).unwrap())),
        penalty: Penalty::L2(NonNegative::new(0.02).unwrap()),
    }
}

fn method() -> Method {
    SelfTraining {
        learner: learner(),
        pseudo_labeling: PseudoLabeling::paper(Fraction::new(0.1).unwrap()),
        start: StudentStart::Teacher,
        optimizer_state: OptimizerState::Carried,
        replay: None,
    }
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

fn windows(task: &Task) -> Stages<'_> {
    let windowing = Windowing::Size(NonZeroUsize::new(100).unwrap(), Tail::Forbid);
    Gradual::new(windowing).stages(task, Seed::new(0)).unwrap()
}

fn models(method: &Method, task: &Task) -> Vec<LinearModel> {
    let source = source_model(task);
    let steps = method.models(&source, windows(task), Seed::new(2));
    steps.map(|step| step.unwrap().model).collect()
}

/// A teacher that says what it is told, whatever the example.
#[derive(Clone)]
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

#[test]
fn steps_iterator_and_adapt_agree() {
    let (task, method) = (task(), method());
    let source = source_model(&task);
    let expected = models(&method, &task);
    assert_eq!(expected.len(), 5);
    let mut by_hand = method.learner.forget(&source);
    for (t, stage) in windows(&task).enumerate() {
        let step = method
            .step(
                &by_hand,
                Some(&by_hand),
                &stage.unwrap(),
                Seed::new(2).nth(t),
            )
            .unwrap();
        by_hand = step.model.unwrap();
        assert_eq!(by_hand, expected[t]);
    }
    let adapted = method.adapt(&source, windows(&task), Seed::new(2)).unwrap();
    assert_eq!(adapted, by_hand);
}

#[test]
fn without_stages_the_source_model_is_the_answer() {
    let task = task();
    let source = source_model(&task);
    let stages = SourceOnly.stages(&task, Seed::new(0)).unwrap();
    assert_eq!(
        method().adapt(&source, stages, Seed::new(2)).unwrap(),
        source
    );
}

#[test]
fn a_student_begins_where_it_is_told() {
    let task = task();
    let run = |start| models(&SelfTraining { start, ..method() }, &task);
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
    let first = windows(&task).next().unwrap().unwrap();
    let (examples, _) = method()
        .pseudo_labeling
        .label(&source_model(&task), &first)
        .unwrap();
    let fitted = learner()
        .fit(&examples.unwrap(), Seed::new(2).nth(0))
        .unwrap();
    assert_eq!(scratch[0], fitted);
}

#[test]
fn a_carried_optimizer_goes_on_and_a_fresh_one_begins_anew() {
    let task = task();
    let run = |optimizer_state| {
        models(
            &SelfTraining {
                optimizer_state,
                ..method()
            },
            &task,
        )
    };
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
    let method = SelfTraining {
        start: StudentStart::ScratchThenTeacher,
        ..method()
    };
    let by_position = teacher(|i| if i % 2 == 0 { [0.9, 0.1] } else { [0.2, 0.8] });
    let stages = || Stages::of(vec![domain(20), domain(30)]);
    let mut steps = method
        .models_from(&by_position, stages(), Seed::new(0))
        .unwrap();
    let first = steps.next().unwrap().unwrap();
    assert_eq!(first.labeling.seen, 20);
    let second = steps.next().unwrap().unwrap();
    // From then on the student is its own teacher, and goes on from itself.
    let by_hand = method
        .step(
            &first.model,
            Some(&first.model),
            &domain(30),
            Seed::new(0).nth(1),
        )
        .unwrap();
    assert_eq!(second.model, by_hand.model.unwrap());
    assert!(steps.next().is_none());
    let warm = SelfTraining {
        start: StudentStart::Teacher,
        ..method.clone()
    };
    let refused = warm
        .models_from(&by_position, stages(), Seed::new(0))
        .unwrap_err();
    assert!(matches!(refused, Error::NoWarmStart));
}

#[test]
fn replay_is_training_on_both_with_the_given_weight() {
    let task = task();
    let source = source_model(&task);
    let replay = Replay {
        source: task.source.clone(),
        weight: Positive::new(0.25).unwrap(),
    };
    let method = SelfTraining {
        replay: Some(replay),
        ..method()
    };
    let window = windows(&task).next().unwrap().unwrap();
    let (examples, labeling) = method.pseudo_labeling.label(&source, &window).unwrap();
    let joined = examples.unwrap().joined_with(&task.source, 0.25).unwrap();
    assert_eq!(joined.len(), labeling.kept + task.source.len());
    let expected = learner().refit(&source, &joined, Seed::new(7)).unwrap();
    let step = method
        .step(&source, Some(&source), &window, Seed::new(7))
        .unwrap();
    assert_eq!(step.model.unwrap(), expected);
    assert_eq!(
        step.labeling, labeling,
        "the record speaks of the window alone"
    );
    let without = SelfTraining {
        replay: None,
        ..method
    }
    .step(&source, Some(&source), &window, Seed::new(7))
    .unwrap();
    assert_ne!(without.model.unwrap(), expected);
}

fn labeling(kind: LabelKind, filter: Filter, starvation: Starvation) -> PseudoLabeling {
    PseudoLabeling {
        kind,
        confidence: Confidence::Spread,
        filter,
        starvation,
    }
}

fn at_least(confidence: f64) -> Filter {
    Filter::Threshold(Fraction::new(confidence).unwrap())
}

/// The student before, and what the step makes of it.
fn starved(
    rows: fn(usize) -> [f32; 2],
    starvation: Starvation,
) -> (LinearModel, Result<(LinearModel, Labeling)>) {
    let pseudo_labeling = labeling(LabelKind::Hard, at_least(0.5), starvation);
    let method = SelfTraining {
        pseudo_labeling,
        ..method()
    };
    let student =
        LinearModel::new(Shape::Vector(3), &[vec![0.1; 3], vec![-0.1; 3]], &[0.0; 2]).unwrap();
    let step = method.step(&teacher(rows), Some(&student), &domain(8), Seed::new(0));
    (
        student,
        step.map(|step| (step.model.unwrap(), step.labeling)),
    )
}

#[test]
fn a_window_of_which_nothing_is_left_fails_or_is_held() {
    let unsure = |_| [0.6, 0.4];
    let (_, failed) = starved(unsure, Starvation::Fail);
    assert_eq!(
        failed.unwrap_err().to_string(),
        "the confidence filter left 0 of 8 examples"
    );
    for policy in [Starvation::Hold, Starvation::Proceed] {
        let (student, step) = starved(unsure, policy);
        let (model, record) = step.unwrap();
        assert_eq!(model, student);
        assert_eq!(
            record,
            Labeling {
                seen: 8,
                kept: 0,
                class_counts: vec![0, 0],
                held: true
            }
        );
    }
}

#[test]
fn a_window_of_which_one_class_is_left_fails_or_is_held_or_learned() {
    let one_sided = |i| if i < 3 { [0.0, 1.0] } else { [0.6, 0.4] };
    let (_, failed) = starved(one_sided, Starvation::Fail);
    assert_eq!(
        failed.unwrap_err().to_string(),
        "the confidence filter left 3 of 8 examples, all of class 1"
    );
    let (student, step) = starved(one_sided, Starvation::Hold);
    let (model, record) = step.unwrap();
    assert_eq!(model, student);
    assert_eq!(
        record,
        Labeling {
            seen: 8,
            kept: 3,
            class_counts: vec![0, 3],
            held: true
        }
    );
    let (student, step) = starved(one_sided, Starvation::Proceed);
    let (model, record) = step.unwrap();
    assert_ne!(model, student);
    assert_eq!(
        record,
        Labeling {
            seen: 8,
            kept: 3,
            class_counts: vec![0, 3],
            held: false
        }
    );
}

#[test]
fn a_held_first_window_leaves_a_foreign_teacher_without_a_student() {
    let pseudo_labeling = labeling(LabelKind::Hard, at_least(0.5), Starvation::Hold);
    let method = SelfTraining {
        pseudo_labeling,
        start: StudentStart::ScratchThenTeacher,
        ..method()
    };
    let unsure = teacher(|_| [0.6, 0.4]);
    let mut steps = method
        .models_from(&unsure, Stages::of(vec![domain(8)]), Seed::new(0))
        .unwrap();
    assert!(matches!(
        steps.next(),
        Some(Err(Error::Starved {
            seen: 8,
            kept: 0,
            class: None
        }))
    ));
}

/// The first student is a fresh one, also where the first window was held.
#[test]
fn a_held_first_window_leaves_the_first_student_fresh() {
    let mut method = method();
    method.start = StudentStart::ScratchThenTeacher;
    method.pseudo_labeling.starvation = Starvation::Hold;
    let task = task();
    let source = source_model(&task);
    let window = windows(&task).next().unwrap().unwrap();
    let alike = Domain::new(window.inputs.pick(&[0; 20]));
    let stages = Stages::of(vec![alike, window.clone()]);
    let seed = Seed::new(2);
    let steps = method
        .models(&source, stages, seed)
        .map(|step| step.unwrap());
    let steps: Vec<_> = steps.collect();
    assert!(steps[0].labeling.held && !steps[1].labeling.held);
    let fresh = method.step(&source, None, &window, seed.nth(1)).unwrap();
    assert_eq!(Some(&steps[1].model), fresh.model.as_ref());
}

#[test]
fn an_empty_domain_is_refused() {
    let step = method().step(&teacher(|_| [1.0, 0.0]), None, &domain(0), Seed::new(0));
    assert!(matches!(step, Err(Error::Empty { .. })));
}

#[test]
fn a_tie_is_labelled_with_the_first_class() {
    let keep_all = Filter::DropFraction(Fraction::new(0.0).unwrap());
    let tied = teacher(|i| if i == 0 { [0.5, 0.5] } else { [0.25, 0.75] });
    let hard = labeling(LabelKind::Hard, keep_all, Starvation::Fail);
    let (examples, record) = hard.label(&tied, &domain(4)).unwrap();
    let Targets::Hard(labels) = examples.unwrap().targets().clone() else {
        panic!("hard labels")
    };
    assert_eq!(labels.as_slice(), [0, 1, 1, 1]);
    assert_eq!(record.class_counts, [1, 3]);
}

#[test]
fn soft_labels_are_the_teachers_probabilities_of_what_is_kept() {
    let rising = teacher(|i| [0.05 * i as f32, 1.0 - 0.05 * i as f32]);
    let soft = labeling(LabelKind::Soft, at_least(0.7), Starvation::Fail);
    let sided = soft.label(&rising, &domain(21)).unwrap();
    let Targets::Soft(kept) = sided.0.unwrap().targets().clone() else {
        panic!("soft labels")
    };
    // |2p − 1| ≥ 0.7 for p ≤ 0.15 and p ≥ 0.85, up to the rounding of p itself.
    let all = rising.probabilities(&domain(21).inputs).unwrap();
    let sure: Vec<usize> = (0..21)
        .filter(|&i| Confidence::Spread.of(all.row(i)) >= 0.7)
        .collect();
    assert_eq!(kept, all.pick(&sure));
    assert!(sure.len() < 10 && sure.contains(&0) && sure.contains(&20));
    assert_eq!(sided.1.kept, sure.len());
}

#[test]
fn an_error_of_a_stage_ends_in_an_error_of_the_run() {
    let task = task();
    let source = source_model(&task);
    let broken = || {
        Stages::new(
            [Err(Error::Interrupted)].into_iter(),
            driftline::data::Remainder::None,
        )
    };
    assert!(matches!(
        method().adapt(&source, broken(), Seed::new(0)),
        Err(Error::Interrupted)
    ));
}
