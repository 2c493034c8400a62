//! The one loop: the order of its calls, where a later stream begins, and what stops it.

use std::cell::RefCell;

use driftline_adapt::{
    After, Archive, Candidate, Curriculum, Engine, Gradual, Sink, Stage, Stages, Step, Version,
};
use driftline_core::data::{
    Domain, Examples, Fraction, Inputs, Labels, NonNegative, Shape, Targets, Windowing,
};
use driftline_core::random::Seed;
use driftline_core::{Cancel, Error, Result};
use driftline_models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline_models::{AnyModel, Learner, Runtime};

type Calls = RefCell<Vec<String>>;

/// Windows of two rows, each known by its number.
struct Numbered<'a> {
    calls: &'a Calls,
    windows: Vec<Domain>,
}

impl Stages for Numbered<'_> {
    type Rows = usize;

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, usize)>> {
        self.calls.borrow_mut().push(format!("stage {place}"));
        let stage = curriculum.next(place, &mut self.windows, teacher)?;
        Ok(stage.map(|stage| (stage, 100 + place)))
    }
}

/// Writes down what comes, and stops or fails after so many steps.
struct Writing<'a> {
    calls: &'a Calls,
    versions: Vec<Version>,
    cancel: Option<Cancel>,
    fails: bool,
}

impl Sink<usize> for Writing<'_> {
    fn archive(&self) -> &dyn Archive {
        &self.versions
    }

    fn accept(&mut self, engine: &Engine, step: Step<usize>) -> Result<()> {
        assert_eq!(
            engine.deployed(),
            &step.version,
            "the engine stands behind the step"
        );
        assert_eq!(engine.done(), step.version.number);
        let call = format!("step {} with rows {}", step.version.number, step.rows);
        self.calls.borrow_mut().push(call);
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
        match self.fails {
            true => Err(Error::empty("the disk")),
            false => Ok(()),
        }
    }
}

fn inputs(shift: f32) -> Inputs {
    Inputs::new(vec![-1.0 + shift, 1.0 + shift], Shape::Vector(1)).unwrap()
}

fn engine(cancel: &Cancel) -> Engine {
    let solver = Solver::FullBatch(FullBatch::default());
    let learner = LinearLearner::new(solver, Penalty::L2(NonNegative::new(0.1).unwrap()));
    let labels = Targets::Hard(Labels::new(vec![0, 1], 2).unwrap());
    let examples = Examples::new(inputs(0.0), labels).unwrap();
    let model = learner.fit(&examples, Seed::new(0)).unwrap();
    let one = Windowing::Count(std::num::NonZeroUsize::MIN);
    let candidate = Candidate::paper(learner, Gradual::new(one), Fraction::new(0.0).unwrap());
    let runtime = Runtime::default().with_cancel(cancel.clone());
    Engine::new(candidate, AnyModel::new("linear", model), Seed::new(0)).with_runtime(runtime)
}

#[test]
fn a_stage_is_asked_for_once_the_step_before_was_taken() {
    let whole = [
        "stage 0",
        "step 1 with rows 100",
        "stage 1",
        "step 2 with rows 101",
        "stage 2",
    ];
    // (stops, fails, calls)
    let cases = [(false, false, 5), (true, false, 2), (false, true, 2)];
    for (stops, fails, expected) in cases {
        let (calls, cancel) = (Calls::default(), Cancel::new());
        let mut engine = engine(&cancel);
        let mut stream = Numbered {
            calls: &calls,
            windows: vec![Domain::new(inputs(0.1)), Domain::new(inputs(0.2))],
        };
        let mut sink = Writing {
            calls: &calls,
            versions: vec![engine.first().clone()],
            cancel: stops.then_some(cancel),
            fails,
        };
        let ended = engine.run(&mut stream, &mut sink);
        match (stops, fails) {
            (false, false) => ended.unwrap(),
            (true, _) => assert!(matches!(ended, Err(Error::Interrupted))),
            (_, true) => assert!(matches!(ended, Err(Error::Empty { .. }))),
        }
        assert_eq!(*calls.borrow(), whole[..expected], "{stops} {fails}");
    }
}

#[test]
fn a_later_stream_counts_from_its_own_first_window() {
    let (calls, cancel) = (Calls::default(), Cancel::new());
    let mut engine = engine(&cancel);
    for shift in [0.1, 0.2] {
        let mut stream = Numbered {
            calls: &calls,
            windows: vec![Domain::new(inputs(shift))],
        };
        let mut sink = Writing {
            calls: &calls,
            versions: vec![],
            cancel: None,
            fails: false,
        };
        let first = engine.done();
        engine
            .run(&mut After(first, &mut stream), &mut sink)
            .unwrap();
    }
    let steps = ["step 1 with rows 100", "step 2 with rows 100"];
    let expected = [
        "stage 0", steps[0], "stage 1", "stage 0", steps[1], "stage 1",
    ];
    assert_eq!(*calls.borrow(), expected);
}
