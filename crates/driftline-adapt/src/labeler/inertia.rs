//! Share inertia: how far the shares of pseudo-labels may move in a window. With r the shares they are held to and p̄ the mean
//! prediction of the window, p(y) ∝ p(y)·(r_y/p̄_y)^a with a the strength; a bound repeats this with a = 1 until p̄ is within
//! it. Right where the classes keep their shares, or change them slowly; wrong under a sudden label shift.

use serde::{Deserialize, Serialize};

use crate::{Context, State};
use driftline_core::Result;
use driftline_core::data::{Fraction, Probabilities};

/// What the predicted shares of a window are held to, and how strongly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ShareInertia {
    /// Drawn back to the source's: 0 not at all, 1 wholly.
    Source(Fraction),
    /// Drawn back to the last window's as they were held; in the first window to the source's.
    LastWindow(Fraction),
    /// No class's share is further than this from the last window's.
    Bound(Fraction),
}

/// A class that is never predicted counts as this much, so that nothing is divided by 0.
const LEAST_SHARE: f64 = 1e-6;
/// A bound is kept to within this.
const TOLERANCE: f64 = 1e-6;
/// Predictions that are certain cannot be moved: after this many rounds a bound is left as near as it came.
const ROUNDS: usize = 200;
/// The name of the shares in a labeler's memory.
const SHARES: &str = "shares";

impl ShareInertia {
    /// Probabilities whose mean is nearer to the shares that they are held to.
    pub(super) fn moved(self, ctx: &Context<'_>, p: &Probabilities) -> Result<Probabilities> {
        let source = &ctx.frame()?.shares;
        let remembered = ctx.teacher.labeler.get(SHARES);
        let last = remembered.map_or(&source[..], |(_, shares)| shares);
        match self {
            Self::Source(strength) => toward(p, &wide(source), strength.get()),
            Self::LastWindow(strength) => toward(p, &wide(last), strength.get()),
            Self::Bound(most) => {
                let wanted = within(&means(p), &wide(last), most.get());
                let mut moved = p.clone();
                for _ in 0..ROUNDS {
                    let off = means(&moved).into_iter().zip(&wanted);
                    if off.into_iter().all(|(m, w)| (m - w).abs() < TOLERANCE) {
                        break;
                    }
                    moved = toward(&moved, &wanted, 1.0)?;
                }
                Ok(moved)
            }
        }
    }

    /// What to remember of a window that was held so; the source's shares need no memory.
    pub(super) fn memory(self, moved: &Probabilities) -> Result<State> {
        let mut state = State::default();
        if !matches!(self, Self::Source(_)) {
            let shares: Vec<f32> = means(moved).into_iter().map(|mean| mean as f32).collect();
            state.set(SHARES, &[shares.len()], shares)?;
        }
        Ok(state)
    }
}

fn wide(shares: &[f32]) -> Vec<f64> {
    shares.iter().map(|&share| f64::from(share)).collect()
}

fn means(probabilities: &Probabilities) -> Vec<f64> {
    let mut sums = vec![0.0; probabilities.n_classes()];
    for row in probabilities.iter() {
        for (sum, &p) in sums.iter_mut().zip(row) {
            *sum += f64::from(p);
        }
    }
    let rows = probabilities.len() as f64;
    sums.into_iter().map(|sum| sum / rows).collect()
}

/// The shares nearest to `shares`, on the way from `last` to them, of which none is further than `most` from `last`.
fn within(shares: &[f64], last: &[f64], most: f64) -> Vec<f64> {
    let pairs = || shares.iter().zip(last);
    let furthest = pairs().map(|(s, l)| (s - l).abs()).fold(0.0, f64::max);
    let part = if furthest > most {
        most / furthest
    } else {
        1.0
    };
    pairs().map(|(s, l)| l + part * (s - l)).collect()
}

/// Probabilities whose mean is nearer to `shares`.
fn toward(probabilities: &Probabilities, shares: &[f64], strength: f64) -> Result<Probabilities> {
    let factor = |(mean, share): (f64, &f64)| libm::pow(share / mean.max(LEAST_SHARE), strength);
    let factors: Vec<f64> = means(probabilities)
        .into_iter()
        .zip(shares)
        .map(factor)
        .collect();
    let classes = probabilities.n_classes();
    let mut values = Vec::with_capacity(probabilities.len() * classes);
    for row in probabilities.iter() {
        let moved = row
            .iter()
            .zip(&factors)
            .map(|(&p, factor)| f64::from(p) * factor);
        let sum: f64 = moved.clone().sum();
        match sum > 0.0 {
            true => values.extend(moved.map(|p| (p / sum) as f32)),
            false => values.extend_from_slice(row),
        }
    }
    Probabilities::new(values, classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> Probabilities {
        Probabilities::new(vec![0.9, 0.1, 0.6, 0.4], 2).unwrap()
    }

    /// By hand: means (.75, .25), shares (.5, .5), so odds are multiplied by 2/3 : 2.
    #[test]
    fn shares_come_back_to_the_source() {
        let moved = toward(&given(), &[0.5, 0.5], 1.0).unwrap();
        let right = [0.6 / 0.8, 0.2 / 0.8, 0.4 / 1.2, 0.8 / 1.2];
        for (found, right) in moved.iter().flatten().zip(right) {
            assert!((found - right).abs() < 1e-6, "{moved:?}");
        }
        let still = toward(&given(), &[0.5, 0.5], 0.0).unwrap();
        for (a, b) in still.iter().flatten().zip(given().iter().flatten()) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    #[test]
    fn shares_within_a_bound_stay_and_others_stop_at_it() {
        let near = within(&[0.52, 0.48], &[0.5, 0.5], 0.05);
        assert_eq!(near, [0.52, 0.48]);
        let far = within(&[0.8, 0.1, 0.1], &[0.4, 0.3, 0.3], 0.1);
        for (found, right) in far.iter().zip([0.5, 0.25, 0.25]) {
            assert!((found - right).abs() < 1e-12, "{far:?}");
        }
    }
}
