//! How fast the linear model is: one self-training step, the whole Gaussian row of Table 1, and the exact minimiser.

use std::hint::black_box;
use std::num::NonZeroUsize;

use criterion::{Criterion, criterion_group, criterion_main};
use driftline_adapt::{
    Candidate, Engine, Gradual, MemoryWindows, Pooled, SourceOnly, Stage, TargetOnly, Version,
};
use driftline_core::data::{
    Examples, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Shape, Tail, Windowing,
};
use driftline_core::random::Seed;
use driftline_lab::datasets::gaussian::MovingGaussians;
use driftline_models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline_models::training::Training;
use driftline_models::{AnyModel, Learner};
use rand::RngExt;

fn some(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("not 0")
}

fn penalty() -> Penalty {
    Penalty::L2(NonNegative::new(0.02).expect("in range"))
}

fn learner() -> LinearLearner {
    LinearLearner::new(Solver::MiniBatch(Training::paper(some(100))), penalty())
}

fn drop() -> Fraction {
    Fraction::new(0.1).expect("in range")
}

fn windowing() -> Windowing {
    Windowing::Size(some(500), Tail::Forbid)
}

/// Window 500, 100 features, 100 epochs in batches of 32: 1,500 gradient steps.
fn self_training_step(criterion: &mut Criterion) {
    let task = MovingGaussians::paper()
        .draw(Seed::new(0))
        .expect("a draw")
        .task;
    let teacher = learner()
        .fit(&Examples::from(&task.source), Seed::new(0))
        .expect("a teacher");
    let candidate = Candidate::paper(learner(), Gradual::new(windowing()), drop());
    let before = Engine::new(candidate, AnyModel::new("linear", teacher), Seed::new(1));
    let window = task.intermediate.window(0..500).unwrap();
    let archive: Vec<Version> = vec![];
    criterion.bench_function("self-training step, 500 x 100", |bencher| {
        bencher.iter(|| {
            let stage = Stage::window(black_box(&window).clone());
            before.clone().process(stage, (), &archive)
        });
    });
}

/// Source, Target ST, All ST and Gradual ST with one seed: 298,600 gradient steps.
fn gaussian_column(criterion: &mut Criterion) {
    let task = MovingGaussians::paper()
        .draw(Seed::new(0))
        .expect("a draw")
        .task;
    let candidates = [
        Candidate::paper(learner(), SourceOnly::new(), drop()),
        Candidate::paper(learner(), TargetOnly::new(some(10)), drop()),
        Candidate::paper(learner(), Pooled::new(some(10)), drop()),
        Candidate::paper(learner(), Gradual::new(windowing()), drop()),
    ];
    let mut group = criterion.benchmark_group("whole column");
    group.sample_size(10);
    group.bench_function("Table 1, Gaussian, one seed", |bencher| {
        bencher.iter(|| {
            let source = learner()
                .fit(&Examples::from(&task.source), Seed::new(0))
                .map(|model| AnyModel::new("linear", model))
                .expect("a source model");
            for candidate in &candidates {
                let cut = candidate.curriculum.windowing();
                let mut windows = MemoryWindows::of_task(&task, cut).expect("windows");
                let start = Engine::new(candidate.clone(), source.clone(), Seed::new(0));
                black_box(start.finish(&mut windows).expect("a model"));
            }
        });
    });
}

fn minimiser(criterion: &mut Criterion) {
    let learner = LinearLearner::new(Solver::FullBatch(FullBatch::default()), penalty());
    let mut group = criterion.benchmark_group("minimiser");
    group.sample_size(10);
    for (n, d) in [(500, 100), (5_000, 100), (50_000, 100), (5_000, 784)] {
        let examples = Examples::from(&overlapping(n, d));
        group.bench_function(format!("{n} x {d}"), |bencher| {
            bencher.iter(|| learner.fit(black_box(&examples), Seed::new(0)));
        });
    }
}

/// Two classes that overlap along the diagonal.
fn overlapping(n: usize, d: usize) -> LabeledDomain {
    let mut generator = Seed::new(0).generator();
    let labels: Vec<u32> = (0..n).map(|i| (i % 2) as u32).collect();
    let shift = 1.0 / (d as f32).sqrt();
    let values = labels.iter().flat_map(|&label| {
        let centre = if label == 1 { shift } else { -shift };
        (0..d)
            .map(|_| centre + generator.random_range(-1.5_f32..1.5))
            .collect::<Vec<_>>()
    });
    let inputs = Inputs::new(values.collect(), Shape::Vector(d)).expect("finite numbers");
    LabeledDomain::new(inputs, Labels::new(labels, 2).expect("two classes"))
        .expect("as many of both")
}

criterion_group!(benches, self_training_step, gaussian_column, minimiser);
criterion_main!(benches);
