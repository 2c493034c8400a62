//! What a part may look at. No answer is in reach.

use std::sync::OnceLock;

use super::chain::Chain;
use super::curriculum::Stage;
use super::policy::Expert;
use super::source_stats::SourceStats;
use super::version::{Archive, Version};
use driftline_core::data::{Domain, LabeledDomain};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::Runtime;

/// The moment of one step.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The labelled source, or where only that is at hand the source sample that stands for it.
    pub source: Option<&'a LabeledDomain>,
    /// The rows that stand for the source: the same whether the source is at hand or not.
    pub source_sample: Option<&'a LabeledDomain>,
    /// What is known of the source even where it is not at hand; ask [`Context::frame`].
    pub frame: &'a OnceLock<SourceStats>,
    /// Version 0.
    pub first: &'a Version,
    /// The model that labels: where the chain stands, deployed or not.
    pub teacher: &'a Version,
    /// The version in use.
    pub deployed: &'a Version,
    /// What was learned from before.
    pub previous: Option<&'a Domain>,
    pub stage: &'a Stage,
    /// Counts the stages from 1: the version that this one leads to.
    pub number: usize,
    /// The seed of this step alone.
    pub seed: Seed,
    pub runtime: &'a Runtime,
    pub single_candidate: bool,
    /// Who may be asked about rows of this window, if anybody.
    pub expert: Option<&'a dyn Expert>,
    /// Rows of earlier windows whose classes the policy was told, if any are to be learned from.
    pub told: Option<&'a LabeledDomain>,
    /// Earlier versions.
    pub archive: &'a dyn Archive,
}

impl<'a> Context<'a> {
    /// Statistics of the source: those that came with the model, or else taken from the source itself.
    pub fn frame(&self) -> Result<&'a SourceStats> {
        match (self.frame.get(), self.source) {
            (Some(frame), _) => Ok(frame),
            (None, Some(source)) => Ok(self.frame.get_or_init(|| SourceStats::of(source))),
            (None, None) => Err(Error::SourceMissing),
        }
    }

    /// The same moment as this chain sees it.
    pub fn of_chain(self, chain: &'a Chain) -> Self {
        Self {
            first: chain.first(),
            teacher: chain.version(),
            previous: chain.previous(),
            ..self
        }
    }

    /// The same moment with other rows to learn from.
    pub fn at(self, stage: &'a Stage) -> Self {
        Self { stage, ..self }
    }
}
