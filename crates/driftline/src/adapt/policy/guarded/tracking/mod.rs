//! Clouds on their way along the stream: the mixture of the classes, and beside it the clusters that nearest neighbours
//! follow. Where the source says that they may be believed, they tell how likely every decision is right; a window that
//! they cannot explain, or one that is further away than all before, ends the trust. Of the two, the one that explains or
//! foresees the rows better decides.

mod clusters;
mod mixture;
mod places;
mod track;

use self::track::{middle, push};
use super::evidence::Evidence;
use crate::Result;
use crate::adapt::policy::Proposal;
use crate::adapt::{Context, State};
use crate::data::Inputs;
use crate::drift::{PointFrame, RowPoints};
use crate::math::ln;

/// Clusters decide where the mixture is not believed, or where of late they explained a row better by this much likelihood,
/// or foresaw it so: they know where they are going, and go through one another.
const LEAD: f64 = 0.05;
/// Windows of which the lead in the middle counts: one that jumps would make up for many.
const LATELY: usize = 20;
/// Of a source with fewer rows they decide, too: there was nothing to choose the mixture by.
const FEW: usize = 100;
/// Where the leads stand in the state.
const LEADS: &str = "track/lead";

/// What the clouds make of a window.
pub(super) enum Tracked {
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
    tracked: Tracked,
    likely: [f64; 2],
}

/// `None` where neither is believed. `rows` are those of the window that are looked at, `points` the same in the frame.
pub(super) fn look(
    now: &Context<'_>,
    evidence: &Evidence,
    (window, rows): (&Inputs, &[usize]),
    (frame, points): (&PointFrame, &RowPoints),
    proposals: &[Proposal<'_>],
    state: &mut State,
) -> Result<Option<Tracked>> {
    let before = &*state;
    let few = evidence.clusters.is_some_and(|own| own.rows < FEW);
    // Of a source with few rows the mixture is asked only where there are no clusters to decide.
    let asked = !few || clusters::believed(now, evidence).is_none();
    let (mixture, clusters) = rayon::join(
        || asked.then(|| mixture::follow(now, evidence, points, before)),
        || clusters::follow(now, evidence, window, proposals, before),
    );
    let (mixture, clusters) = (mixture.flatten(), clusters?);
    // Where clusters decide, a mixture that is lost is no reason to go back.
    let decide = clusters.is_some() && (few || ahead(&leads(state)));
    let mixture = mixture.map(|own| mixture::judge(own, now, evidence, points, !decide, state));
    let mixture = mixture.transpose()?;
    if let Some(seen) = &mixture
        && matches!(seen.tracked, Tracked::Recalled { .. })
    {
        return Ok(mixture.map(|seen| seen.tracked));
    }
    let clusters = clusters.map(|own| clusters::judge(own, now, (window, rows), state));
    let chosen = match (mixture, clusters) {
        (mixture, None) => mixture,
        (Some(mixture), Some(clusters)) if !few => {
            let columns = window.shape().size();
            Some(better(mixture, clusters, (frame, columns), state))
        }
        (_, clusters) => clusters,
    };
    Ok(chosen.map(|seen| seen.tracked))
}

/// The clusters if they are ahead.
fn better(
    mixture: Seen,
    clusters: Seen,
    (frame, columns): (&PointFrame, usize),
    state: &mut State,
) -> Seen {
    // A column that does not vary in the source is in the clusters' density alone: the two cannot be compared.
    if frame.size() != columns {
        return mixture;
    }
    // What the clusters leave out of a density of inputs, and what it gains in the frame.
    let constant = frame.log_scale() - 0.5 * frame.size() as f64 * ln(2.0 * std::f64::consts::PI);
    let lead = [0, 1].map(|at| clusters.likely[at] + constant - mixture.likely[at]);
    let mut leads = leads(state);
    // Clusters find the rows again after a jump, and know no better which class they are of.
    if matches!(mixture.tracked, Tracked::Jumped) && !ahead(&leads) {
        return mixture;
    }
    push(&mut leads, lead, LATELY);
    let ahead = ahead(&leads);
    state.set_value(LEADS, serde_json::json!(leads));
    if ahead { clusters } else { mixture }
}

/// By how much the clusters explained and foresaw a row better, window by window.
fn leads(state: &State) -> Vec<[f64; 2]> {
    let stored = state.value(LEADS).cloned();
    let stored = stored.and_then(|value| serde_json::from_value(value).ok());
    stored.unwrap_or_default()
}

fn ahead(leads: &[[f64; 2]]) -> bool {
    let of = |at: usize| leads.iter().map(|lead| lead[at]).collect::<Vec<f64>>();
    middle(&of(0)).max(middle(&of(1))) > LEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;

    #[test]
    fn clusters_that_are_ahead_decide_unless_a_column_stands_still() {
        let seen = |tracked, likely| Seen {
            tracked,
            likely: [likely; 2],
        };
        for (second, ahead) in [(1.0, true), (0.0, false)] {
            let rows = (0..20).flat_map(|row| [row as f32, second * (row % 3) as f32]);
            let source = Inputs::new(rows.collect(), Shape::Vector(2)).unwrap();
            let frame = PointFrame::of(&source).unwrap();
            let mixture = seen(Tracked::Unexplained { part: false }, -20.0);
            let clusters = seen(Tracked::Jumped, 0.0);
            let chosen = better(mixture, clusters, (&frame, 2), &mut State::default());
            assert_eq!(matches!(chosen.tracked, Tracked::Jumped), ahead);
        }
    }
}
