//! Clouds on their way along the stream: the mixture of the classes, and beside it the clusters that nearest neighbours
//! follow. Where the source says that they may be believed, they tell how likely every decision is right; a window that
//! they cannot explain, or one that is further away than all before, ends the trust. Of the two, the one that explains or
//! foresees the rows better decides.

mod clusters;
mod mixture;
mod places;
mod track;

pub(super) use self::mixture::WAYS;
pub(super) use self::places::Place;
pub(super) use self::track::Track;
use self::track::{middle, push};
use super::memory::Memory;
use super::source_profile::SourceProfile;
use driftline_adapt::Context;
use driftline_adapt::policy::Proposal;
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_core::math::ln;
use driftline_drift::{RowPoints, Standardizer};

/// Clusters decide where the mixture is not believed, or where of late they explained a row better by this much likelihood,
/// or foresaw it so: they know where they are going, and go through one another.
const LEAD: f64 = 0.05;
/// Windows of which the lead in the middle counts: one that jumps would make up for many.
const LATELY: usize = 20;
/// Of a source with fewer rows they decide, too: there was nothing to choose the mixture by.
const FEW: usize = 100;

/// What the clouds make of a window.
pub(super) enum TrackResult {
    /// Posteriors of the classes, rows × classes, in every way, and the share of rows that all decide alike.
    Known {
        worlds: Vec<(&'static str, Vec<f64>)>,
        agreement: f64,
    },
    /// The window looks like nothing that was followed so far; whether that is so of a part of it only.
    Unexplained {
        part: bool,
    },
    Jumped,
    /// It is where the stream has been when this version was made; posteriors of the classes as they were there.
    Recalled {
        version: usize,
        posteriors: Vec<f64>,
    },
}

/// The same, and how likely they find a row: before they have followed the window, and after.
struct Seen {
    tracked: TrackResult,
    likely: [f64; 2],
}

/// `None` where neither is believed. `rows` are those of the window that are looked at, `points` the same in the frame.
pub(super) fn look(
    ctx: &Context<'_>,
    evidence: &SourceProfile,
    (window, rows): (&Inputs, &[usize]),
    (frame, points): (&Standardizer, &RowPoints),
    proposals: &[Proposal<'_>],
    memory: &mut Memory,
) -> Result<Option<TrackResult>> {
    let before = &*memory;
    let few = evidence.clusters.is_some_and(|own| own.rows < FEW);
    // Of a source with few rows the mixture is asked only where there are no clusters to decide.
    let asked = !few || clusters::believed(ctx, evidence).is_none();
    let (mixture, clusters) = rayon::join(
        || asked.then(|| mixture::follow(ctx, evidence, points, before)),
        || clusters::follow(ctx, evidence, window, proposals, before),
    );
    let (mixture, clusters) = (mixture.transpose()?.flatten(), clusters?);
    // Where clusters decide, a mixture that is lost is no reason to go back.
    let decide = clusters.is_some() && (few || ahead(&memory.leads));
    let mixture = mixture.map(|own| mixture::judge(own, ctx, evidence, points, !decide, memory));
    let mixture = mixture.transpose()?;
    if let Some(seen) = &mixture
        && matches!(seen.tracked, TrackResult::Recalled { .. })
    {
        return Ok(mixture.map(|seen| seen.tracked));
    }
    let clusters = clusters.map(|own| clusters::judge(own, ctx, (window, rows), memory));
    let chosen = match (mixture, clusters) {
        (mixture, None) => mixture,
        (Some(mixture), Some(clusters)) if !few => {
            let columns = window.shape().size();
            Some(better(
                mixture,
                clusters,
                (frame, columns),
                &mut memory.leads,
            ))
        }
        (_, clusters) => clusters,
    };
    Ok(chosen.map(|seen| seen.tracked))
}

/// The clusters if they are ahead.
fn better(
    mixture: Seen,
    clusters: Seen,
    (frame, columns): (&Standardizer, usize),
    leads: &mut Vec<[f64; 2]>,
) -> Seen {
    // A column that does not vary in the source is in the clusters' density alone: the two cannot be compared.
    if frame.size() != columns {
        return mixture;
    }
    // What the clusters leave out of a density of inputs, and what it gains in the frame.
    let constant = frame.log_scale() - 0.5 * frame.size() as f64 * ln(2.0 * std::f64::consts::PI);
    let lead = [0, 1].map(|at| clusters.likely[at] + constant - mixture.likely[at]);
    // Clusters find the rows again after a jump, and know no better which class they are of.
    if matches!(mixture.tracked, TrackResult::Jumped) && !ahead(leads) {
        return mixture;
    }
    push(leads, lead, LATELY);
    if ahead(leads) { clusters } else { mixture }
}

fn ahead(leads: &[[f64; 2]]) -> bool {
    let of = |at: usize| leads.iter().map(|lead| lead[at]).collect::<Vec<f64>>();
    middle(&of(0)).max(middle(&of(1))) > LEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Shape;

    #[test]
    fn clusters_that_are_ahead_decide_unless_a_column_stands_still() {
        let seen = |tracked, likely| Seen {
            tracked,
            likely: [likely; 2],
        };
        for (second, ahead) in [(1.0, true), (0.0, false)] {
            let rows = (0..20).flat_map(|row| [row as f32, second * (row % 3) as f32]);
            let source = Inputs::new(rows.collect(), Shape::Vector(2)).unwrap();
            let frame = Standardizer::of(&source).unwrap();
            let mixture = seen(TrackResult::Unexplained { part: false }, -20.0);
            let clusters = seen(TrackResult::Jumped, 0.0);
            let chosen = better(mixture, clusters, (&frame, 2), &mut vec![]);
            assert_eq!(matches!(chosen.tracked, TrackResult::Jumped), ahead);
        }
    }
}
