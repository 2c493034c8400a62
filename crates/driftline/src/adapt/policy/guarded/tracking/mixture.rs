//! The mixture of the classes, followed in two ways: from where it stood, and moved with all rows first.

use super::track::Track;
use super::{Seen, Tracked};
use crate::Result;
use crate::adapt::State;
use crate::adapt::policy::guarded::evidence::Evidence;
use crate::drift::mixture::{FollowFrom, FollowedWindow};
use crate::drift::{ClassMixture, RowPoints};

/// Their track in the state.
const TRACK: &str = "track";

/// Where it stood before the window, and where the two ways led to.
pub(super) struct Followed {
    before: ClassMixture,
    moved: ClassMixture,
    stayed: ClassMixture,
    went: FollowedWindow,
    stood: FollowedWindow,
}

/// `None` where it is not believed.
pub(super) fn follow(evidence: &Evidence, window: &RowPoints, state: &State) -> Option<Followed> {
    let mixture = |name: &str| {
        state
            .get(name)
            .and_then(|(_, own)| ClassMixture::from_numbers(own))
    };
    if !evidence.believes_mixture() {
        return None;
    }
    let (before, mut stayed) = (mixture("mixture/moved")?, mixture("mixture/stay")?);
    let mut moved = before.clone();
    let (went, stood) = rayon::join(
        || moved.follow(window, FollowFrom::Moved),
        || stayed.follow(window, FollowFrom::Stay),
    );
    Some(Followed {
        before,
        moved,
        stayed,
        went,
        stood,
    })
}

/// What to think of where it went.
pub(super) fn judge(
    followed: Followed,
    evidence: &Evidence,
    window: &RowPoints,
    n_classes: usize,
    state: &mut State,
) -> Result<Seen> {
    let Followed {
        before,
        moved,
        stayed,
        went,
        stood,
    } = followed;
    let mut track = Track::of(state, TRACK);
    let likely = [went.before, went.after];
    let seen = |tracked| Ok(Seen { tracked, likely });
    let below = |bound| before.strange(window, bound);
    // The mixtures stay where they were: the next window may be as before.
    if let Some(strange) =
        track.unexplained(evidence.log_likelihood, likely[1], window.size(), below)
    {
        return seen(strange);
    }
    let jumped = track.goes_on(likely);
    for (name, own) in [("mixture/moved", &moved), ("mixture/stay", &stayed)] {
        let numbers = own.to_numbers();
        state.set(name, &[numbers.len()], numbers)?;
    }
    track.store(state, TRACK);
    if jumped {
        return seen(Tracked::Jumped);
    }
    let (moved, stayed) = (went.classes, stood.classes);
    let both = moved
        .chunks_exact(n_classes)
        .zip(stayed.chunks_exact(n_classes));
    let alike = both.filter(|(a, b)| top(a) == top(b)).count();
    let agreement = alike as f64 / window.len().max(1) as f64;
    seen(Tracked::Known {
        worlds: vec![("mixture-moved", moved), ("mixture", stayed)],
        agreement,
    })
}

fn top(row: &[f64]) -> usize {
    let mut best = 0;
    for (at, p) in row.iter().enumerate() {
        if *p > row[best] {
            best = at;
        }
    }
    best
}
