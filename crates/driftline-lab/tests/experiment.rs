//! Experiments from file to stored trial: every fault of a file is named where it is, and the stored bytes depend on
//! the plan and the seeds alone.

#[path = "experiment/bad_files.rs"]
mod bad_files;
#[path = "experiment/batch.rs"]
mod batch;
#[path = "experiment/identity.rs"]
mod identity;
#[path = "experiment/memo.rs"]
mod memo;
#[path = "experiment/running.rs"]
mod running;
#[path = "experiment/vocabulary.rs"]
mod vocabulary;

use driftline_lab::experiment::{Expected, Experiment, Scale, read_text};

/// A small experiment that runs in milliseconds.
const SMALL: &str = r#"
name = "small"
title = "A small experiment"
seeds = [0, 1, 2]
data-seeds = [0]

[[datasets]]
name = "Gaussian"
data.gaussian = { dimension = 8, classes = 2, source = 40, held-out-source = 20, intermediate = 120, target-pool = 40, target = 50 }

[model.linear]
l2 = 0.02

[training]
epochs = 3
batch-size = 16

[self-training]
labels = "hard"
confidence = "spread"
filter.drop = 0.1
start = "teacher"
optimizer-state = "carried"

[[methods]]
name = "Source"
curriculum = "source-only"

[[methods]]
name = "Gradual ST"
curriculum.gradual = { window = 40 }

[[checks]]
method = "Gradual ST"
at-least = 0
"#;

fn plan_of(text: &str) -> driftline_core::Result<Experiment> {
    Experiment::new(&read_text(text)?, Expected::default(), Scale::Full)
}

fn small() -> Experiment {
    plan_of(SMALL).unwrap()
}
