//! Convex risk minimisation over Θ_R by an interior-point method: Newton steps on a smoothed problem whose smoothing
//! vanishes. The result carries a certificate, a lower bound on the smallest risk from the dual problem.

use super::margin::{MarginModel, dot, norm};
use super::norm_ball::{BiasRule, NormBall};
use super::points::Points;
use crate::loss::margin::{MarginLoss, sigmoid};
use driftline_core::matrix::solve;
use driftline_core::{Error, Result};

/// A convex loss of the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convex {
    Hinge,
    Logistic,
}

/// A minimiser and how far it can be from optimal: the smallest risk lies in [lower_bound, value].
#[derive(Clone, Debug)]
pub struct Certified {
    pub model: MarginModel,
    pub value: f64,
    pub lower_bound: f64,
}

impl Certified {
    fn gap(&self) -> f64 {
        self.value - self.lower_bound
    }
}

/// Minimises Σ mass·loss(m) + Σ pull·m over Θ_R, where m is a point's margin, to a gap of at most `tolerance`.
///
/// The pulls are the linear part that difference-of-convex descent adds; empty means none. Among many minimisers the one
/// in the middle (the analytic centre) is approached. A free bias is searched where it can matter: beyond
/// R·max‖x‖ + 40 in size, every score has the sign of the bias and a loss that no longer changes.
pub fn minimize(
    points: &Points,
    loss: Convex,
    pulls: &[f64],
    ball: &NormBall,
    tolerance: f64,
) -> Result<Certified> {
    if points.is_empty() {
        return Err(Error::empty("the training set"));
    }
    let problem = Problem::new(points, loss, pulls, ball);
    let mut theta = vec![0.0; problem.size()];
    let last = tolerance / (4.0 * (points.len() + 2) as f64);
    let mut smoothing = (1.0 / points.len() as f64).max(last);
    let mut best: Option<Certified> = None;
    loop {
        problem.center(&mut theta, smoothing);
        let found = problem.certified(&theta, smoothing);
        // In many dimensions the smallest smoothing is beyond what double precision resolves: the tightest certificate
        // on the way counts.
        if best.as_ref().is_none_or(|best| found.gap() <= best.gap()) && !found.gap().is_nan() {
            best = Some(found);
        }
        if smoothing <= last {
            break;
        }
        smoothing = (smoothing / 8.0).max(last);
    }
    // The gap is what was asked for up to rounding, unless the problem is hopelessly scaled.
    let allowed = |best: &Certified| 1e3 * tolerance + 1e-6 * best.value.abs();
    match best {
        Some(best) if best.gap() <= allowed(&best) => Ok(best),
        _ => Err(Error::NotConverged {
            iterations: MAX_NEWTON,
            gradient: best.map_or(f64::NAN, |best| best.gap()),
            tolerance,
        }),
    }
}

const MAX_NEWTON: usize = 60;

struct Problem<'a> {
    points: &'a Points,
    loss: Convex,
    pulls: &'a [f64],
    radius: f64,
    /// The largest |b|; `None` where there is no bias.
    bias_limit: Option<f64>,
}

/// A smoothed loss at one margin: value, −slope and curvature.
struct Smooth {
    value: f64,
    weight: f64,
    curvature: f64,
}

impl<'a> Problem<'a> {
    fn new(points: &'a Points, loss: Convex, pulls: &'a [f64], ball: &NormBall) -> Self {
        let farthest = points.iter().map(|p| norm(p.x)).fold(0.0, f64::max);
        Self {
            points,
            loss,
            pulls,
            radius: ball.r(),
            bias_limit: match ball.bias {
                BiasRule::Free => Some(ball.r() * farthest + 40.0),
                BiasRule::Bounded(limit) => Some(limit.get()),
                BiasRule::None => None,
            },
        }
    }

    fn size(&self) -> usize {
        self.points.dimension() + usize::from(self.bias_limit.is_some())
    }

