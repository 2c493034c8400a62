//! `driftline bench network`: how fast the paper's conv net trains and predicts here, and which share that is of the most
//! multiply-adds the cores can do, measured on the spot.

use std::num::NonZeroUsize;
use std::time::Instant;

use clap::Args;
use driftline_core::data::{Examples, Inputs, Labels, Shape, Targets};
use driftline_core::random::Seed;
use driftline_models::network::{Architecture, Isa, NetworkLearner, peak};
use driftline_models::training::Training;
use driftline_models::{Classifier, Learner, Runtime};
use serde_json::json;

use crate::failure::Result;
use crate::output;

#[derive(Debug, Args)]
pub struct BenchNetworkArgs {
    /// Threads that share each batch [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Images per gradient step
    #[arg(long, value_name = "N", default_value = "32")]
    batch: NonZeroUsize,
    /// Instruction set: avx512, avx2 or portable [default: the fastest here]
    #[arg(long)]
    isa: Option<Isa>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Rounds of (peak, training, inference), whose medians count.
const ROUNDS: usize = 7;
/// The least time of one measurement, in seconds.
const LEAST: f64 = 0.25;
const SIDE: usize = 28;
const CLASSES: usize = 10;

pub fn run(args: &BenchNetworkArgs) -> Result {
    let isa = args.isa.unwrap_or_else(Isa::detect).checked()?;
    let available = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = args.threads.unwrap_or(available);
    let examples = noise(4096usize.next_multiple_of(args.batch.get()))?;
    let mut training = Training::paper(NonZeroUsize::MIN);
    training.batch_size = args.batch;
    let mut learner = NetworkLearner::new(Architecture::paper_conv(), training);
    learner.runtime = Runtime::default().with_isa(isa).with_threads(threads);
    let mut network = learner.fit(&examples, Seed::new(0))?;

    let (mut peaks, mut trained, mut predicted) = (vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        peaks.push(peak_of(isa, threads.get()));
        trained.push(per_second(|| {
            network = learner.refit(&network, &examples, Seed::new(round as u64))?;
            Ok(examples.len())
        })?);
        predicted.push(per_second(|| {
            network.probabilities(examples.inputs())?;
            Ok(examples.len())
        })?);
    }
    let peak = median(peaks);
    let images = median(trained);
    let inference = median(predicted);
    let operations = 2.0 * network.blueprint().training_multiply_adds() as f64;
    let speed = images * operations;
    let value = || {
        json!({
            "isa": isa.to_string(), "threads": threads, "batch": args.batch,
            "train_images_per_second": images.round(), "inference_images_per_second": inference.round(),
            "gflops": (speed / 1e7).round() / 1e2, "peak_gflops": (peak / 1e7).round() / 1e2,
            "share_of_peak": (speed / peak * 1e4).round() / 1e4,
        })
    };
    let text = || {
        let (batch, share, speed, peak) =
            (args.batch, 100.0 * speed / peak, speed / 1e9, peak / 1e9);
        format!(
            "the paper's conv net, {SIDE}×{SIDE} images, batches of {batch}, {threads} threads, {isa}\n\
             training   {images:8.0} images/s  {speed:6.1} GFLOP/s, {share:.1} % of the peak of {peak:.1}\n\
             inference  {inference:8.0} images/s\n"
        )
    };
    output::show(args.json, value, text)
}

/// Random images with random labels: the arithmetic does not care.
fn noise(n: usize) -> driftline_core::Result<Examples> {
    let mut state = 1_u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let shape = Shape::Image {
        height: SIDE,
        width: SIDE,
        channels: 1,
    };
    let values = (0..n * SIDE * SIDE)
        .map(|_| draw() as f32 / (1 << 24) as f32)
        .collect();
    let labels = (0..n).map(|_| draw() % CLASSES as u32).collect();
    let targets = Targets::Hard(Labels::new(labels, CLASSES)?);
    Examples::new(Inputs::new(values, shape)?, targets)
}

/// Floating-point operations per second of `threads` threads that only multiply and add.
fn peak_of(isa: Isa, threads: usize) -> f64 {
    let alone = || {
        let (start, mut operations) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < LEAST / 4.0 {
            let (done, sum) = peak(isa, 100_000);
            std::hint::black_box(sum);
            operations += done;
        }
        operations as f64 / start.elapsed().as_secs_f64()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(alone)).collect();
        let speed = |worker: std::thread::ScopedJoinHandle<'_, f64>| worker.join().unwrap_or(0.0);
        workers.into_iter().map(speed).sum()
    })
}

/// Repeats `work`, which says how many items it did, for at least [`LEAST`] seconds.
fn per_second(
    mut work: impl FnMut() -> driftline_core::Result<usize>,
) -> driftline_core::Result<f64> {
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < LEAST {
        done += work()?;
    }
    Ok(done as f64 / start.elapsed().as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
