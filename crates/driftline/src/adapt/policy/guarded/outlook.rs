//! What is to be expected of a stream, from a few of its windows: the labelled source is moved along them and every candidate
//! goes along with it. Nothing learns from a row of the stream.

use super::MOST_ROWS;
use super::choice::{self, World};
use super::evidence;
use super::guard::Guard;
use super::interval::interval;
use super::rehearsal::MIXTURE;
use crate::Result;
use crate::adapt::policy::{Outlook, Prospect};
use crate::adapt::{Candidate, Context, State};
use crate::data::Inputs;
use crate::drift::draw;

pub(super) fn outlook(
    now: &Context<'_>,
    guard: &Guard<'_>,
    candidates: &[&Candidate],
    windows: &[Inputs],
    state: &mut State,
) -> Result<Outlook> {
    let mut explained: Vec<Vec<World>> = vec![];
    let mut worlds = 0;
    for window in windows {
        let rows = draw(window.len(), MOST_ROWS, evidence::seed());
        let (_, moved) = guard.worlds(now, candidates, &window.pick(&rows), state)?;
        worlds += moved.len();
        let fitting = moved.into_iter().filter(|(world, _)| world.fits);
        let fitting = fitting.map(|(world, rehearsed)| World {
            name: world.name.into(),
            scores: rehearsed.scores,
        });
        explained.push(fitting.collect());
    }
    let allowed = |place: usize| {
        place == 0
            || guard.evidence.harmless(place)
                && (guard.evidence.believes_mixture()
                    || candidates[place - 1].labeler.name() != MIXTURE)
    };
    let allowed: Vec<bool> = (0..=candidates.len()).map(allowed).collect();
    let all: Vec<World> = explained.iter().flatten().cloned().collect();
    let gains = choice::gains(&all);
    let preferred = match all.is_empty() {
        true => None,
        false => match choice::choose(&all, std::slice::from_ref(&gains), &allowed, true, 0) {
            0 => None,
            place => Some(candidates[place - 1].name.clone()),
        },
    };
    let at_end = |place: usize| {
        let (last, window) = (explained.last()?, windows.last()?);
        let window = window.len().min(MOST_ROWS);
        let estimate = || interval(last, place, window, guard.evidence.rows, false);
        guard.measures(window).then(estimate).flatten()
    };
    let names = std::iter::once("hold").chain(candidates.iter().map(|own| &*own.name));
    let prospects = names.enumerate().map(|(place, name)| Prospect {
        name: name.to_owned(),
        gain: gains.get(place).copied(),
        allowed: allowed[place],
        at_end: at_end(place),
    });
    Ok(Outlook {
        at_home: guard.evidence.held_out,
        windows: windows.len(),
        explained: explained.iter().filter(|worlds| !worlds.is_empty()).count(),
        worlds,
        rows: guard.evidence.rows,
        prospects: prospects.collect(),
        preferred,
    })
}
