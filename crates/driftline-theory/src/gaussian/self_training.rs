//! ST(w, P) on a mixture in the plane: the risk of a student v on all of P, labelled by w, and its minimiser over ‖v‖ ≤ 1.
//!
//! With the first axis along w, an input counts as (|x₁|, sign(x₁)·x₂): positive, and distributed as under Y = +1 alone. Given
//! x₁, the student's margin is normal, so what is left is one integral.

use super::mixture::Mixture;
use super::step::descend;
use driftline_core::Result;
use driftline_models::linear::margin::{dot, norm};
use driftline_models::loss::margin::MarginLoss;

/// Finer, and steps end in the rounding of the integral.
const TOLERANCE: f64 = 1e-7;
/// Panels of each stretch of the integral over x₁, with the nodes below. The integrand bends at x₁ = 0 and where the margin
/// reaches a corner of the loss; the bends are as wide as the margin's spread.
const PANELS: usize = 4;
/// Panels over Z for the logistic loss.
const SMOOTH_PANELS: usize = 8;
/// Standard deviations that are integrated over.
const WIDTH: f64 = 8.0;
/// Gauss–Legendre nodes and weights on [−1, 1], 6 points: the positive half.
const NODES: [(f64, f64); 3] = [
    (0.238_619_186_083_196_9, 0.467_913_934_572_691),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (0.932_469_514_203_152, 0.171_324_492_379_170_3),
];

/// argmin over ‖v‖ ≤ 1 of E φ(sign(w·X)·v·X), found from v = w.
pub fn self_train_on(mixture: &Mixture, loss: MarginLoss, w: &[f64]) -> Result<Vec<f64>> {
    descend(|v| pseudo_risk(mixture, loss, w, v), w, 2.0, TOLERANCE)
}

/// E φ(sign(w·X)·v·X) and its gradient by v, in two dimensions.
fn pseudo_risk(mixture: &Mixture, loss: MarginLoss, w: &[f64], v: &[f64]) -> (f64, Vec<f64>) {
    let length = norm(w);
    let along = [w[0] / length, w[1] / length];
    let across = [-along[1], along[0]];
    let (m1, m2) = (dot(&mixture.mean, &along), dot(&mixture.mean, &across));
    let (v1, v2) = (dot(v, &along), dot(v, &across));
    let sigma = mixture.sigma;
    let (mut value, mut by_v1, mut by_v2) = (0.0, 0.0, 0.0);
    let stretches = stretches(m1, sigma, &bends(loss, [v1, v2], m2, sigma));
    for (from, to) in stretches {
        let width = (to - from) / PANELS as f64;
        for panel in 0..PANELS {
            let middle = from + (panel as f64 + 0.5) * width;
            for (node, weight) in NODES {
                for x in [middle - node * width / 2.0, middle + node * width / 2.0] {
                    let z = (x - m1) / sigma;
                    let density = libm::exp(-0.5 * z * z) / (sigma * ROOT_TWO_PI);
                    let share = weight * width / 2.0 * density;
                    let side = if x < 0.0 { -1.0 } else { 1.0 };
                    // The margin is normal: v₁|x₁| + v₂·sign(x₁)·x₂.
                    let mean = v1 * x.abs() + v2 * side * m2;
                    let inner = expected(loss, mean, v2.abs() * sigma);
                    value += share * inner.value;
                    by_v1 += share * inner.by_mean * x.abs();
                    by_v2 +=
                        share * (inner.by_mean * side * m2 + inner.by_spread * sigma * v2.signum());
                }
            }
        }
    }
    let gradient = (0..2).map(|k| by_v1 * along[k] + by_v2 * across[k]);
    (value, gradient.collect())
}

/// Where the margin v₁|x₁| ± v₂·m₂ reaches a corner of the loss, with stops around it as far as the spread reaches.
fn bends(loss: MarginLoss, [v1, v2]: [f64; 2], m2: f64, sigma: f64) -> Vec<f64> {
    let corners: &[f64] = match loss {
        MarginLoss::Hinge => &[1.0],
        MarginLoss::Ramp => &[0.0, 1.0],
        MarginLoss::Logistic => &[],
    };
    let width = (v2 * sigma / v1).abs();
    let mut stops = Vec::new();
    for corner in corners {
        for side in [-1.0, 1.0] {
            let place = side * (corner - v2 * side * m2) / v1;
            stops.extend([-8.0, -2.5, 0.0, 2.5, 8.0].map(|far| place + far * width));
        }
    }
    stops
}

