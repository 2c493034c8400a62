//! The clusters that nearest neighbours follow, followed once more apart from the candidates' own: those begin again where
//! a version is taken back.

use super::track::Track;
use super::{Seen, Tracked};
use crate::Result;
use crate::adapt::labeler::{Clusters, ClustersKnown, ClustersView};
use crate::adapt::policy::Proposal;
use crate::adapt::policy::guarded::evidence::Evidence;
use crate::adapt::{Context, State};
use crate::data::Inputs;
use crate::models::neighbours::NeighboursLearner;
use crate::models::{Classifier, NamedLearner};

/// Where they stand in the state, and their track.
pub(super) const STAND: &str = "clusters/";
pub(super) const TRACK: &str = "track/clusters";

/// What the clusters see, what they remember of it, and what was known of them before.
pub(super) type Followed<'a> = (ClustersView, State, &'a ClustersKnown);

/// Whether the source says that they may be believed.
pub(super) fn believed<'a>(now: &Context<'_>, evidence: &'a Evidence) -> Option<&'a ClustersKnown> {
    let neighbours = now.first.model.kind() == NeighboursLearner::KIND;
    neighbours.then(|| evidence.believed_clusters()).flatten()
}

/// `None` where they are not believed.
pub(super) fn follow<'a>(
    now: &Context<'_>,
    evidence: &'a Evidence,
    window: &Inputs,
    proposals: &[Proposal<'_>],
    state: &State,
) -> Result<Option<Followed<'a>>> {
    let Some(known) = believed(now, evidence) else {
        return Ok(None);
    };
    let stand = state.part(STAND);
    let gone = gone_along(&stand, proposals, window.len());
    let (view, remembered) = Clusters::default().view(now, &stand, window, gone)?;
    Ok(Some((view, remembered, known)))
}

/// What a chain remembers that stood where the clusters stand, and has followed all rows of the window: they come to the same.
fn gone_along<'a>(stand: &State, proposals: &[Proposal<'a>], rows: usize) -> Option<&'a State> {
    let same = |one: &&Proposal<'_>| {
        let candidate = one.candidate;
        candidate.labeler.clusters(&one.before.model) == Some(Clusters::default())
            && candidate.alignment.name() == "none"
            && one.labeling.is_some_and(|labeling| labeling.kept == rows)
            && one.before.labeler == *stand
    };
    // At the beginning chains look at the whole source, and the clusters at its card.
    let begun = !stand.is_empty();
    let chain = begun.then(|| proposals.iter().find(same)).flatten()?;
    chain.version.map(|version| &version.labeler)
}

/// What to think of that. `rows` are those of the window that are looked at.
pub(super) fn judge(
    (view, remembered, known): Followed<'_>,
    now: &Context<'_>,
    (window, rows): (&Inputs, &[usize]),
    state: &mut State,
) -> Seen {
    let likely = [view.before, view.after()];
    let seen = |tracked| Seen { tracked, likely };
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
