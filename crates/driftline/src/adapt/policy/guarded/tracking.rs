//! The mixture of the classes on its way along the stream, in two ways: from where it stood, and moved with all rows
//! first. Where the source says that it may be believed, it tells how likely every decision is right; a window that it
//! cannot explain, or one that is further away than all before, ends the trust.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use crate::Result;
use crate::adapt::State;
use crate::drift::mixture::FollowFrom;
use crate::drift::{ClassMixture, RowPoints};

/// A window is explained if a row is less likely by at most this, or by a tenth of the columns, than one of the source.
const UNEXPLAINED: f64 = 1.0;
/// A step is a jump if it is so many times the middle of those before, so many times the largest of them, and gains so much
/// likelihood for a row.
const JUMP: f64 = 4.0;
const BEYOND: f64 = 2.0;
const LEAST_JUMP: f64 = 0.5;

/// A row is strange if it is less likely than one of the source by this and one for every column.
const STRANGE: f64 = 6.0;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Track {
    /// How much likelihood following gained, window by window.
    pub steps: Vec<f64>,
    pub jumped: bool,
}

/// What the mixtures make of a window.
pub(super) enum Tracked {
    /// Posteriors of the classes, rows × classes, in both ways, and the share of rows that both decide alike.
    Known {
        moved: Vec<f64>,
        stayed: Vec<f64>,
        agreement: f64,
    },
    /// The window looks like nothing that was followed so far; whether that is so of a part of it only.
    Unexplained {
        part: bool,
    },
    Jumped,
}

/// Follows the window; `None` where the mixture is not believed.
pub(super) fn follow(
    evidence: &Evidence,
    window: &RowPoints,
    n_classes: usize,
    state: &mut State,
) -> Result<Option<Tracked>> {
    let mixture = |name: &str| {
        state
            .get(name)
            .and_then(|(_, own)| ClassMixture::from_numbers(own))
    };
    let (Some(mut moved), Some(mut stayed), true) = (
        mixture("mixture/moved"),
        mixture("mixture/stay"),
        evidence.believes_mixture(),
    ) else {
        return Ok(None);
    };
    let mut track: Track = match state.value("track") {
        Some(value) => serde_json::from_value(value.clone()).unwrap_or_default(),
        None => Track::default(),
    };
    let before = moved.clone();
    let went = moved.follow(window, FollowFrom::Moved);
    let least = UNEXPLAINED.max(0.1 * window.size() as f64);
    if evidence.log_likelihood - went.after > least {
        // The mixtures stay where they were: the next window may be as before.
        let strange = before.strange(
            window,
            evidence.log_likelihood - STRANGE - window.size() as f64,
        );
        let part = (0.03..0.7).contains(&strange);
        return Ok(Some(Tracked::Unexplained { part }));
    }
    stayed.follow(window, FollowFrom::Stay);
    let step = went.after - went.before;
    let largest = track.steps.iter().copied().fold(0.0, f64::max);
    let bound = LEAST_JUMP
        .max(JUMP * middle(&track.steps))
        .max(BEYOND * largest);
    let far = track.steps.len() >= 2 && step > bound;
    track.jumped |= far;
    track.steps.push(step);
    for (name, own) in [("mixture/moved", &moved), ("mixture/stay", &stayed)] {
        let numbers = own.to_numbers();
        state.set(name, &[numbers.len()], numbers)?;
    }
    state.set_value("track", serde_json::json!(track));
    if track.jumped {
        return Ok(Some(Tracked::Jumped));
    }
    let (moved, stayed) = (
        moved.class_posteriors(window),
        stayed.class_posteriors(window),
    );
    let both = moved
        .chunks_exact(n_classes)
        .zip(stayed.chunks_exact(n_classes));
    let alike = both.filter(|(a, b)| top(a) == top(b)).count();
    let agreement = alike as f64 / window.len().max(1) as f64;
    Ok(Some(Tracked::Known {
        moved,
        stayed,
        agreement,
    }))
}

/// 0 of none.
fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
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
