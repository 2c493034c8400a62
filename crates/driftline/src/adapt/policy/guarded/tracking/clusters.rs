//! The clusters that nearest neighbours follow, followed once more apart from the candidates' own: those begin again where
//! a version is taken back.

use super::track::Track;
use super::{Seen, Tracked};
use crate::Result;
use crate::adapt::labeler::Clusters;
use crate::adapt::policy::guarded::evidence::Evidence;
use crate::adapt::{Context, State};
use crate::data::Inputs;
use crate::models::Classifier;

/// Where they stand in the state, and their track.
const STAND: &str = "clusters/";
const TRACK: &str = "track/clusters";

/// `None` where they are not believed. `rows` are those of the window that are looked at.
pub(super) fn follow(
    now: &Context<'_>,
    evidence: &Evidence,
    (window, rows): (&Inputs, &[usize]),
    state: &mut State,
) -> Result<Option<Seen>> {
    let Some(known) = evidence.believed_clusters() else {
        return Ok(None);
    };
    let (view, remembered) = Clusters::default().view(now, &state.part(STAND), window)?;
    let likely = [view.before, view.after()];
    let seen = |tracked| Ok(Some(Seen { tracked, likely }));
    let mut track = Track::of(state, TRACK);
    let size = window.shape().size();
    let below = |bound| view.below(bound);
    if let Some(strange) = track.unexplained(known.log_likelihood, likely[1], size, below) {
        return seen(strange);
    }
    let jumped = track.goes_on(likely);
    state.join(STAND, &remembered);
    track.store(state, TRACK);
    if jumped {
        return seen(Tracked::Jumped);
    }
    let n_classes = now.first.n_classes();
    let row = |&row: &usize| &view.posteriors[row * n_classes..(row + 1) * n_classes];
    seen(Tracked::Known {
        worlds: vec![("clusters", rows.iter().flat_map(row).copied().collect())],
        agreement: 1.0,
    })
}
