//! Clouds that follow: the classes as a mixture that goes along with the stream, window by window (docs/methods.md,
//! *Mixture*). It alone can tell a turn from a stretch, and it is right where the theorem is: classes apart, small steps.

use super::moved::drawn_by;
use super::trace::traced;
use super::{Case, Explanation, Scenario};
use crate::memory::Memory;
use driftline_core::Result;
use driftline_drift::mixture::FollowFrom;

pub(crate) struct Followed;

const FOLLOWED: &str = "followed";
/// Where the clouds stand.
pub(crate) const CLOUDS: &str = "clouds";
/// By how much likelihood for a row moving all clouds first must beat following from where they stood.
const BETTER: f64 = 0.02;
/// A point of accuracy.
const POINTS: f64 = 100.0;

impl Scenario for Followed {
    fn explain(&self, case: &Case<'_>, memory: &mut Memory) -> Result<Vec<Explanation>> {
        let source = case.source;
        // One follower of clouds is enough: where the plain chain follows clusters, it is that.
        if case
            .plain()
            .is_some_and(|plain| case.follows_clusters(plain))
        {
            return Ok(vec![]);
        }
        let (Some(begun), Some(calibration), Some(window), Some(known)) = (
            &source.clouds,
            &source.profile.clouds,
            &case.points,
            &source.points,
        ) else {
            return Ok(vec![]);
        };
        let before = memory.clouds(CLOUDS)?.unwrap_or_else(|| begun.clone());
        let (mut stayed, mut moved) = (before.clone(), before);
        let (at_stay, at_move) = rayon::join(
            || stayed.follow(window, FollowFrom::Stay),
            || moved.follow(window, FollowFrom::Moved),
        );
        let (now, went) = match at_move.after > at_stay.after + BETTER {
            true => (moved, at_move),
            false => (stayed, at_stay),
        };
        let labels = source.sample.labels().as_slice();
        let clouds = begun.assigned(known, labels);
        let growth = begun.growth(&now);
        let rows = drawn_by(
            &clouds
                .iter()
                .map(|&cloud| growth[cloud])
                .collect::<Vec<_>>(),
        );
        let carried = begun.carried(&now, known, &clouds);
        let there = source.whole_of(Some(&carried), source.sample.inputs());
        let here = source.whole_of(Some(window), case.inputs);
        let misfit = case.misfit(&there.pick(&rows), &here, source.profile.noise);
        memory.set_clouds(CLOUDS, &now)?;
        // Clouds that are no good on the source, or a step that no theorem covers, are no reason to believe them. What so few
        // rows cannot tell from chance is no sign.
        let right = source.profile.held_out;
        let chance = (right * (1.0 - right) / source.sample.len().max(1) as f64).sqrt();
        let off = (calibration.expected - calibration.accuracy).abs() - chance;
        let behind = right - calibration.accuracy - chance;
        let too_far = (case.largest_step - 1.0).max(0.0);
        Ok(vec![Explanation {
            name: FOLLOWED,
            posteriors: traced(case, memory, FOLLOWED, went.classes)?,
            misfit,
            complexity: 1.0 + POINTS * (off.max(0.0) + behind.max(0.0)) + 2.0 * too_far,
            past: 0.0,
        }])
    }
}
