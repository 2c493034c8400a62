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
use driftline_adapt::{Candidate, Context, Stage};
use driftline_core::Result;
use driftline_core::data::{Domain, Inputs};

pub(super) fn outlook(
    ctx: &Context<'_>,
    config: &GuardConfig,
    source: &Source,
    candidates: &[&Candidate],
    windows: &[Inputs],
    mut memory: Memory,
) -> Result<Forecast> {
    let first = ctx.first.clone();
    let mut chains: Vec<Chain> = candidates
        .iter()
        .map(|one| Chain::new((*one).clone(), first.clone()))
        .collect();
    let mut last: Option<Domain> = None;
    let mut at_end = None;
    let (mut gains, mut explained) = (vec![0.0; candidates.len() + 1], 0);
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
                Choice::Candidate(place) => Some(candidates[place].name.clone()),
            });
    let names = std::iter::once("hold").chain(candidates.iter().map(|own| &*own.name));
    let prospects = names.enumerate().map(|(place, name)| Prospect {
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
