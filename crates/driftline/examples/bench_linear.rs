//! Times the linear model on data that `bench/linear.py` wrote, and prints JSON for it to compare with other libraries.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock; the library does not"
)]

use std::error::Error;
use std::fs;
use std::num::NonZeroUsize;
use std::time::Instant;

use driftline_adapt::{Candidate, Engine, SourceOnly, Stage, Version};
use driftline_core::data::{
    Domain, Examples, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Positive, Shape,
};
use driftline_core::random::Seed;
use driftline_models::linear::{FullBatch, LinearLearner, LinearModel, Penalty, Solver};
use driftline_models::training::Training;
use driftline_models::{AnyModel, Learner};

const USAGE: &str = "usage: bench_linear step INPUTS LABELS FEATURES L2 EPOCHS REPEATS
       bench_linear solve INPUTS LABELS FEATURES L2 TOLERANCE THREADS REPEATS";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["step", inputs, labels, features, l2, epochs, repeats] => step(
            &read(inputs, labels, features.parse()?)?,
            l2.parse()?,
            epochs.parse()?,
            repeats.parse()?,
        ),
        [
            "solve",
            inputs,
            labels,
            features,
            l2,
            tolerance,
            threads,
            repeats,
        ] => {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads.parse()?)
                .build()?;
            let examples = Examples::from(&read(inputs, labels, features.parse()?)?);
            let (l2, tolerance, repeats) = (l2.parse()?, tolerance.parse()?, repeats.parse()?);
            pool.install(|| solve(&examples, l2, tolerance, repeats))
                .map_err(|message| message.into())
        }
        _ => Err(USAGE.into()),
    }
}

/// One self-training step: the first half is the labelled source, the second half the window.
fn step(
    data: &LabeledDomain,
    l2: f64,
    epochs: NonZeroUsize,
    repeats: usize,
) -> Result<(), Box<dyn Error>> {
    let half = data.len() / 2;
    let solver = Solver::MiniBatch(Training::paper(epochs));
    let learner = LinearLearner::new(solver, Penalty::L2(NonNegative::new(l2)?));
    let source = Examples::from(&data.slice(0..half));
    let teacher = AnyModel::new("linear", learner.fit(&source, Seed::new(0))?);
    let window: Domain = data.slice(half..data.len()).unlabeled();
    // The window is given by hand, so that no curriculum is asked for one.
    let candidate = Candidate::paper(learner, SourceOnly::new(), Fraction::new(0.1)?);
    let archive: Vec<Version> = vec![];
    let mut seconds = Vec::new();
    let mut kept = 0;
    for repeat in 0..repeats {
        let seed = Seed::new(repeat as u64 + 1);
        let mut adaptation = Engine::new(candidate.clone(), teacher.clone(), seed);
        let begin = Instant::now();
        let step = adaptation.process(Stage::window(window.clone()), (), &archive)?;
        seconds.push(begin.elapsed().as_secs_f64());
        kept = step.labeling.map_or(0, |labeling| labeling.kept);
    }
    let steps = epochs.get() * kept.div_ceil(32);
    println!(
        "{}",
        serde_json::json!({ "seconds": seconds, "steps": steps })
    );
    Ok(())
}

/// The exact minimiser; prints the difference of the two classes' weights, then that of their biases.
fn solve(examples: &Examples, l2: f64, tolerance: f64, repeats: usize) -> Result<(), String> {
    let text = |error: driftline_core::Error| error.to_string();
    let solver = FullBatch {
        tolerance: Positive::new(tolerance).map_err(text)?,
        ..FullBatch::default()
    };
    let penalty = Penalty::L2(NonNegative::new(l2).map_err(text)?);
    let learner = LinearLearner::new(Solver::FullBatch(solver), penalty);
    let mut seconds = Vec::new();
    let mut model: Option<LinearModel> = None;
    for _ in 0..repeats {
        let begin = Instant::now();
        let fitted = learner.fit(examples, Seed::new(0)).map_err(text)?;
        seconds.push(begin.elapsed().as_secs_f64());
        model = Some(fitted);
    }
    let model = model.ok_or("at least one repeat is needed")?;
    let weights: Vec<f64> = model
        .weights(1)
        .iter()
        .zip(model.weights(0))
        .map(|(&one, &zero)| f64::from(one) - f64::from(zero))
        .collect();
    let bias = f64::from(model.bias(1)) - f64::from(model.bias(0));
    println!(
        "{}",
        serde_json::json!({ "seconds": seconds, "weights": weights, "bias": bias })
    );
    Ok(())
}

/// Raw little-endian files: f32 inputs row by row, one byte per label.
fn read(inputs: &str, labels: &str, features: usize) -> Result<LabeledDomain, Box<dyn Error>> {
    let values = fs::read(inputs)?
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    let labels = fs::read(labels)?.into_iter().map(u32::from).collect();
    Ok(LabeledDomain::new(
        Inputs::new(values, Shape::Vector(features))?,
        Labels::new(labels, 2)?,
    )?)
}
