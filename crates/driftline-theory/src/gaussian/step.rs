//! The constrained step (equation constrained_min): minimise an objective over ‖w‖ ≤ 1, ‖w − w_{t−1}‖ ≤ ½.
//!
//! Spectral projected gradients: steps along the projected gradient with the length that the last two gradients suggest.
//! The method sees values and gradients only.

use super::minus;
use driftline_core::{Error, Result};
use driftline_models::linear::margin::{dot, norm};

/// { w : ‖w‖ ≤ 1, ‖w − center‖ ≤ reach }.
struct Lens<'a> {
    center: &'a [f64],
    reach: f64,
}

impl Lens<'_> {
    /// The nearest point of the lens. Where both balls are left, it lies on the sphere in which their borders meet.
    fn project(&self, w: &[f64]) -> Vec<f64> {
        let onto_unit = shrink(w, 1.0);
        if self.near(&onto_unit) {
            return onto_unit;
        }
        let back = shrink(&minus(w, self.center), self.reach);
        let onto_center: Vec<f64> = back.iter().zip(self.center).map(|(o, c)| o + c).collect();
        if norm(&onto_center) <= 1.0 {
            return onto_center;
        }
        let square = dot(self.center, self.center);
        let along = (1.0 + square - self.reach * self.reach) / (2.0 * square);
        let radius = (1.0 - along * along * square).max(0.0).sqrt();
        let share = dot(w, self.center) / square;
        let across: Vec<f64> = w
            .iter()
            .zip(self.center)
            .map(|(w, c)| w - share * c)
            .collect();
        let scale = radius / norm(&across).max(f64::MIN_POSITIVE);
        let meet = self
            .center
            .iter()
            .zip(&across)
            .map(|(c, a)| along * c + scale * a);
        meet.collect()
    }

    fn near(&self, w: &[f64]) -> bool {
        norm(&minus(w, self.center)) <= self.reach * (1.0 + 1e-14)
    }
}

fn shrink(v: &[f64], limit: f64) -> Vec<f64> {
    let length = norm(v);
    let scale = if length > limit { limit / length } else { 1.0 };
    v.iter().map(|x| x * scale).collect()
}

const MAX_STEPS: usize = 20_000;
const TOLERANCE: f64 = 1e-10;
/// How many past values a step is compared with; the spectral step length is not monotone.
const MEMORY: usize = 8;

/// argmin over the lens around `previous` with reach ½, started from `previous`; `objective` gives value and gradient.
pub fn constrained_step(
    objective: impl Fn(&[f64]) -> (f64, Vec<f64>),
    previous: &[f64],
) -> Result<Vec<f64>> {
    descend(objective, previous, 0.5, TOLERANCE)
}

/// The same with another reach around `previous`, where 2 leaves the unit ball alone, and another tolerance.
pub fn descend(
    objective: impl Fn(&[f64]) -> (f64, Vec<f64>),
    previous: &[f64],
    reach: f64,
    tolerance: f64,
) -> Result<Vec<f64>> {
    let lens = Lens {
        center: previous,
        reach,
    };
    let mut w = lens.project(previous);
    let (mut value, mut gradient) = objective(&w);
    let mut recent = vec![value];
    let mut length = 1.0 / norm(&gradient).max(f64::MIN_POSITIVE);
    let toward = |w: &[f64], gradient: &[f64], length: f64| -> Vec<f64> {
        let ahead: Vec<f64> = w
            .iter()
            .zip(gradient)
            .map(|(w, g)| w - length * g)
            .collect();
        minus(&lens.project(&ahead), w)
    };
    let mut rest = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let size = norm(&gradient);
        if size == 0.0 {
            return Ok(w);
        }
        rest = norm(&toward(&w, &gradient, 1.0 / size));
        if rest < tolerance {
            return Ok(w);
        }
        let direction = toward(&w, &gradient, length);
        let slope = dot(&gradient, &direction);
        let reference = recent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Values are exact to about 1e-14 of their size; a decrease smaller than that cannot be seen.
        let slack = 1e-13 * (1.0 + value.abs());
        let mut fraction = 1.0;
        let (next, next_value, next_gradient) = loop {
            let next: Vec<f64> = w
                .iter()
                .zip(&direction)
                .map(|(w, d)| w + fraction * d)
                .collect();
            let (next_value, next_gradient) = objective(&next);
            if next_value <= reference + 1e-4 * fraction * slope + slack || fraction < 1e-10 {
                break (next, next_value, next_gradient);
            }
            fraction *= 0.5;
        };
        let moved = minus(&next, &w);
        let turned = minus(&next_gradient, &gradient);
        let bend = dot(&moved, &turned);
        length = if bend > 0.0 {
            (dot(&moved, &moved) / bend).clamp(1e-12 / size, 1e12 / size)
        } else {
            1e3 / size
        };
        (w, value, gradient) = (next, next_value, next_gradient);
        if recent.len() == MEMORY {
            recent.remove(0);
        }
        recent.push(value);
    }
    if rest < 1e3 * tolerance {
        return Ok(w);
    }
    Err(Error::NotConverged {
        iterations: MAX_STEPS,
        gradient: rest,
        tolerance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The projection lies in the lens, and no other point of the lens is nearer.
        #[test]
        fn nearest_point_of_the_lens(
            w in prop::collection::vec(-3.0..3.0, 3), center in prop::collection::vec(-0.57..0.57, 3),
            others in prop::collection::vec(prop::collection::vec(-1.0..1.0, 3), 20),
        ) {
            let lens = Lens { center: &center, reach: 0.5 };
            let found = lens.project(&w);
            let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            prop_assert!(norm(&found) <= 1.0 + 1e-12 && far(&found, &center) <= 0.5 + 1e-12);
            for other in others {
                if norm(&other) <= 1.0 && far(&other, &center) <= 0.5 {
                    prop_assert!(far(&found, &w) <= far(&other, &w) + 1e-9);
                }
            }
        }
    }
}
