//! Places on the way that are known again. A stream that jumps back to where it has been needs no following: what stood there
//! then, the clouds and the version, explains the window as it is. Places are remembered as the clouds leave them behind.

use serde::{Deserialize, Serialize};

use super::track::Track;
use super::{TrackResult, clusters, mixture};
use crate::memory::Memory;
use driftline_adapt::Context;
use driftline_core::Result;
use driftline_drift::{ClassMixture, RowPoints};

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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The version that was deployed there.
    version: usize,
    /// The candidate it came from.
    in_use: Option<String>,
    /// How likely a row was.
    likely: f64,
    /// How far the mixture and the clusters had come.
    tracks: [Track; 2],
}

impl Place {
    /// The clouds as they stood there are kept behind this.
    fn stem(&self) -> String {
        format!("place/{}/", self.version)
    }

    pub fn mixture_name(&self) -> String {
        format!("{}mixture", self.stem())
    }

    fn mixture(&self, memory: &Memory) -> Result<Option<ClassMixture>> {
        memory.mixture(&self.mixture_name())
    }
}

/// Remembers where the clouds stand `before` they follow the window, under which a row of it is so `likely`, if the last
/// place lies behind them. `usual` is how likely a row of the source is.
pub(super) fn remember(
    ctx: &Context<'_>,
    (before, likely): (&ClassMixture, f64),
    window: &RowPoints,
    usual: f64,
    memory: &mut Memory,
) -> Result<()> {
    let left = LEFT.max(0.01 * window.size() as f64);
    let near = |last: ClassMixture| last.log_likelihood(window) >= likely - left;
    if let Some(last) = memory.places.last()
        && last.mixture(memory)?.is_some_and(near)
    {
        return Ok(());
    }
    if memory.places.len() == MOST {
        let left = memory.places.remove(1);
        memory.kept.forget(&left.stem());
    }
    let tracks = [memory.mixture_track.clone(), memory.clusters_track.clone()];
    let place = Place {
        version: ctx.number - 1,
        in_use: memory.in_use.clone(),
        likely: tracks[0].last().unwrap_or(usual),
        tracks,
    };
    let stem = place.stem();
    memory.set_mixture(&place.mixture_name(), before)?;
    let stand = memory.kept.part(clusters::STAND);
    memory.kept.join(&format!("{stem}clusters/"), &stand);
    memory.places.push(place);
    Ok(())
}

/// The place that the window is at; then all is remembered as it was there. A row is so likely under the clouds that have
/// `followed` it.
pub(super) fn recall(
    window: &RowPoints,
    followed: f64,
    memory: &mut Memory,
) -> Result<Option<TrackResult>> {
    let size = window.size() as f64;
    let (then, now) = (
        LESS_THAN_THEN.max(0.05 * size),
        LESS_THAN_NOW.max(0.02 * size),
    );
    let mut found: Vec<(f64, Place, ClassMixture)> = vec![];
    for place in &memory.places {
        let Some(mixture) = place.mixture(memory)? else {
            continue;
        };
        let likely = mixture.log_likelihood(window);
        if place.likely - likely <= then && followed - likely <= now {
            found.push((likely, place.clone(), mixture));
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
    for name in mixture::WAYS {
        memory.set_mixture(name, mixture)?;
    }
    let stand = memory.kept.part(&format!("{}clusters/", place.stem()));
    memory.kept.join(clusters::STAND, &stand);
    [memory.mixture_track, memory.clusters_track] = place.tracks.clone();
    memory.in_use = place.in_use.clone();
    memory.gains.clear();
    Ok(Some(TrackResult::Recalled {
        version: place.version,
        posteriors,
    }))
}