    fn split<'t>(&self, theta: &'t [f64]) -> (&'t [f64], f64) {
        let (weights, bias) = theta.split_at(self.points.dimension());
        (weights, bias.first().copied().unwrap_or(0.0))
    }

    fn certified(&self, theta: &[f64], smoothing: f64) -> Certified {
        let (value, lower_bound) = self.certificate(theta, smoothing);
        let (weights, bias) = self.split(theta);
        Certified {
            model: MarginModel::new(weights.to_vec(), bias),
            value,
            lower_bound,
        }
    }

    fn pull(&self, index: usize) -> f64 {
        self.pulls.get(index).copied().unwrap_or(0.0)
    }

    /// min over ξ > max(0, u) of c·ξ − t·log ξ − t·log(ξ − u), u = 1 − m, for the hinge; the logistic loss is smooth as it is.
    fn smooth(&self, mass: f64, margin: f64, t: f64) -> Smooth {
        match self.loss {
            Convex::Hinge => {
                let cu = mass * (1.0 - margin);
                let s = (cu * cu + 4.0 * t * t).sqrt();
                // s − cu and s + cu, the small one without cancellation.
                let (minus, plus) = if cu > 0.0 {
                    (4.0 * t * t / (s + cu), s + cu)
                } else {
                    (s - cu, 4.0 * t * t / (s - cu))
                };
                let (above, slack) = ((2.0 * t + plus) / 2.0, (2.0 * t + minus) / 2.0); // c·ξ, c·(ξ − u)
                let logs = libm::log(above / mass) + libm::log(slack / mass);
                Smooth {
                    value: above - t * logs,
                    weight: mass * t / slack,
                    curvature: mass * mass * t * minus / (2.0 * slack * slack * s),
                }
            }
            Convex::Logistic => {
                let p = sigmoid(-margin);
                Smooth {
                    value: mass * MarginLoss::Logistic.value(margin),
                    weight: mass * p,
                    curvature: mass * p * (1.0 - p),
                }
            }
        }
    }

    /// The smoothed objective, +∞ outside the class.
    fn objective(&self, theta: &[f64], t: f64) -> f64 {
        let (weights, bias) = self.split(theta);
        let room = self.radius * self.radius - dot(weights, weights);
        let bias_room = self
            .bias_limit
            .map_or(1.0, |limit| limit * limit - bias * bias);
        if room <= 0.0 || bias_room <= 0.0 {
            return f64::INFINITY;
        }
        let mut sum = -t * (libm::log(room) + libm::log(bias_room));
        for (index, point) in self.points.iter().enumerate().filter(|(_, p)| p.mass > 0.0) {
            let margin = point.y.value() * (dot(weights, point.x) + bias);
            sum += self.smooth(point.mass, margin, t).value + self.pull(index) * margin;
        }
        sum
    }

    /// Newton's method with backtracking for one amount of smoothing.
    fn center(&self, theta: &mut [f64], t: f64) {
        let n = theta.len();
        let mut current = self.objective(theta, t);
        for _ in 0..MAX_NEWTON {
            let (gradient, mut hessian) = self.derivatives(theta, t);
            let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
            solve(&mut hessian, &mut step);
            let decrement = -dot(&gradient, &step);
            if decrement.is_nan() || decrement <= 1e-14 * t {
                break;
            }
            // Close to the centre full steps converge quadratically, while the objective has no digits left to tell.
            if decrement <= 0.05 * t {
                let next: Vec<f64> = theta.iter().zip(&step).map(|(v, s)| v + s).collect();
                let value = self.objective(&next, t);
                if value.is_finite() {
                    theta.copy_from_slice(&next);
                    current = value;
                    continue;
                }
            }
            let mut length = 1.0;
            let mut next = theta.to_vec();
            let moved = loop {
                for k in 0..n {
                    next[k] = theta[k] + length * step[k];
                }
                let value = self.objective(&next, t);
                if value <= current - 0.1 * length * decrement {
                    current = value;
                    break true;
                }
                length *= 0.5;
                if length < 1e-12 {
                    break false;
                }
            };
            if !moved {
                break;
            }
            theta.copy_from_slice(&next);
        }
    }

    fn derivatives(&self, theta: &[f64], t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = theta.len();
        let dimension = self.points.dimension();
        let (weights, bias) = self.split(theta);
        let mut gradient = vec![0.0; n];
        let mut hessian = vec![0.0; n * n];
        let room = self.radius * self.radius - dot(weights, weights);
        for i in 0..dimension {
            gradient[i] = 2.0 * t * weights[i] / room;
            for j in 0..=i {
                hessian[i * n + j] = 4.0 * t * weights[i] * weights[j] / (room * room);
            }
            hessian[i * n + i] += 2.0 * t / room;
        }
        if let Some(limit) = self.bias_limit {
            let room = limit * limit - bias * bias;
            gradient[dimension] = 2.0 * t * bias / room;
            hessian[n * n - 1] = 2.0 * t / room + 4.0 * t * bias * bias / (room * room);
        }
        for (index, point) in self.points.iter().enumerate().filter(|(_, p)| p.mass > 0.0) {
            let y = point.y.value();
            let smooth = self.smooth(point.mass, y * (dot(weights, point.x) + bias), t);
            let first = (self.pull(index) - smooth.weight) * y;
            for i in 0..dimension {
                gradient[i] += first * point.x[i];
                let scaled = smooth.curvature * point.x[i];
                for (h, x) in hessian[i * n..=i * n + i].iter_mut().zip(point.x) {
                    *h += scaled * x;
                }
            }
            if n > dimension {
                gradient[dimension] += first;
                let last = dimension * n;
                for (h, x) in hessian[last..last + dimension].iter_mut().zip(point.x) {
                    *h += smooth.curvature * x;
                }
                hessian[last + dimension] += smooth.curvature;
            }
        }
        (gradient, hessian)
    }

    /// The risk at θ, and a bound below the risk of every model in the class: each loss lies above its tangents, and the
    /// sum of one tangent per point is minimised over the class exactly.
    ///
    /// The tangents' weights are taken one Newton step ahead: θ itself is rounded, and where the smoothed loss bends
    /// sharply a rounding of θ is a visible change of the weights.
    fn certificate(&self, theta: &[f64], t: f64) -> (f64, f64) {
        let (gradient, mut hessian) = self.derivatives(theta, t);
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        solve(&mut hessian, &mut step);
        let (step_weights, step_bias) = self.split(&step);
        let (weights, bias) = self.split(theta);
        let mut pulled = vec![0.0; self.points.dimension()];
        let (mut value, mut intercepts, mut bias_pull) = (0.0, 0.0, 0.0);
        for (index, point) in self.points.iter().enumerate().filter(|(_, p)| p.mass > 0.0) {
            let y = point.y.value();
            let margin = y * (dot(weights, point.x) + bias);
            let ahead = y * (dot(step_weights, point.x) + step_bias);
            let smooth = self.smooth(point.mass, margin, t);
            let weight = (smooth.weight - smooth.curvature * ahead).clamp(0.0, point.mass);
            let (loss, intercept) = match self.loss {
                Convex::Hinge => (MarginLoss::Hinge, weight),
                Convex::Logistic => {
                    let share = weight / point.mass;
                    let entropy = |p: f64| if p > 0.0 { -p * libm::log(p) } else { 0.0 };
                    let both = entropy(share) + entropy(1.0 - share);
                    (MarginLoss::Logistic, point.mass * both)
                }
            };
            value += point.mass * loss.value(margin) + self.pull(index) * margin;
            intercepts += intercept;
            let slope = (self.pull(index) - weight) * y;
            pulled
                .iter_mut()
                .zip(point.x)
                .for_each(|(p, x)| *p += slope * x);
            bias_pull += slope;
        }
        let bias_limit = self.bias_limit.unwrap_or(0.0);
        let lower = intercepts - self.radius * norm(&pulled) - bias_limit * bias_pull.abs();
        (value, lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::margin::Sign;
    use driftline_core::random::Seed;
    use rand::RngExt;

    fn cloud(n: usize, d: usize, seed: usize) -> Points {
        let mut generator = Seed::new(5).nth(seed).generator();
        let mut points = Points::new(d);
        for _ in 0..n {
            let x: Vec<f64> = (0..d).map(|_| generator.random_range(-2.0..2.0)).collect();
            let noisy = x[0] + generator.random_range(-1.0..1.0);
            points.push(&x, Sign::of(noisy), 1.0 / n as f64).unwrap();
        }
        points
    }

    #[test]
    fn the_gap_is_certified_and_no_random_model_does_better() {
        for seed in 0..12 {
            let points = cloud(30, 3, seed);
            for loss in [Convex::Hinge, Convex::Logistic] {
                for bias in [BiasRule::Free, BiasRule::None] {
                    let ball = NormBall::unit().with_bias(bias);
                    let found = minimize(&points, loss, &[], &ball, 1e-10).unwrap();
                    let gap = found.value - found.lower_bound;
                    assert!((-1e-12..1e-9).contains(&gap), "{loss:?} {gap:e}");
                    assert!(ball.contains(&found.model));
                    let mut generator = Seed::new(9).nth(seed).generator();
                    let margin_loss = match loss {
                        Convex::Hinge => MarginLoss::Hinge,
                        Convex::Logistic => MarginLoss::Logistic,
                    };
                    assert!((points.loss(margin_loss, &found.model) - found.value).abs() < 1e-12);
                    for _ in 0..200 {
                        let near =
                            |v: &f64, spread: f64, g: &mut driftline_core::random::Generator| {
                                v + g.random_range(-spread..spread)
                            };
                        let weights = found
                            .model
                            .weights
                            .iter()
                            .map(|w| near(w, 0.1, &mut generator));
                        let mut other = MarginModel::new(
                            weights.collect(),
                            near(&found.model.bias, 0.1, &mut generator),
                        );
                        ball.project(&mut other);
                        assert!(points.loss(margin_loss, &other) >= found.lower_bound - 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn one_class_and_separable_data_reach_zero() {
        let mut points = Points::new(1);
        points.push(&[3.0], Sign::Plus, 1.0).unwrap();
        let found = minimize(&points, Convex::Hinge, &[], &NormBall::unit(), 1e-10).unwrap();
        assert_eq!(found.value, 0.0);
        points.push(&[-3.0], Sign::Minus, 1.0).unwrap();
        let found = minimize(&points, Convex::Hinge, &[], &NormBall::unit(), 1e-10).unwrap();
        assert_eq!(found.value, 0.0);
    }
}
