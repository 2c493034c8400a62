//! The paper's main claim on its own synthetic data: gradual self-training follows a drift that defeats the source
//! model. The first draw (data seed 0), not a chosen one; the paper prints 47.7 and 98.8.

use std::num::NonZeroUsize;

use driftline_adapt::{Candidate, Engine, Gradual, MemoryWindows};
use driftline_core::data::{Examples, Fraction, NonNegative, Tail, Windowing};
use driftline_core::random::Seed;
use driftline_lab::datasets::gaussian::MovingGaussians;
use driftline_lab::experiment::Dataset;
use driftline_models::evaluate::accuracy;
use driftline_models::linear::{LinearLearner, Penalty, Solver};
use driftline_models::training::Training;
use driftline_models::{AnyModel, Learner};

#[test]
fn gradual_self_training_follows_the_drift() {
    let benchmark = Dataset::Gaussian(MovingGaussians::paper())
        .benchmark(0, &driftline_lab::experiment::RawData::None)
        .unwrap();
    let training = Training::paper(NonZeroUsize::new(100).unwrap());
    let penalty = Penalty::L2(NonNegative::new(0.02).unwrap());
    let learner = LinearLearner::new(Solver::MiniBatch(training), penalty);
    let source = learner
        .fit(&Examples::from(&benchmark.task.source), Seed::new(0))
        .unwrap();
    let windowing = Windowing::Size(NonZeroUsize::new(500).unwrap(), Tail::Forbid);
    let mut windows = MemoryWindows::of_task(&benchmark.task, Some(&windowing)).unwrap();
    let drop = Fraction::new(0.1).unwrap();
    let candidate = Candidate::paper(learner, Gradual::new(windowing), drop);
    let adapted = Engine::new(
        candidate,
        AnyModel::new("linear", source.clone()),
        Seed::new(0),
    )
    .finish(&mut windows)
    .unwrap();
    let before = accuracy(&source, &benchmark.answers.target).unwrap();
    let after = accuracy(&adapted, &benchmark.answers.target).unwrap();
    assert!(
        (0.15..0.80).contains(&before),
        "the source model scores {before}"
    );
    assert!(after >= 0.98, "gradual self-training scores {after}");
}
