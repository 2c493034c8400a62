//! What the chain of plain steps says of the window. It is right where the theorem is: small steps, every one of them. It
//! explains images, whose pixels no map of columns explains, and tables of few columns whose clusters it follows row by row.

use super::trace::traced;
use super::{Case, Explanation, Scenario};
use crate::memory::Memory;
use crate::space::scores;
use driftline_adapt::policy::Proposal;
use driftline_core::Result;
use driftline_core::data::Labels;
use driftline_core::math::ln;
use driftline_models::Classifier;

/// A chain is never surer than this of a row.
const LEAST_DOUBT: f64 = 0.02;

pub(crate) struct Chained;

const CHAINED: &str = "chained";

impl Scenario for Chained {
    fn explain(&self, case: &Case<'_>, memory: &mut Memory) -> Result<Vec<Explanation>> {
        let Some(chain) = case.plain() else {
            return Ok(vec![]);
        };
        let too_far = (case.largest_step - 1.0).max(0.0);
        let complexity = 1.0 + 2.0 * too_far;
        if case.follows_clusters(chain) {
            return clusters(case, chain, complexity, memory).map(|own| vec![own]);
        }
        if case.source.points.is_some() {
            return Ok(vec![]);
        }
        let source = case.source;
        let posteriors = source.said(chain.before, case.inputs)?;
        let there = scores(&posteriors, source.prior.len());
        let misfit = case.misfit(&source.scores, &there, source.profile.score_noise);
        Ok(vec![Explanation {
            name: CHAINED,
            posteriors,
            misfit,
            complexity,
            past: 0.0,
        }])
    }
}

/// Clusters that were followed to this window: each row has the class of its cluster, as surely as the source model is right
/// at home. They go wherever rows are, so that they never misfit; where they go wrong, one class takes the rows of another.
fn clusters(
    case: &Case<'_>,
    chain: &Proposal<'_>,
    complexity: f64,
    memory: &mut Memory,
) -> Result<Explanation> {
    let source = case.source;
    let decided = chain.version.unwrap_or(chain.before).predict(case.inputs)?;
    let doubt = (1.0 - source.profile.held_out).max(LEAST_DOUBT);
    Ok(Explanation {
        name: CHAINED,
        posteriors: traced(case, memory, CHAINED, posteriors(&decided, doubt))?,
        misfit: 0.0,
        complexity,
        past: -divergence(&decided, &source.prior) / 2.0,
    })
}

/// The class that was decided, but for the doubt, which the others share.
fn posteriors(decided: &Labels, doubt: f64) -> Vec<f64> {
    let n_classes = decided.n_classes();
    let each = doubt / (n_classes as f64 - 1.0).max(1.0);
    let mut all = vec![each; decided.len() * n_classes];
    for (row, &class) in all.chunks_exact_mut(n_classes).zip(decided.as_slice()) {
        row[class as usize] = 1.0 - doubt;
    }
    all
}

/// Σ share · ln(share / the source's share), of the classes that occur.
fn divergence(decided: &Labels, prior: &[f64]) -> f64 {
    let n = decided.len().max(1) as f64;
    let shares = decided.counts().into_iter().map(|count| count as f64 / n);
    let occurs = shares.zip(prior).filter(|(share, _)| *share > 0.0);
    occurs.map(|(share, prior)| share * ln(share / prior)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_is_shared_by_the_other_classes() {
        let decided = Labels::new(vec![2, 0], 3).unwrap();
        assert_eq!(
            posteriors(&decided, 0.5),
            [0.25, 0.25, 0.5, 0.5, 0.25, 0.25]
        );
    }

    #[test]
    fn classes_that_run_away_with_the_rows_are_told_by_their_shares() {
        let labels = |classes: &[u32]| Labels::new(classes.to_vec(), 2).unwrap();
        let prior = [0.5, 0.5];
        assert_eq!(divergence(&labels(&[0, 1, 0, 1]), &prior), 0.0);
        let found = divergence(&labels(&[1, 1, 1, 1]), &prior);
        assert!((found - ln(2.0)).abs() < 1e-12);
    }
}
