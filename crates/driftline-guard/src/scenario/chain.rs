//! Images, whose pixels no map of columns explains: what the chain of plain steps says of the window before it learns from
//! it. It is right where the theorem is: small steps, every one of them.

use super::{Case, Explanation, Scenario};
use crate::memory::Memory;
use crate::space::scores;
use driftline_core::Result;

pub(crate) struct Chained;

impl Scenario for Chained {
    fn explain(&self, case: &Case<'_>, _: &mut Memory) -> Result<Vec<Explanation>> {
        let source = case.source;
        let plain = |name: &str| name == "plain";
        let Some(chain) = case.proposals.iter().find(|one| plain(&one.candidate.name)) else {
            return Ok(vec![]);
        };
        let posteriors = source.said(chain.before, case.inputs)?;
        let there = scores(&posteriors, source.prior.len());
        let misfit = case.misfit(&source.scores, &there, source.profile.score_noise);
        let too_far = (case.largest_step - 1.0).max(0.0);
        Ok(vec![Explanation {
            name: "chained",
            posteriors,
            misfit,
            complexity: 1.0 + 2.0 * too_far,
        }])
    }
}
