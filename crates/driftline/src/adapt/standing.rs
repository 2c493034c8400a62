//! Where the chains stand and what the policy remembers: all that a run needs to go on beside the version in use.

use super::chain::Chain;
use super::state::State;
use super::version::Version;
use crate::Result;
use crate::data::Domain;
use crate::models::{AnyLearner, Runtime};

/// A moment between two windows.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    pub chains: Vec<Stand>,
    pub policy: State,
    /// What was learned from last.
    pub previous: Option<Domain>,
}

/// Where one chain stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Stand {
    /// The candidate's name.
    pub candidate: String,
    pub version: Version,
    /// The learner and the first version of a chain with a model of its own.
    pub own: Option<(AnyLearner, Version)>,
}

impl Standing {
    /// Nothing but what the policy remembers.
    pub fn of_policy(policy: State) -> Self {
        Self {
            policy,
            ..Self::default()
        }
    }

    /// Where the chain of this candidate stands.
    pub fn of(&self, candidate: &str) -> Option<&Version> {
        self.find(candidate).map(|stand| &stand.version)
    }

    /// The learner and the first version of a chain that has a model of its own.
    pub fn own(&self, candidate: &str) -> Option<&(AnyLearner, Version)> {
        self.find(candidate)?.own.as_ref()
    }

    fn find(&self, candidate: &str) -> Option<&Stand> {
        let mut chains = self.chains.iter();
        chains.find(|stand| stand.candidate == candidate)
    }

    /// The same with all models computing in another way.
    pub(crate) fn with_runtime(mut self, runtime: &Runtime) -> Result<Self> {
        use crate::models::Learner;
        for stand in &mut self.chains {
            stand.version = stand.version.clone().with_runtime(runtime)?;
            if let Some((learner, first)) = stand.own.take() {
                stand.own = Some((learner.with_runtime(runtime), first.with_runtime(runtime)?));
            }
        }
        self.policy = self.policy.with_runtime(runtime)?;
        Ok(self)
    }
}

impl Chain {
    /// Where it stands; `base` is the method of the run, whose model needs no saying.
    pub(super) fn stand(&self, base: &Chain) -> Stand {
        let learner = &self.candidate().learner;
        let own = *learner != base.candidate().learner;
        Stand {
            candidate: self.candidate().name.clone(),
            version: self.version().clone(),
            own: own.then(|| (learner.clone(), self.first().clone())),
        }
    }
}
