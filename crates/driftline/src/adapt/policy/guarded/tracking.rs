//! Clouds on their way along the stream. Where nearest neighbours follow clusters, those; else the mixture of the classes,
//! in two ways: from where it stood, and moved with all rows first. Where the source says that they may be believed, they
//! tell how likely every decision is right; a window that they cannot explain, or one that is further away than all
//! before, ends the trust.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use crate::Result;
use crate::adapt::labeler::Clusters;
use crate::adapt::{Context, State};
use crate::data::Inputs;
use crate::drift::mixture::FollowFrom;
use crate::drift::{ClassMixture, PointFrame, RowPoints};
use crate::math::ln;
use crate::models::neighbours::NeighboursLearner;
use crate::models::{Classifier, NamedLearner};

/// A window is explained if a row is less likely by at most this, or by a tenth of the columns, than one of the source.
const UNEXPLAINED: f64 = 1.0;
/// A step is a jump if it gains so much more likelihood for a row than the middle of those before it, and so many times
/// that of the largest.
const LEAST_JUMP: f64 = 0.4;
const BEYOND: f64 = 2.0;
/// After so many steps it is known what is usual.
const KNOWN_STEPS: usize = 3;

/// A row is strange if it is less likely than one of the source by this and one for every column.
const STRANGE: f64 = 6.0;

/// Where the clusters stand in the state.
const CLUSTERS: &str = "clusters/";

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Track {
    /// How much likelihood following gained, window by window.
    pub steps: Vec<f64>,
    /// How likely a row was after it.
    #[serde(default)]
    pub likely: Vec<f64>,
    pub jumped: bool,
}

/// So many windows are remembered.
const REMEMBERED: usize = 50;
/// What clouds that spread slowly make of a row is judged beside so many windows before.
const RECENT: usize = 5;

impl Track {
    fn of(state: &State, name: &str) -> Self {
        let stored = state.value(name).cloned();
        let stored = stored.and_then(|value| serde_json::from_value(value).ok());
        stored.unwrap_or_default()
    }

    /// How likely a row should be: as in the source, or where clouds have spread since, as of late.
    fn usual(&self, source: f64) -> f64 {
        let recent = &self.likely[self.likely.len().saturating_sub(RECENT)..];
        match recent.len() < RECENT {
            true => source,
            false => source.min(middle(recent)),
        }
    }

    /// Whether the stream has jumped, now or before.
    fn goes_on(&mut self, before: f64, after: f64) -> bool {
        let step = after - before;
        // The window before may have had the beginning of the jump in it.
        let earlier = &self.steps[..self.steps.len().saturating_sub(1)];
        let largest = earlier.iter().copied().fold(0.0, f64::max);
        let bound = (middle(&self.steps) + LEAST_JUMP).max(BEYOND * largest);
        self.jumped |= self.steps.len() >= KNOWN_STEPS && step > bound;
        self.steps.push(step);
        self.likely.push(after);
        for values in [&mut self.steps, &mut self.likely] {
            let old = values.len().saturating_sub(REMEMBERED);
            values.drain(..old);
        }
        self.jumped
    }
}

/// What the mixtures make of a window.
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
}

/// What the clouds make of the window and how likely they find its rows.
struct Seen {
    tracked: Tracked,
    /// Before they have followed the window, and after.
    likely: [f64; 2],
}

/// The clusters of nearest neighbours decide where the mixture is not believed, or where of late they explained a row
/// better by this much likelihood, or foresaw it so: they know where they are going, and go through one another.
const LEAD: f64 = 0.05;
/// Of a source with fewer rows, too.
const FEW: usize = 100;
/// Windows of which the lead in the middle counts.
const LATELY: usize = 20;

/// `None` where neither is believed. `rows` are those of the window that are looked at, `points` the same in the frame.
pub(super) fn look(
    now: &Context<'_>,
    evidence: &Evidence,
    (window, rows): (&Inputs, &[usize]),
    (frame, points): (&PointFrame, &RowPoints),
    state: &mut State,
) -> Result<Option<Tracked>> {
    let n_classes = now.first.n_classes();
    let mixture = follow(evidence, points, n_classes, state)?;
    let clusters = match now.first.model.kind() == NeighboursLearner::KIND {
        true => follow_clusters(now, evidence, (window, rows), state)?,
        false => None,
    };
    let Some(clusters) = clusters else {
        return Ok(mixture.map(|seen| seen.tracked));
    };
    // With few labelled rows there was nothing to choose the mixture by.
    let few = evidence.clusters.is_some_and(|own| own.rows < FEW);
    let Some(mixture) = mixture.filter(|_| !few) else {
        return Ok(Some(clusters.tracked));
    };
    let size = window.shape().size();
    let constant = 0.5 * size as f64 * ln(2.0 * std::f64::consts::PI);
    let constant = frame.log_scale() - constant;
    let lead = [0, 1].map(|at| clusters.likely[at] + constant - mixture.likely[at]);
    let stored = state.value("track/lead").cloned();
    let stored = stored.and_then(|value| serde_json::from_value(value).ok());
    let mut leads: Vec<[f64; 2]> = stored.unwrap_or_default();
    let ahead = |leads: &[[f64; 2]]| {
        // Of all windows the middle: one that jumps would make up for many.
        let of = |at: usize| leads.iter().map(|lead| lead[at]).collect::<Vec<f64>>();
        frame.size() == size && middle(&of(0)).max(middle(&of(1))) > LEAD
    };
    // Clusters find the rows again after a jump, and know no better which class they are of.
    if matches!(mixture.tracked, Tracked::Jumped) && !ahead(&leads) {
        return Ok(Some(mixture.tracked));
    }
    leads.push(lead);
    let old = leads.len().saturating_sub(LATELY);
    leads.drain(..old);
    let ahead = ahead(&leads);
    state.set_value("track/lead", serde_json::json!(leads));
    Ok(Some(if ahead {
        clusters.tracked
    } else {
        mixture.tracked
    }))
}

