//! How fast the linear model is: one self-training step, the whole Gaussian row of Table 1, and the exact minimiser.

use std::hint::black_box;
use std::num::NonZeroUsize;

use criterion::{Criterion, criterion_group, criterion_main};
use driftline::adapt::{
    Curriculum, Gradual, OptimizerState, Pooled, PseudoLabeling, SelfTraining, SourceOnly,
    StudentStart, TargetOnly,
};
use driftline::data::{
    Examples, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Shape, Tail, Windowing,
};
use driftline::datasets::gaussian::MovingGaussians;
use driftline::models::Learner;
use driftline::models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline::models::training::Training;
use driftline::random::Seed;
use rand::RngExt;

fn some(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("not 0")
}

fn penalty() -> Penalty {
    Penalty::L2(NonNegative::new(0.02).expect("in range"))
}

fn paper() -> SelfTraining<LinearLearner> {
    SelfTraining {
        learner: LinearLearner {
            solver: Solver::MiniBatch(Training::paper(some(100))),
            penalty: penalty(),
        },
        pseudo_labeling: PseudoLabeling::paper(Fraction::new(0.1).expect("in range")),
        start: StudentStart::Teacher,
        optimizer_state: OptimizerState::Carried,
        replay: None,
    }
}

/// Window 500, 100 features, 100 epochs in batches of 32: 1,500 gradient steps.
fn self_training_step(criterion: &mut Criterion) {
    let task = MovingGaussians::paper()
        .draw(Seed::new(0))
        .expect("a draw")
        .task;
    let method = paper();
    let teacher = method
        .learner
        .fit(&Examples::from(&task.source), Seed::new(0))
        .expect("a teacher");
    let window = task.intermediate.window(0..500);
    criterion.bench_function("self-training step, 500 x 100", |bencher| {
        bencher.iter(|| method.step(&teacher, Some(&teacher), black_box(&window), Seed::new(1)));
    });
}

/// Source, Target ST, All ST and Gradual ST with one seed: 298,600 gradient steps.
fn gaussian_column(criterion: &mut Criterion) {
    let task = MovingGaussians::paper()
        .draw(Seed::new(0))
        .expect("a draw")
        .task;
    let method = paper();
    let windowing = Windowing::Size(some(500), Tail::Forbid);
    let curricula: [&dyn Curriculum; 4] = [
        &SourceOnly,
        &TargetOnly { repeats: some(10) },
        &Pooled::new(some(10)),
        &Gradual::new(windowing),
    ];
    let mut group = criterion.benchmark_group("whole column");
    group.sample_size(10);
    group.bench_function("Table 1, Gaussian, one seed", |bencher| {
        bencher.iter(|| {
            let source = method
                .learner
                .fit(&Examples::from(&task.source), Seed::new(0))
                .expect("a source model");
            for curriculum in curricula {
                let stages = curriculum.stages(&task, Seed::new(0)).expect("stages");
                black_box(
                    method
                        .adapt(&source, stages, Seed::new(0))
                        .expect("a model"),
                );
            }
        });
    });
}

fn minimiser(criterion: &mut Criterion) {
    let learner = LinearLearner {
        solver: Solver::FullBatch(FullBatch::default()),
        penalty: penalty(),
    };
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
