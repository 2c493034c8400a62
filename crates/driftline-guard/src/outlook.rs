//! What is to be expected of a stream, from a few of its windows: the labelled source is moved along them and every candidate
//! goes along with it. Nothing learns from a row of the stream.

use super::MOST_ROWS;
use super::choice::{self, Choice, Scenario};
use super::guard::Guard;
use super::interval::interval;
use super::memory::Memory;
use super::rehearsal::MIXTURE;
use super::source_profile;
use driftline_adapt::policy::{Forecast, Prospect};
use driftline_adapt::{Candidate, Context};
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_drift::draw;

pub(super) fn outlook(
    ctx: &Context<'_>,
    guard: &Guard<'_>,
    candidates: &[&Candidate],
    windows: &[Inputs],
    memory: &mut Memory,
) -> Result<Forecast> {
    let mut explained: Vec<Vec<Scenario>> = vec![];
    let mut worlds = 0;
    for window in windows {
        let rows = draw(window.len(), MOST_ROWS, source_profile::seed());
        let (_, moved) = guard.worlds(ctx, candidates, &window.pick(&rows), memory)?;
        worlds += moved.len();
        let fitting = moved.into_iter().filter(|(world, _)| world.fits);
        let fitting = fitting.map(|(world, rehearsed)| Scenario {
            name: world.name.into(),
            scores: rehearsed.scores,
        });
        explained.push(fitting.collect());
    }
    let allowed = |choice| match choice {
        Choice::Source => true,
        Choice::Candidate(place) => {
            let mixture = candidates[place].labeler.name() == MIXTURE;
            guard.evidence.harmless(choice) && (guard.evidence.believes_mixture() || !mixture)
        }
    };
    let allowed: Vec<bool> = Choice::all(candidates.len()).map(allowed).collect();
    let all: Vec<Scenario> = explained.iter().flatten().cloned().collect();
    let gains = choice::gains(&all);
    let preferred = match all.is_empty() {
        true => None,
        false => {
            let history = std::slice::from_ref(&gains);
            match choice::choose(&all, history, &allowed, true, Choice::Source) {
                Choice::Source => None,
                Choice::Candidate(place) => Some(candidates[place].name.clone()),
            }
        }
    };
    let at_end = |choice| {
        let (last, window) = (explained.last()?, windows.last()?);
        let window = window.len().min(MOST_ROWS);
        let estimate = || interval(last, choice, window, guard.evidence.rows, false);
        guard.measures(window).then(estimate).flatten()
    };
    let names = std::iter::once("hold").chain(candidates.iter().map(|own| &*own.name));
    let prospects = names.enumerate().map(|(place, name)| Prospect {
        name: name.to_owned(),
        gain: gains.get(place).copied(),
        allowed: allowed[place],
        at_end: at_end(place.into()),
    });
    Ok(Forecast {
        at_home: guard.evidence.held_out,
        windows: windows.len(),
        explained: explained.iter().filter(|worlds| !worlds.is_empty()).count(),
        worlds,
        rows: guard.evidence.rows,
        prospects: prospects.collect(),
        preferred,
    })
}
