//! Scenarios: ways in which the labelled source could have become this window. Each gives the probability of every class for
//! every row of the window, and how badly it fits. No scenario is switched on or off: each counts by its fit.

mod chain;
mod follow;
mod moved;
mod trace;

pub(super) use chain::Chained;
pub(super) use follow::{CLOUDS, Followed};
pub(super) use moved::{Moved, reweighted};
pub(super) use trace::Trace;

use super::memory::Memory;
use super::profile::Source;
use driftline_adapt::Context;
use driftline_adapt::policy::Proposal;
use driftline_core::Result;
use driftline_core::data::{Inputs, Probabilities};
use driftline_core::random::Seed;
use driftline_drift::{RowPoints, energy_distance};

/// The part of the distance between classes that a step may be, as in driftline-drift's `pace.rs`.
pub(super) const SAFE_STEP: f64 = 0.1;

/// What there is to explain.
pub(super) struct Case<'a> {
    pub ctx: &'a Context<'a>,
    pub source: &'a Source,
    pub proposals: &'a [Proposal<'a>],
    /// The rows of the window that are looked at.
    pub inputs: &'a Inputs,
    pub points: Option<RowPoints>,
    /// What the source model says of them, where it was asked already.
    pub said: Option<&'a Probabilities>,
    /// The largest step so far, in steps that are safe: 1 is a tenth of the distance between classes.
    pub largest_step: f64,
    /// Whether it is asked how well explanations fit, or only what they say.
    pub measures_fit: bool,
    pub seed: Seed,
}

/// One explanation of a window.
#[derive(Clone, Debug)]
pub(super) struct Explanation {
    pub name: &'static str,
    /// Rows × classes.
    pub posteriors: Vec<f64>,
    /// How far the explanation is from the window, in units of noise; at least 0.
    pub misfit: f64,
    /// How much freedom it has to fit whatever comes.
    pub complexity: f64,
    /// What the source's past says of it, as a logarithm per row, where it was not tried there.
    pub past: f64,
}

/// A way to explain windows.
pub(super) trait Scenario {
    /// None where it does not apply, and more than one where it has forms. What it needs at the next window goes to `memory`.
    fn explain(&self, case: &Case<'_>, memory: &mut Memory) -> Result<Vec<Explanation>>;
}

/// Every way that applies to a source of this kind.
pub(super) fn scenarios(source: &Source) -> Vec<Box<dyn Scenario>> {
    let moved = match source.points {
        Some(_) => Moved::OF_NUMBERS,
        None => Moved::UNMOVED,
    };
    vec![Box::new(moved), Box::new(Followed), Box::new(Chained)]
}

impl Case<'_> {
    /// The chain of the paper's steps, where it is among the candidates.
    fn plain(&self) -> Option<&Proposal<'_>> {
        let plain = |one: &&Proposal<'_>| one.candidate.name == "plain";
        self.proposals.iter().find(plain)
    }

    /// Whether a chain labels its windows by clusters that it follows, as nearest neighbours of few columns do.
    fn follows_clusters(&self, chain: &Proposal<'_>) -> bool {
        let labeler = &chain.candidate.labeler;
        labeler.clusters(&self.ctx.first.model).is_some()
    }

    /// The distance of two samples in units of noise; noise alone is no misfit.
    fn misfit(&self, a: &RowPoints, b: &RowPoints, noise: f64) -> f64 {
        (energy_distance(a, b, self.seed) / noise).max(0.0)
    }
}
