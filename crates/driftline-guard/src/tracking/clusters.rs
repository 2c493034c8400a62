//! The clusters that nearest neighbours follow, followed once more apart from the candidates' own: those begin again where
//! a version is taken back.

use super::{Seen, TrackResult};
use crate::memory::Memory;
use crate::source_profile::SourceProfile;
use driftline_adapt::labeler::{Clusters, ClustersKnown, ClustersView};
use driftline_adapt::policy::Proposal;
use driftline_adapt::{Context, State};
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_models::neighbours::NeighboursLearner;
use driftline_models::{Classifier, Learner};

/// What they remember is kept behind this.
pub(super) const STAND: &str = "clusters/";

/// What the clusters see, what they remember of it, and what was known of them before.
pub(super) type Followed<'a> = (ClustersView, State, &'a ClustersKnown);

/// Whether the source says that they may be believed.
pub(super) fn believed<'a>(
    ctx: &Context<'_>,
    evidence: &'a SourceProfile,
) -> Option<&'a ClustersKnown> {
    let neighbours = ctx.first.model.kind() == NeighboursLearner::KIND;
    neighbours.then(|| evidence.believed_clusters()).flatten()
}

/// `None` where they are not believed.
pub(super) fn follow<'a>(
    ctx: &Context<'_>,
    evidence: &'a SourceProfile,
    window: &Inputs,
    proposals: &[Proposal<'_>],
    memory: &Memory,
) -> Result<Option<Followed<'a>>> {
    let Some(known) = believed(ctx, evidence) else {
        return Ok(None);
    };
    let stand = memory.kept.part(STAND);
    let gone = gone_along(&stand, proposals, window.len());
    let (view, remembered) = Clusters::default().view(ctx, &stand, window, gone)?;
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
    // At the beginning chains look at the whole source, and the clusters at its sample.
    let begun = !stand.is_empty();
    let chain = begun.then(|| proposals.iter().find(same)).flatten()?;
    chain.version.map(|version| &version.labeler)
}

/// What to think of that. `rows` are those of the window that are looked at.
pub(super) fn judge(
    (view, remembered, known): Followed<'_>,
    ctx: &Context<'_>,
    (window, rows): (&Inputs, &[usize]),
    memory: &mut Memory,
) -> Seen {
    let likely = [view.before, view.after()];
    let seen = |tracked| Seen { tracked, likely };
    let track = &mut memory.clusters_track;
    let size = window.shape().size();
    let below = |bound| view.below(bound);
    if let Some(strange) = track.unexplained(known.log_likelihood, likely[1], size, below) {
        return seen(strange);
    }
    let jumped = track.goes_on(likely);
    memory.kept.join(STAND, &remembered);
    if jumped {
        return seen(TrackResult::Jumped);
    }
    let n_classes = ctx.first.n_classes();
    let row = |&row: &usize| &view.posteriors[row * n_classes..(row + 1) * n_classes];
    seen(TrackResult::Known {
        worlds: vec![("clusters", rows.iter().flat_map(row).copied().collect())],
        agreement: 1.0,
    })
}
