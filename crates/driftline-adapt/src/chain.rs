//! A chain: one candidate on its way along the stream, step after step from its own last version, whether that was
//! deployed or not. A policy rehearses candidates as chains of its own.

use rayon::prelude::*;

use super::candidate::{Attempt, Candidate, Made, StudentStart};
use super::context::Context;
use super::version::Version;
use driftline_core::data::{Domain, Labels, Probabilities};
use driftline_core::{Error, Result};
use driftline_models::{AnyModel, Learner};

/// A candidate and where it stands.
#[derive(Clone, Debug)]
pub struct Chain {
    candidate: Candidate,
    /// Where it began.
    first: Version,
    /// Its first model without the optimiser's memory: the one that is in use until something was learned.
    cleared: AnyModel,
    version: Version,
    /// What it learned from last.
    previous: Option<Domain>,
}

impl Chain {
    /// Stands before the first window. The optimiser's memory of the source is cleared.
    pub fn new(candidate: Candidate, first: Version) -> Self {
        let cleared = candidate.learner.forget(&first.model);
        let version = Version {
            model: cleared.clone(),
            ..first.clone()
        };
        Self {
            candidate,
            first,
            cleared,
            version,
            previous: None,
        }
    }

    /// Another candidate that begins where this one does.
    pub fn beside(&self, candidate: Candidate) -> Self {
        match candidate.learner == self.candidate.learner {
            // The first model stays one object for all of them.
            true => Self {
                candidate,
                ..self.clone()
            },
            false => Self::new(candidate, self.first.clone()),
        }
    }

    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    pub fn first(&self) -> &Version {
        &self.first
    }

    /// Where it stands.
    pub fn version(&self) -> &Version {
        &self.version
    }

    pub fn previous(&self) -> Option<&Domain> {
        self.previous.as_ref()
    }

    /// Goes on from another version, the last window learned from being `previous`.
    pub fn restart(&mut self, version: Version, previous: Option<Domain>) {
        self.version = version;
        self.previous = previous;
    }

    /// A model without the optimiser's memory. The first one stays one object, so that it is known again even if it
    /// cannot be stored.
    pub(super) fn clear(&self, model: &AnyModel) -> AnyModel {
        match *model == self.first.model {
            true => self.cleared.clone(),
            false => self.candidate.learner.forget(model),
        }
    }

    /// Whether the next student begins as a copy of the chain's model. A first student that is to be fresh stays due
    /// while the source model is still in use.
    fn begins_as_copy(&self) -> bool {
        match self.candidate.start {
            StudentStart::Teacher => true,
            StudentStart::Scratch => false,
            StudentStart::ScratchThenTeacher => self.version.model != self.cleared,
        }
    }

    /// What the candidate makes of the window; the chain stays where it is.
    pub(super) fn attempt(&self, ctx: &Context<'_>) -> Result<Attempt> {
        let ctx = ctx.of_chain(self);
        let student = self.begins_as_copy().then_some(&self.version.model);
        let made = match self.candidate.step(&ctx, student) {
            // After going back to a version of another kind the student is a fresh one.
            Err(Error::NoWarmStart) if self.version.model != self.cleared => {
                self.candidate.step(&ctx, None)
            }
            made => made,
        };
        match made {
            Err(why @ Error::NotSupported { .. }) => {
                Ok(Attempt::not_applicable(&self.version, why))
            }
            made => made,
        }
    }

    /// Stands on what the step has made, or where it stood if there was nothing to learn from.
    pub(super) fn stand_on(&mut self, attempt: &Attempt, ctx: &Context<'_>) {
        self.version = match attempt.version() {
            Some(version) => version.clone(),
            None => self.version.numbered(ctx.number),
        };
        if let Some(learned) = &ctx.stage.learn {
            self.previous = Some(learned.clone());
        }
    }

    /// One step by itself. A chain that cannot take the window stays as it is.
    pub fn advance(&mut self, ctx: &Context<'_>) -> Result<()> {
        let attempt = self.attempt(ctx)?;
        if !matches!(attempt.made, Made::NotApplicable(_)) {
            self.stand_on(&attempt, ctx);
        }
        Ok(())
    }
}

/// What every chain makes of the window. Networks use all cores by themselves; the others go side by side.
pub(super) fn attempts(chains: &[Chain], ctx: &Context<'_>) -> Result<Vec<Attempt>> {
    let uses_all_cores = |chain: &Chain| chain.candidate.learner.depends_on_isa();
    let one = |chain: &Chain| chain.attempt(ctx);
    if let [only] = chains {
        return match one(only)? {
            Attempt {
                made: Made::NotApplicable(why),
                ..
            } => Err(why),
            attempt => Ok(vec![attempt]),
        };
    }
    match chains.iter().any(uses_all_cores) {
        true => chains.iter().map(one).collect(),
        false => chains.par_iter().map(one).collect(),
    }
}

/// A teacher that is the version in use was asked about what is to be learned, in the frame of the new alignment: what it
/// said of the rows that arrived, if they are the same and so is the frame.
pub(super) fn assessed(
    chains: &[Chain],
    attempts: &[Attempt],
    ctx: &Context<'_>,
) -> Option<(Labels, Probabilities)> {
    let both = ctx.stage.learn.as_ref().zip(ctx.stage.arrived.as_ref());
    both.filter(|(learn, arrived)| learn.inputs.is(&arrived.inputs))?;
    let mut asked = chains.iter().zip(attempts).filter(|(chain, attempt)| {
        chain.version.is(ctx.deployed) && attempt.alignment == ctx.deployed.alignment
    });
    asked.find_map(|(_, attempt)| attempt.labeled.as_ref()?.assessed.clone())
}
