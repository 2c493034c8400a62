//! The data sets that an experiment file can name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::data::Benchmark;
use crate::datasets::gaussian::MovingGaussians;
use crate::random::Seed;

/// A benchmark by its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dataset {
    /// Gaussian classes whose means and covariances move.
    Gaussian(MovingGaussians),
}

impl Dataset {
    pub fn benchmark(&self, data_seed: u64) -> Result<Benchmark> {
        match self {
            Dataset::Gaussian(settings) => settings.draw(Seed::new(data_seed).named("data")),
        }
    }

    /// Refuses settings that cannot work, before anything runs.
    pub fn check(&self) -> Result<()> {
        match self {
            Dataset::Gaussian(settings) => settings.check(),
        }
    }

    /// How many unlabelled examples the stream has.
    pub fn stream_length(&self) -> usize {
        match self {
            Dataset::Gaussian(settings) => settings.intermediate,
        }
    }

    /// A smaller version for a quick look.
    pub fn scaled_down(&self, divisor: usize) -> Dataset {
        match self {
            Dataset::Gaussian(settings) => Dataset::Gaussian(settings.scaled_down(divisor)),
        }
    }
}
