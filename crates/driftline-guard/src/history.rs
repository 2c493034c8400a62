//! How this source drifts by itself: every scenario explains the later rows of the source as if they were a window of its
//! earlier ones, where the true classes are known. What foresaw them badly is less likely to explain what comes.

use std::collections::BTreeMap;

use super::ROWS;
use super::calibration::Calibration;
use super::memory::Memory;
use super::profile::{Source, SourceProfile, evenly, seed};
use super::scenario::{Case, scenarios};
use driftline_adapt::{Context, Stage, Version};
use driftline_core::Result;
use driftline_core::data::{LabeledDomain, Probabilities};
use driftline_core::math::ln;
use driftline_models::AnyModel;

/// A probability below this counts as this: one row must not decide.
const LEAST_PROBABILITY: f64 = 0.01;

/// The mean log-likelihood of the later parts' classes by every scenario, less that by the first one, which moves nothing.
/// `model` was trained on the early part, and `held_out` is what models said of its rows that had not seen them.
pub(super) fn history(
    ctx: &Context<'_>,
    early: &LabeledDomain,
    held_out: &Probabilities,
    model: &AnyModel,
    later: &[LabeledDomain],
) -> Result<BTreeMap<String, f64>> {
    let n_classes = early.labels().n_classes();
    let calibration = Calibration::of(held_out, early.labels().as_slice());
    let known = calibration.apply(&held_out.pick(&evenly(early.len(), ROWS)));
    let profile = SourceProfile {
        calibration,
        ..SourceProfile::default()
    };
    let source = Source::of(profile, early, ROWS, known, None);
    let first = Version::source(model.clone());
    let mut sums: Vec<(&'static str, f64)> = vec![];
    for part in later {
        let stage = Stage::window(part.unlabeled());
        let moment = Context {
            source: Some(early),
            source_sample: Some(early),
            first: &first,
            deployed: &first,
            previous: None,
            ..ctx.at(&stage)
        };
        let case = Case {
            ctx: &moment,
            source: &source,
            proposals: &[],
            inputs: part.inputs(),
            points: source.points_of(part.inputs()),
            said: None,
            largest_step: 0.0,
            measures_fit: false,
            seed: seed(),
        };
        for scenario in scenarios(&source) {
            for own in scenario.explain(&case, &mut Memory::default())? {
                let rows = own.posteriors.chunks_exact(n_classes);
                let likelihoods = rows
                    .zip(part.labels().as_slice())
                    .map(|(row, &class)| ln(row[class as usize].max(LEAST_PROBABILITY)));
                let sum = likelihoods.sum::<f64>();
                match sums.iter_mut().find(|(name, _)| *name == own.name) {
                    Some((_, all)) => *all += sum,
                    None => sums.push((own.name, sum)),
                }
            }
        }
    }
    let rows: usize = later.iter().map(LabeledDomain::len).sum();
    let first = sums.first().map_or(0.0, |(_, sum)| *sum);
    let of = |(name, sum): (&str, f64)| (name.to_owned(), (sum - first) / rows.max(1) as f64);
    Ok(sums.into_iter().map(of).collect())
}
