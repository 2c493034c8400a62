//! The mixture of the classes, followed in two ways: from where it stood, and moved with all rows first.

use super::track::Track;
use super::{Seen, Tracked, places};
use crate::Result;
use crate::adapt::policy::guarded::evidence::Evidence;
use crate::adapt::{Context, State};
use crate::drift::mixture::{FollowFrom, FollowedWindow};
use crate::drift::{ClassMixture, RowPoints};

/// Their track in the state.
pub(super) const TRACK: &str = "track";
/// Where they stand, moved and from where they stood.
pub(super) const WAYS: [&str; 2] = ["mixture/moved", "mixture/stay"];

/// Where it stood before the window, and where the two ways led to.
pub(super) struct Followed {
    before: ClassMixture,
    moved: ClassMixture,
    stayed: ClassMixture,
    went: FollowedWindow,
    stood: FollowedWindow,
}

/// `None` where it is not believed.
pub(super) fn follow(
    now: &Context<'_>,
    evidence: &Evidence,
    window: &RowPoints,
    state: &State,
) -> Option<Followed> {
    let mixture = |name: &str| {
        state
            .get(name)
            .and_then(|(_, own)| ClassMixture::from_numbers(own))
    };
    if !evidence.believes_mixture() {
        return None;
    }
    let (before, mut stayed) = (mixture(WAYS[0])?, mixture(WAYS[1])?);
    let mut moved = before.clone();
    let (went, stood) = rayon::join(
        || now.followed.follow(&mut moved, window, FollowFrom::Moved),
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

/// What to think of where it went, and whether it may have come back to where it was.
pub(super) fn judge(
    followed: Followed,
    now: &Context<'_>,
    evidence: &Evidence,
    window: &RowPoints,
    may_recall: bool,
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
    let usual = evidence.log_likelihood;
    let seen = |tracked| Ok(Seen { tracked, likely });
    let below = |bound| before.strange(window, bound);
    let recall = |state: &mut State| match may_recall {
        true => places::recall(window, likely[1], state),
        false => Ok(None),
    };
    // The mixtures stay where they were: the next window may be as before.
    if let Some(strange) = track.unexplained(usual, likely[1], window.size(), below) {
        return seen(recall(state)?.unwrap_or(strange));
    }
    let lost = track.jumped();
    let jumped = track.goes_on(likely);
    if !lost {
        places::remember(now, (&before, likely[0]), window, usual, state)?;
    }
    for (name, own) in WAYS.into_iter().zip([&moved, &stayed]) {
        let numbers = own.to_numbers();
        state.set(name, &[numbers.len()], numbers)?;
    }
    track.store(state, TRACK);
    if jumped {
        return seen(recall(state)?.unwrap_or(Tracked::Jumped));
    }
    let (moved, stayed) = (went.classes, stood.classes);
    let agreement = agreement(&moved, &stayed, window.len());
    seen(Tracked::Known {
        worlds: vec![("mixture-moved", moved), ("mixture", stayed)],
        agreement,
    })
}

/// The share of `rows` of which two say the same class.
pub(super) fn agreement(own: &[f64], other: &[f64], rows: usize) -> f64 {
    let n_classes = own.len() / rows.max(1);
    let both = own
        .chunks_exact(n_classes.max(1))
        .zip(other.chunks_exact(n_classes.max(1)));
    let alike = both.filter(|(a, b)| top(a) == top(b)).count();
    alike as f64 / rows.max(1) as f64
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
