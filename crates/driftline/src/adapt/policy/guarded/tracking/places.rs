//! Places on the way that are known again. A stream that jumps back to where it has been needs no following: what stood there
//! then, the clouds and the version, explains the window as it is. Places are remembered as the clouds leave them behind.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::track::Track;
use super::{Tracked, clusters, mixture};
use crate::Result;
use crate::adapt::{Context, State};
use crate::drift::{ClassMixture, RowPoints};

/// So many are remembered, the first of them always.
const MOST: usize = 12;
/// A place is left behind where it explains a row worse by this, or by a hundredth of the columns, than the clouds do that
/// stand before the window.
const LEFT: f64 = 0.1;
/// A window is at a place where a row is as likely as it was then, but for this or a twentieth of the columns …
const LESS_THAN_THEN: f64 = 0.5;
/// … and as likely as under the clouds that have followed, but for this or a fiftieth of the columns.
const LESS_THAN_NOW: f64 = 0.15;
/// Places that a window may both be at say the same class of so many rows, or nothing is known.
const ALIKE: f64 = 0.9;
/// Where the list of them stands in the state, and where what belongs to each.
const PLACES: &str = "places";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place {
    /// The version that was deployed there.
    version: usize,
    /// The candidate it came from.
    in_use: Value,
    /// How likely a row was.
    likely: f64,
    /// How far the mixture and the clusters had come.
    tracks: [Track; 2],
}

impl Place {
    fn stem(version: usize) -> String {
        format!("place/{version}/")
    }
}

/// Remembers where the clouds stand `before` they follow the window, under which a row of it is so `likely`, if the last
/// place lies behind them. `usual` is how likely a row of the source is.
pub(super) fn remember(
    now: &Context<'_>,
    (before, likely): (&ClassMixture, f64),
    window: &RowPoints,
    usual: f64,
    state: &mut State,
) -> Result<()> {
    let left = LEFT.max(0.01 * window.size() as f64);
    let near = |last: ClassMixture| last.log_likelihood(window) >= likely - left;
    if last_mixture(state).is_some_and(near) {
        return Ok(());
    }
    let mut places = places(state);
    if places.len() == MOST {
        let left = places.remove(1);
        state.forget(&Place::stem(left.version));
    }
    let tracks = [mixture::TRACK, clusters::TRACK].map(|name| Track::of(state, name));
    let place = Place {
        version: now.number - 1,
        in_use: state.value("in-use").cloned().unwrap_or(Value::Null),
        likely: tracks[0].last().unwrap_or(usual),
        tracks,
    };
    let stem = Place::stem(place.version);
    let numbers = before.to_numbers();
    state.set(&format!("{stem}mixture"), &[numbers.len()], numbers)?;
    let stand = state.part(clusters::STAND);
    state.join(&format!("{stem}clusters/"), &stand);
    places.push(place);
    state.set_value(PLACES, json!(places));
    Ok(())
}

fn places(state: &State) -> Vec<Place> {
    let stored = state.value(PLACES).cloned();
    let stored = stored.and_then(|value| serde_json::from_value(value).ok());
    stored.unwrap_or_default()
}

fn mixture_at(version: usize, state: &State) -> Option<ClassMixture> {
    let name = format!("{}mixture", Place::stem(version));
    ClassMixture::from_numbers(state.get(&name)?.1)
}

/// That of the place left last, without reading all of them.
fn last_mixture(state: &State) -> Option<ClassMixture> {
    let last = state.value(PLACES)?.as_array()?.last()?;
    mixture_at(usize::try_from(last["version"].as_u64()?).ok()?, state)
}

/// The place that the window is at; then all is remembered as it was there. A row is so likely under the clouds that have
/// `followed` it.
pub(super) fn recall(
    window: &RowPoints,
    followed: f64,
    state: &mut State,
) -> Result<Option<Tracked>> {
    let size = window.size() as f64;
    let (then, now) = (
        LESS_THAN_THEN.max(0.05 * size),
        LESS_THAN_NOW.max(0.02 * size),
    );
    let mut found: Vec<(f64, Place, ClassMixture)> = vec![];
    for place in places(state) {
        let Some(mixture) = mixture_at(place.version, state) else {
            continue;
        };
        let likely = mixture.log_likelihood(window);
        if place.likely - likely <= then && followed - likely <= now {
            found.push((likely, place, mixture));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut all = found
        .iter()
        .map(|(_, _, mixture)| mixture.class_posteriors(window));
    let Some(posteriors) = all.next() else {
        return Ok(None);
    };
    if all.any(|other| mixture::agreement(&posteriors, &other, window.len()) < ALIKE) {
        return Ok(None);
    }
    let (_, place, mixture) = &found[0];
    let numbers = mixture.to_numbers();
    for name in mixture::WAYS {
        state.set(name, &[numbers.len()], numbers.clone())?;
    }
    for (track, name) in place.tracks.iter().zip([mixture::TRACK, clusters::TRACK]) {
        track.store(state, name);
    }
    let stand = state.part(&format!("{}clusters/", Place::stem(place.version)));
    state.join(clusters::STAND, &stand);
    state.set_value("in-use", place.in_use.clone());
    state.set_value("gains", json!([]));
    Ok(Some(Tracked::Recalled {
        version: place.version,
        posteriors,
    }))
}
