//! What is remembered of clouds on their way: how far they went, window by window, and how likely they found the rows. It
//! tells a window that they cannot explain, and one that is further away than all before.

use serde::{Deserialize, Deserializer, Serialize};

use super::TrackResult;

/// A window is explained if a row is less likely by at most this, or by a tenth of the columns, than is usual.
const UNEXPLAINED: f64 = 1.0;
/// A row is strange if it is less likely than that by this and one for every column …
const STRANGE: f64 = 6.0;
/// … and so is a part of the window, if the share of such rows is in this range.
const PART: std::ops::Range<f64> = 0.03..0.7;
/// A step is a jump if it gains so much more likelihood for a row than the middle of those before it, and so many times
/// that of the largest.
const LEAST_JUMP: f64 = 0.4;
const BEYOND: f64 = 2.0;
/// After so many steps it is known what is usual.
const KNOWN_STEPS: usize = 3;
/// So many windows are remembered.
const REMEMBERED: usize = 50;
/// What clouds that spread slowly make of a row is judged beside so many windows before.
const RECENT: usize = 5;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Track {
    /// How much likelihood following gained, window by window.
    #[serde(deserialize_with = "numbers")]
    steps: Vec<f64>,
    /// How likely a row was after it.
    #[serde(default, deserialize_with = "numbers")]
    likely: Vec<f64>,
    jumped: bool,
}

/// JSON says null for a number that is not finite.
fn numbers<'de, D: Deserializer<'de>>(numbers: D) -> Result<Vec<f64>, D::Error> {
    let numbers: Vec<Option<f64>> = Deserialize::deserialize(numbers)?;
    let number = |number: Option<f64>| number.unwrap_or(f64::NAN);
    Ok(numbers.into_iter().map(number).collect())
}

impl Track {
    /// How likely a row of the last window was.
    pub fn last(&self) -> Option<f64> {
        self.likely.last().copied()
    }

    /// Whether it has jumped before.
    pub fn jumped(&self) -> bool {
        self.jumped
    }

    /// Nothing where rows are explained, one of which is so likely `after` the clouds have followed. `source` is how likely
    /// one of the source is, `below` the share of rows that are less likely than a bound.
    pub fn unexplained(
        &self,
        source: f64,
        after: f64,
        size: usize,
        below: impl Fn(f64) -> f64,
    ) -> Option<TrackResult> {
        let (usual, size) = (self.usual(source), size as f64);
        (usual - after > UNEXPLAINED.max(0.1 * size)).then(|| TrackResult::Unexplained {
            part: PART.contains(&below(usual - STRANGE - size)),
        })
    }

    /// How likely a row should be: as in the source, or where clouds have spread since, as of late.
    fn usual(&self, source: f64) -> f64 {
        let recent = &self.likely[self.likely.len().saturating_sub(RECENT)..];
        match recent.len() < RECENT {
            true => source,
            false => source.min(middle(recent)),
        }
    }

    /// Whether the stream has jumped, now or before. A row was so likely before the clouds have followed, and is so after.
    pub fn goes_on(&mut self, [before, after]: [f64; 2]) -> bool {
        let step = after - before;
        // The window before may have had the beginning of the jump in it.
        let earlier = &self.steps[..self.steps.len().saturating_sub(1)];
        let largest = earlier.iter().copied().fold(0.0, f64::max);
        let bound = (middle(&self.steps) + LEAST_JUMP).max(BEYOND * largest);
        self.jumped |= self.steps.len() >= KNOWN_STEPS && step > bound;
        push(&mut self.steps, step, REMEMBERED);
        push(&mut self.likely, after, REMEMBERED);
        self.jumped
    }
}

/// Remembers one more, and at most so many.
pub(super) fn push<T>(values: &mut Vec<T>, value: T, most: usize) {
    values.push(value);
    let old = values.len().saturating_sub(most);
    values.drain(..old);
}

/// 0 of none.
pub(super) fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A track that has gone through steps of this size.
    fn gone(steps: &[f64]) -> Track {
        let mut track = Track::default();
        for step in steps {
            assert!(!track.goes_on([-2.0 - step, -2.0]), "{steps:?}");
        }
        track
    }

    #[test]
    fn a_step_unlike_all_before_is_a_jump_and_stays_one() {
        let mut track = gone(&[0.02, 0.03, 0.02, 0.02]);
        assert!(track.goes_on([-3.0, -2.0]));
        assert!(track.goes_on([-2.0, -2.0]));
    }

    #[test]
    fn a_jump_that_begins_at_the_end_of_a_window_is_one() {
        let mut track = gone(&[0.02, 0.03, 0.02, 0.02, 0.25]);
        assert!(track.goes_on([-2.45, -2.0]));
    }

    #[test]
    fn even_steps_are_no_jumps_however_large() {
        let mut track = gone(&[0.8, 0.9, 0.7, 0.8]);
        assert!(!track.goes_on([-3.2, -2.0]));
    }

    #[test]
    fn clouds_that_spread_slowly_are_judged_by_the_last_windows() {
        let mut track = Track::default();
        assert_eq!(track.usual(-2.0), -2.0);
        for window in 0..10 {
            let likely = -2.0 - 0.3 * f64::from(window);
            track.goes_on([likely, likely]);
        }
        assert!((track.usual(-2.0) + 4.1).abs() < 1e-9);
    }
}