/// Follows the window with clusters; `None` where they are not believed.
fn follow_clusters(
    now: &Context<'_>,
    evidence: &Evidence,
    (window, rows): (&Inputs, &[usize]),
    state: &mut State,
) -> Result<Option<Seen>> {
    let Some(known) = evidence.believed_clusters() else {
        return Ok(None);
    };
    // Followed apart from the candidates' own: those begin again where a version is taken back.
    let remembered = state.part(CLUSTERS);
    let (view, remembered) = Clusters::default().view(now, &remembered, window)?;
    let seen = |tracked| {
        let likely = [view.before, view.after];
        Ok(Some(Seen { tracked, likely }))
    };
    let mut track = Track::of(state, "track/clusters");
    let usual = track.usual(known.log_likelihood);
    let size = window.shape().size() as f64;
    if usual - view.after > UNEXPLAINED.max(0.1 * size) {
        let strange = usual - STRANGE - size;
        let strange = view.rows.iter().filter(|&&log| log < strange);
        let share = strange.count() as f64 / view.rows.len().max(1) as f64;
        let part = (0.03..0.7).contains(&share);
        return seen(Tracked::Unexplained { part });
    }
    let jumped = track.goes_on(view.before, view.after);
    state.join(CLUSTERS, &remembered);
    state.set_value("track/clusters", serde_json::json!(track));
    if jumped {
        return seen(Tracked::Jumped);
    }
    let n_classes = now.first.n_classes();
    let row = |&row: &usize| &view.posteriors[row * n_classes..(row + 1) * n_classes];
    let posteriors = rows.iter().flat_map(row).copied().collect();
    seen(Tracked::Known {
        worlds: vec![("clusters", posteriors)],
        agreement: 1.0,
    })
}

/// Follows the window with the mixtures; `None` where they are not believed.
fn follow(
    evidence: &Evidence,
    window: &RowPoints,
    n_classes: usize,
    state: &mut State,
) -> Result<Option<Seen>> {
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
    let mut track = Track::of(state, "track");
    let before = moved.clone();
    let went = moved.follow(window, FollowFrom::Moved);
    let seen = |tracked| {
        let likely = [went.before, went.after];
        Ok(Some(Seen { tracked, likely }))
    };
    let least = UNEXPLAINED.max(0.1 * window.size() as f64);
    let usual = track.usual(evidence.log_likelihood);
    if usual - went.after > least {
        // The mixtures stay where they were: the next window may be as before.
        let strange = before.strange(window, usual - STRANGE - window.size() as f64);
        let part = (0.03..0.7).contains(&strange);
        return seen(Tracked::Unexplained { part });
    }
    stayed.follow(window, FollowFrom::Stay);
    let jumped = track.goes_on(went.before, went.after);
    for (name, own) in [("mixture/moved", &moved), ("mixture/stay", &stayed)] {
        let numbers = own.to_numbers();
        state.set(name, &[numbers.len()], numbers)?;
    }
    state.set_value("track", serde_json::json!(track));
    if jumped {
        return seen(Tracked::Jumped);
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
    seen(Tracked::Known {
        worlds: vec![("mixture-moved", moved), ("mixture", stayed)],
        agreement,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A track that has gone through steps of this size.
    fn gone(steps: &[f64]) -> Track {
        let mut track = Track::default();
        for step in steps {
            assert!(!track.goes_on(-2.0 - step, -2.0), "{steps:?}");
        }
        track
    }

    #[test]
    fn a_step_unlike_all_before_is_a_jump_and_stays_one() {
        let mut track = gone(&[0.02, 0.03, 0.02, 0.02]);
        assert!(track.goes_on(-3.0, -2.0));
        assert!(track.goes_on(-2.0, -2.0));
    }

    #[test]
    fn a_jump_that_begins_at_the_end_of_a_window_is_one() {
        let mut track = gone(&[0.02, 0.03, 0.02, 0.02, 0.25]);
        assert!(track.goes_on(-2.45, -2.0));
    }

    #[test]
    fn even_steps_are_no_jumps_however_large() {
        let mut track = gone(&[0.8, 0.9, 0.7, 0.8]);
        assert!(!track.goes_on(-3.2, -2.0));
    }

    #[test]
    fn clouds_that_spread_slowly_are_judged_by_the_last_windows() {
        let mut track = Track::default();
        assert_eq!(track.usual(-2.0), -2.0);
        for window in 0..10 {
            let likely = -2.0 - 0.3 * f64::from(window);
            track.goes_on(likely, likely);
        }
        assert!((track.usual(-2.0) + 4.1).abs() < 1e-9);
    }
}
