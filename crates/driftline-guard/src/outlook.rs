//! What is to be expected of a stream, from a few of its windows: every candidate learns from them one after the other, and
//! the scenarios say how accurate each would be. Nothing is deployed, and nothing stays learned.

use super::ROWS;
use super::choice::{Choice, choose};
use super::config::GuardConfig;
use super::memory::Memory;
use super::profile::Source;
use super::window::Judge;
use driftline_adapt::chain::Chain;
use driftline_adapt::policy::{Forecast, Proposal, Prospect};
use driftline_adapt::{Context, Stage};
use driftline_core::Result;
use driftline_core::data::{Domain, Inputs};
use driftline_models::Classifier;

pub(super) fn outlook(
    ctx: &Context<'_>,
    config: &GuardConfig,
    source: &Source,
    chains: &[Chain],
    windows: &[Inputs],
    mut memory: Memory,
) -> Result<Forecast> {
    // Each begins with its own model: a linear candidate beside trees has one.
    let mut chains = chains.to_vec();
    let names: Vec<String> = chains
        .iter()
        .map(|chain| chain.candidate().name.clone())
        .collect();
    let mut last: Option<Domain> = None;
    let mut at_end = None;
    let (mut gains, mut explained) = (vec![0.0; names.len() + 1], 0);
    for (number, window) in windows.iter().enumerate() {
        let stage = Stage::window(Domain::new(window.clone()));
        let moment = Context {
            previous: last.as_ref(),
            number: number + 1,
            ..ctx.at(&stage)
        };
        let before = chains.clone();
        for chain in &mut chains {
            chain.advance(&moment)?;
        }
        let proposals: Vec<Proposal<'_>> = before
            .iter()
            .zip(&chains)
            .map(|(before, after)| Proposal::between(before, after))
            .collect();
        let rows: Vec<usize> = (0..window.len().min(ROWS)).collect();
        let inputs = window.pick(&rows);
        let judge = Judge {
            config,
            ctx: &moment,
            source,
            proposals: &proposals,
            rows: &rows,
            inputs: &inputs,
            own: &ctx.first.assess(&inputs)?,
        };
        let seen = judge.look(&mut memory)?;
        for (sum, (own, _)) in gains[1..].iter_mut().zip(&seen.prospects) {
            *sum += own.gain.mean / windows.len() as f64;
        }
        explained += 1;
        at_end = Some(seen);
        last = Some(Domain::new(window.clone()));
    }
    let preferred =
        at_end
            .as_ref()
            .and_then(|seen| match choose(&seen.prospects, Choice::Source) {
                Choice::Source => None,
                Choice::Candidate(place) => Some(names[place].clone()),
            });
    let all = std::iter::once("hold").chain(names.iter().map(String::as_str));
    let prospects = all.enumerate().map(|(place, name)| Prospect {
        name: name.to_owned(),
        gain: at_end.as_ref().map(|_| gains[place]),
        allowed: true,
        at_end: at_end
            .as_ref()
            .and_then(|seen| seen.estimates[place].clone()),
    });
    Ok(Forecast {
        at_home: source.profile.held_out,
        windows: windows.len(),
        explained,
        worlds: at_end.as_ref().map_or(0, |seen| seen.scenarios) * windows.len(),
        rows: ROWS,
        prospects: prospects.collect(),
        preferred,
    })
}
