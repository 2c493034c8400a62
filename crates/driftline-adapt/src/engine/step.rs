//! One stage, the paper's Algorithm 1 with candidates: every chain aligns the window, labels it and learns from the labels,
//! θᵢ = ST(θᵢ₋₁, Sᵢ); then the policy decides what is deployed.

use super::Engine;
use crate::candidate::{Attempt, Candidate, Made};
use crate::chain::{assessed, attempts};
use crate::context::Context;
use crate::curriculum::Stage;
use crate::labeler::Labeling;
use crate::policy::{Decision, PolicyOutcome, Proposal};
use crate::version::{Archive, Version};
use driftline_core::data::{Domain, Labels, Probabilities};
use driftline_core::{Error, Result};
use driftline_models::{AnyModel, Classifier};

/// A finished stage, with whatever the stream knows of its `rows`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step<R = ()> {
    pub stage: Stage,
    pub rows: R,
    /// What was kept of the window by the candidate that was deployed, or by the only one there is; nothing where nothing
    /// was to be learned.
    pub labeling: Option<Labeling>,
    /// What was decided, with the numbers behind it. What the policy remembers has gone to the engine.
    pub outcome: PolicyOutcome,
    /// Which candidate was deployed, if one was.
    pub candidate: Option<String>,
    /// The version that was deployed before, and the one that is now.
    pub before: Version,
    pub version: Version,
    /// What `before` says of the rows that arrived, where somebody has asked it already.
    pub assessed: Option<(Labels, Probabilities)>,
}

impl Engine {
    /// Aligns, labels, learns and decides.
    pub fn process<R>(&mut self, stage: Stage, rows: R, archive: &dyn Archive) -> Result<Step<R>> {
        let ctx = self.context(&stage, archive);
        let told = self.policy.told(&ctx, self.remembered(&stage))?;
        let ctx = Context {
            told: told.as_ref(),
            ..ctx
        };
        let attempts = attempts(&self.chains, &ctx)?;
        let chains = self.chains.iter().zip(&attempts);
        let proposals: Vec<_> = chains.map(Proposal::of).collect();
        let outcome = self
            .policy
            .decide(&ctx, self.remembered(&stage), &proposals)?;
        let (deployed, version) = self.decided(&outcome.decision, &proposals, &ctx)?;

        let candidate = deployed.map(|place| proposals[place].candidate.name.clone());
        let recorded = deployed.or((attempts.len() == 1).then_some(0));
        let labeling = recorded.and_then(|place| proposals[place].labeling.cloned());
        let assessed = assessed(&self.chains, &attempts, &ctx);
        let chains = self.moved_on(&attempts, &ctx, &outcome, &version);
        let (before, outcome) = self.stand_on(chains, &stage, outcome, version.clone());
        Ok(Step {
            stage,
            rows,
            labeling,
            outcome,
            candidate,
            before,
            version,
            assessed,
        })
    }

    /// The candidate that is deployed, if one is, and the version in use from now on.
    fn decided(
        &self,
        decision: &Decision,
        proposals: &[Proposal<'_>],
        ctx: &Context<'_>,
    ) -> Result<(Option<usize>, Version)> {
        match decision {
            Decision::Deploy(place) => {
                let chosen = proposals.get(*place).and_then(|chosen| chosen.version);
                let chosen = chosen.ok_or_else(|| {
                    Error::out_of_range("the proposal to deploy", place, "one of those made")
                })?;
                Ok((Some(*place), chosen.clone()))
            }
            Decision::Hold { .. } => Ok((None, self.deployed.numbered(ctx.number))),
            Decision::RollBack { to, .. } => {
                let mut earlier = ctx.archive.version(*to)?.numbered(ctx.number);
                if *to == 0 {
                    earlier.model = self.base.clear(&earlier.model);
                }
                Ok((None, earlier))
            }
        }
    }
}

impl Candidate {
    /// One self-training step, `ST(θ, S)`: align the window, label it, let a student learn from the labels.
    pub(crate) fn align_label_fit(
        &self,
        ctx: &Context<'_>,
        student: Option<&AnyModel>,
    ) -> Result<Attempt> {
        let Some(window) = &ctx.stage.learn else {
            return Ok(Attempt::nothing(ctx.teacher));
        };
        let rows = self.subsample(ctx, window.len());
        let inputs = match &rows {
            Some(rows) => window.inputs.pick(rows),
            None => window.inputs.clone(),
        };
        // Generated features are behind the alignment already.
        let features = window.inputs.shape() != ctx.teacher.shape();
        let (alignment, aligned) = if features {
            (ctx.teacher.alignment.clone(), inputs)
        } else {
            let alignment = self.alignment.fit(ctx)?;
            let aligned = alignment.apply(&inputs)?;
            (alignment, aligned)
        };
        let mut labeled = self.labeler.label(ctx, &Domain::new(aligned))?;
        if let Some(rows) = rows {
            labeled.of_rows(&rows, window.len());
        }
        labeled.labeling.place = ctx.stage.place;
        let model = match labeled.examples.take() {
            None => labeled.keeps_model.then(|| ctx.teacher.model.clone()),
            Some(examples) => Some(self.learn(ctx, student, examples)?),
        };
        let version = model.map(|model| Version {
            number: ctx.number,
            alignment: alignment.clone(),
            model,
            labeler: labeled.state.clone(),
        });
        Ok(Attempt {
            made: version.map_or(Made::Nothing, Made::Version),
            labeled: Some(labeled),
            alignment,
        })
    }
}
