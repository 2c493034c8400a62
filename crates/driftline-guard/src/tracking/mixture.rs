//! The mixture of the classes, followed in two ways: from where it stood, and moved with all rows first.

use super::{Seen, TrackResult, places};
use crate::memory::Memory;
use crate::source_profile::SourceProfile;
use driftline_adapt::Context;
use driftline_core::Result;
use driftline_drift::mixture::{FollowFrom, FollowedWindow};
use driftline_drift::{ClassMixture, RowPoints};

/// Where they stand, moved and from where they stood.
pub(crate) const WAYS: [&str; 2] = ["mixture/moved", "mixture/stay"];

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
    ctx: &Context<'_>,
    evidence: &SourceProfile,
    window: &RowPoints,
    memory: &Memory,
) -> Result<Option<Followed>> {
    if !evidence.believes_mixture() {
        return Ok(None);
    }
    let [before, stayed] = WAYS.map(|name| memory.mixture(name));
    let (Some(before), Some(mut stayed)) = (before?, stayed?) else {
        return Ok(None);
    };
    let mut moved = before.clone();
    let (went, stood) = rayon::join(
        || ctx.followed.follow(&mut moved, window, FollowFrom::Moved),
        || stayed.follow(window, FollowFrom::Stay),
    );
    Ok(Some(Followed {
        before,
        moved,
        stayed,
        went,
        stood,
    }))
}

/// What to think of where it went, and whether it may have come back to where it was.
pub(super) fn judge(
    followed: Followed,
    ctx: &Context<'_>,
    evidence: &SourceProfile,
    window: &RowPoints,
    may_recall: bool,
    memory: &mut Memory,
) -> Result<Seen> {
    let Followed {
        before,
        moved,
        stayed,
        went,
        stood,
    } = followed;
    let mut track = memory.mixture_track.clone();
    let likely = [went.before, went.after];
    let usual = evidence.log_likelihood;
    let seen = |tracked| Ok(Seen { tracked, likely });
    let below = |bound| before.strange(window, bound);
    let recall = |memory: &mut Memory| match may_recall {
        true => places::recall(window, likely[1], memory),
        false => Ok(None),
    };
    // The mixtures stay where they were: the next window may be as before.
    if let Some(strange) = track.unexplained(usual, likely[1], window.size(), below) {
        return seen(recall(memory)?.unwrap_or(strange));
    }
    let lost = track.jumped();
    let jumped = track.goes_on(likely);
    if !lost {
        places::remember(ctx, (&before, likely[0]), window, usual, memory)?;
    }
    for (name, own) in WAYS.into_iter().zip([&moved, &stayed]) {
        memory.set_mixture(name, own)?;
    }
    memory.mixture_track = track;
    if jumped {
        return seen(recall(memory)?.unwrap_or(TrackResult::Jumped));
    }
    let (moved, stayed) = (went.classes, stood.classes);
    let agreement = agreement(&moved, &stayed, window.len());
    seen(TrackResult::Known {
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