/// From `WIDTH` standard deviations below the mean to as many above, cut at 0 and at the bends.
fn stretches(mean: f64, sigma: f64, bends: &[f64]) -> Vec<(f64, f64)> {
    let (low, high) = (mean - WIDTH * sigma, mean + WIDTH * sigma);
    let inside = |x: &f64| low < *x && *x < high;
    let mut stops: Vec<f64> = bends.iter().copied().filter(inside).collect();
    stops.extend([low, high]);
    stops.extend(Some(0.0).filter(inside));
    stops.sort_by(f64::total_cmp);
    stops.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

const ROOT_TWO_PI: f64 = 2.506_628_274_631_000_2;

/// E φ(m + s·Z) with its derivatives by m and s.
struct Expected {
    value: f64,
    by_mean: f64,
    by_spread: f64,
}

fn expected(loss: MarginLoss, mean: f64, spread: f64) -> Expected {
    if spread < 1e-12 {
        return Expected {
            value: loss.value(mean),
            by_mean: loss.slope(mean),
            by_spread: 0.0,
        };
    }
    match loss {
        MarginLoss::Hinge => hinge(1.0, mean, spread),
        // The ramp is a hinge at 1 less one at 0.
        MarginLoss::Ramp => {
            let (one, zero) = (hinge(1.0, mean, spread), hinge(0.0, mean, spread));
            Expected {
                value: one.value - zero.value,
                by_mean: one.by_mean - zero.by_mean,
                by_spread: one.by_spread - zero.by_spread,
            }
        }
        MarginLoss::Logistic => logistic(mean, spread),
    }
}

/// E max(corner − (m + s·Z), 0).
fn hinge(corner: f64, mean: f64, spread: f64) -> Expected {
    let far = (corner - mean) / spread;
    let below = 0.5 * libm::erfc(-far / std::f64::consts::SQRT_2);
    let density = libm::exp(-0.5 * far * far) / ROOT_TWO_PI;
    Expected {
        value: (corner - mean) * below + spread * density,
        by_mean: -below,
        by_spread: density,
    }
}

/// Smooth, so that a few panels over Z are exact enough.
fn logistic(mean: f64, spread: f64) -> Expected {
    let mut sum = Expected {
        value: 0.0,
        by_mean: 0.0,
        by_spread: 0.0,
    };
    let width = 2.0 * WIDTH / SMOOTH_PANELS as f64;
    for panel in 0..SMOOTH_PANELS {
        let middle = -WIDTH + (panel as f64 + 0.5) * width;
        for (node, weight) in NODES {
            for z in [middle - node * width / 2.0, middle + node * width / 2.0] {
                let share = weight * width / 2.0 * libm::exp(-0.5 * z * z) / ROOT_TWO_PI;
                let margin = mean + spread * z;
                let slope = MarginLoss::Logistic.slope(margin);
                sum.value += share * MarginLoss::Logistic.value(margin);
                sum.by_mean += share * slope;
                sum.by_spread += share * slope * z;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaussian::normal_vector;
    use driftline_core::random::Seed;
    use rand::RngExt;

    fn mixture() -> Mixture {
        Mixture {
            mean: vec![1.2, 0.5],
            sigma: 0.9,
        }
    }

    /// Plain sampling of the mixture, whose labels are its own.
    #[test]
    fn the_integral_is_the_mean_over_examples() {
        let (w, v) = ([0.6, -0.4], [0.5, 0.7]);
        let mut generator = Seed::new(3).generator();
        let n = 200_000;
        let mut sums = [0.0; 3];
        for _ in 0..n {
            let y = if generator.random_bool(0.5) {
                1.0
            } else {
                -1.0
            };
            let noise = normal_vector(&mut generator, 2);
            let x: Vec<f64> = (0..2)
                .map(|k| y * mixture().mean[k] + mixture().sigma * noise[k])
                .collect();
            let label = if dot(&w, &x) < 0.0 { -1.0 } else { 1.0 };
            for (sum, loss) in sums.iter_mut().zip(MarginLoss::ALL) {
                *sum += loss.value(label * dot(&v, &x)) / f64::from(n);
            }
        }
        for (sum, loss) in sums.into_iter().zip(MarginLoss::ALL) {
            let found = pseudo_risk(&mixture(), loss, &w, &v).0;
            assert!((found - sum).abs() < 0.01, "{loss:?} {found} {sum}");
        }
    }

    #[test]
    fn gradients_agree_with_differences() {
        for loss in MarginLoss::ALL {
            for v in [[0.5, 0.7], [0.9, -0.2], [0.3, 0.1]] {
                let at = |v: [f64; 2]| pseudo_risk(&mixture(), loss, &[0.6, -0.4], &v);
                let gradient = at(v).1;
                for k in 0..2 {
                    let (mut up, mut down) = (v, v);
                    up[k] += 1e-5;
                    down[k] -= 1e-5;
                    let slope = (at(up).0 - at(down).0) / 2e-5;
                    assert!((slope - gradient[k]).abs() < 1e-5, "{loss:?} {v:?}");
                }
            }
        }
    }
}
