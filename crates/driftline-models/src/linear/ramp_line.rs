//! Ramp-loss risk minimisation in one dimension, exactly: the risk is piecewise linear, so a minimum lies on a vertex.
//!
//! Scaling a model up never raises its ramp loss (correct margins grow, wrong ones already cost 1), so it is enough to
//! walk along the border of the class: |w| = R, and |b| = its limit where there is one.

use super::margin::MarginModel;
use super::norm_ball::{BiasRule, NormBall};
use super::points::Points;
use driftline_core::{Error, Result};

/// Losses this close count as equal: masses sum to 1, so rounding stays well below.
const TIE: f64 = 1e-12;

/// A stretch of models θ(t) = start + t·direction, for t between 0 and `length`, that all have the smallest risk.
#[derive(Clone, Copy, Debug)]
struct Plateau {
    weight: [f64; 2],
    bias: [f64; 2],
}

/// The minimiser of the ramp risk over Θ_R: the one nearest to `teacher`, or the middle of the widest stretch of them.
pub fn minimize(
    points: &Points,
    ball: &NormBall,
    teacher: Option<&MarginModel>,
) -> Result<MarginModel> {
    if points.dimension() != 1 {
        return Err(Error::out_of_range(
            "the dimension for exact ramp-loss minimisation",
            points.dimension(),
            "1",
        ));
    }
    if points.is_empty() {
        return Err(Error::empty("the training set"));
    }
    let r = ball.r();
    let farthest = points.iter().map(|p| p.x[0].abs()).fold(0.0, f64::max);
    let limit = match ball.bias {
        BiasRule::Free => r * farthest + 1.0,
        BiasRule::Bounded(limit) => limit.get(),
        BiasRule::None => 0.0,
    };
    // Segments of the border as pairs of end points (w, b).
    let mut border = vec![[(r, -limit), (r, limit)], [(-r, -limit), (-r, limit)]];
    if let BiasRule::Bounded(_) = ball.bias {
        border.extend([[(-r, limit), (r, limit)], [(-r, -limit), (r, -limit)]]);
    }
    let mut best = f64::INFINITY;
    let mut plateaus: Vec<Plateau> = Vec::new();
    for [from, to] in border {
        let at = |t: f64| (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
        let (loss, stretches) = minimize_on_segment(points, from, to);
        if loss < best - TIE {
            best = loss;
            plateaus.clear();
        }
        if loss <= best + TIE {
            plateaus.extend(stretches.into_iter().map(|[a, b]| {
                let (a, b) = (at(a), at(b));
                Plateau {
                    weight: [a.0, b.0],
                    bias: [a.1, b.1],
                }
            }));
        }
    }
    let chosen = match teacher {
        Some(teacher) => nearest(&plateaus, teacher.weights[0], teacher.bias),
        None => widest_middle(&plateaus),
    };
    Ok(MarginModel::new(vec![chosen.0], chosen.1))
}

/// The smallest risk on the segment and the stretches [t₀, t₁] ⊆ [0, 1] on which it is attained.
fn minimize_on_segment(points: &Points, from: (f64, f64), to: (f64, f64)) -> (f64, Vec<[f64; 2]>) {
    let mut knots = vec![0.0, 1.0];
    for p in points.iter() {
        let (start, end) = (p.x[0] * from.0 + from.1, p.x[0] * to.0 + to.1);
        for level in [0.0, p.y.value()] {
            let t = (level - start) / (end - start);
            if t > 0.0 && t < 1.0 {
                knots.push(t);
            }
        }
    }
    knots.sort_by(f64::total_cmp);
    knots.dedup_by(|a, b| (*a - *b).abs() < 1e-15);
    let losses = losses_along(points, from, to, &knots);
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let mut stretches: Vec<[f64; 2]> = Vec::new();
    let mut open = false;
    for (&t, &loss) in knots.iter().zip(&losses) {
        let optimal = loss <= best + TIE;
        match stretches.last_mut() {
            Some(last) if optimal && open => last[1] = t,
            _ if optimal => stretches.push([t, t]),
            _ => {}
        }
        open = optimal;
    }
    (best, stretches)
}

/// The risk at each knot. Scores are linear in t, so between knots only sums of slopes are needed; each point changes
/// its share of them at most twice, which makes the walk O(n log n).
fn losses_along(points: &Points, from: (f64, f64), to: (f64, f64), knots: &[f64]) -> Vec<f64> {
    // Each point contributes mass·clamp(1 − m(t), 0, 1): constant, linear, constant. Add the three pieces to
    // difference arrays of (intercept, slope) over the knots.
    let mut changes = vec![(0.0, 0.0); knots.len() + 1];
    for p in points.iter() {
        let y = p.y.value();
        let start = y * (p.x[0] * from.0 + from.1);
        let slope = y * (p.x[0] * to.0 + to.1) - start;
        // The piece in force just after knot k, taken at the middle of the stretch that follows it.
        let (a, b) = ((0.0 - start) / slope, (1.0 - start) / slope);
        let (first, second) = if slope >= 0.0 { (a, b) } else { (b, a) };
        let piece = |t: f64| {
            let margin = start + slope * t;
            if margin <= 0.0 {
                (p.mass, 0.0)
            } else if margin >= 1.0 {
                (0.0, 0.0)
            } else {
                (p.mass * (1.0 - start), -p.mass * slope)
            }
        };
        let mut place = 0;
        for cut in [first, second, f64::INFINITY] {
            let end = if cut.is_nan() || cut >= 1.0 {
                knots.len()
            } else {
                knots.partition_point(|&k| k < cut - 1e-15).min(knots.len())
            };
            if end > place {
                let low = knots[place];
                let high = if end < knots.len() { knots[end] } else { 1.0 };
                let (intercept, slope) = piece((low + high) / 2.0);
                changes[place].0 += intercept;
                changes[place].1 += slope;
                changes[end].0 -= intercept;
                changes[end].1 -= slope;
                place = end;
            }
        }
    }
    let (mut intercept, mut slope) = (0.0, 0.0);
    let mut losses = Vec::with_capacity(knots.len());
    for (k, &t) in knots.iter().enumerate() {
        intercept += changes[k].0;
        slope += changes[k].1;
        losses.push(intercept + slope * t);
    }
    losses
}

fn nearest(plateaus: &[Plateau], weight: f64, bias: f64) -> (f64, f64) {
    let mut best = (f64::INFINITY, (0.0, 0.0));
    for plateau in plateaus {
        let [w0, w1] = plateau.weight;
        let [b0, b1] = plateau.bias;
        let squared = (w1 - w0).powi(2) + (b1 - b0).powi(2);
        let along = (weight - w0) * (w1 - w0) + (bias - b0) * (b1 - b0);
        let t = if squared > 0.0 {
            (along / squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let (w, b) = (w0 + t * (w1 - w0), b0 + t * (b1 - b0));
        let far = (w - weight).powi(2) + (b - bias).powi(2);
        if far < best.0 {
            best = (far, (w, b));
        }
    }
    best.1
}

fn widest_middle(plateaus: &[Plateau]) -> (f64, f64) {
    let mut best = (-1.0, (0.0, 0.0));
    for plateau in plateaus {
        let [w0, w1] = plateau.weight;
        let [b0, b1] = plateau.bias;
        let width = (w1 - w0).abs() + (b1 - b0).abs();
        if width > best.0 {
            best = (width, ((w0 + w1) / 2.0, (b0 + b1) / 2.0));
        }
    }
    best.1
}

/// The best bias for fixed weights (in any dimension): the same walk, on the scores.
pub fn best_bias(points: &Points, weights: &[f64], ball: &NormBall) -> Result<f64> {
    let mut line = Points::new(1);
    for p in points.iter() {
        line.push(&[super::margin::dot(weights, p.x)], p.y, p.mass)?;
    }
    let farthest = line.iter().map(|p| p.x[0].abs()).fold(0.0, f64::max);
    let limit = ball.largest_bias().min(farthest + 1.0);
    let (_, stretches) = minimize_on_segment(&line, (1.0, -limit), (1.0, limit));
    let widest = stretches
        .iter()
        .max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    let [low, high] = widest.copied().unwrap_or([0.5, 0.5]);
    Ok((low + high - 1.0) * limit)
}

/// The same minimum by looking at every vertex: the plain definition that the tests compare with.
#[cfg(test)]
fn smallest_loss_by_definition(points: &Points, ball: &NormBall) -> f64 {
    use crate::loss::margin::MarginLoss;
    let r = ball.r();
    let limit = ball.largest_bias();
    // Lines p·w + q·b = c.
    let mut lines = vec![(1.0, 0.0, r), (1.0, 0.0, -r)];
    if limit.is_finite() {
        lines.extend([(0.0, 1.0, limit), (0.0, 1.0, -limit)]);
    }
    for p in points.iter() {
        for level in [0.0, p.y.value()] {
            lines.push((p.x[0], 1.0, level));
        }
    }
    let mut best = f64::INFINITY;
    for (k, &(p, q, c)) in lines.iter().enumerate() {
        for &(p2, q2, c2) in &lines[..k] {
            let determinant = p * q2 - p2 * q;
            if determinant.abs() > 1e-12 {
                let w = (c * q2 - c2 * q) / determinant;
                let b = (p * c2 - p2 * c) / determinant;
                let model = MarginModel::new(vec![w], b);
                if ball.contains(&model) {
                    best = best.min(points.loss(MarginLoss::Ramp, &model));
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::margin::Sign;
    use crate::loss::margin::MarginLoss;
    use driftline_core::data::Positive;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_walk_finds_what_all_vertices_give(
            atoms in prop::collection::vec((-24i32..24, any::<bool>(), 1u32..6), 1..7),
            radius in 1u32..5, bias in 0u32..3,
        ) {
            let mut points = Points::new(1);
            for (x, positive, mass) in atoms {
                let y = if positive { Sign::Plus } else { Sign::Minus };
                points.push(&[f64::from(x) / 8.0], y, f64::from(mass)).unwrap();
            }
            let points = points.normalized().unwrap();
            let bias = match bias {
                0 => BiasRule::Free,
                1 => BiasRule::Bounded(Positive::new(0.7).unwrap()),
                _ => BiasRule::None,
            };
            let ball = NormBall::new(Positive::new(f64::from(radius) / 2.0).unwrap(), bias);
            let right = match bias {
                BiasRule::None => {
                    let at = |w| points.loss(MarginLoss::Ramp, &MarginModel::new(vec![w], 0.0));
                    at(ball.r()).min(at(-ball.r()))
                }
                _ => smallest_loss_by_definition(&points, &ball),
            };
            for teacher in [None, Some(MarginModel::new(vec![0.3], -0.2))] {
                let model = minimize(&points, &ball, teacher.as_ref()).unwrap();
                prop_assert!(ball.contains(&model));
                let loss = points.loss(MarginLoss::Ramp, &model);
                prop_assert!((loss - right).abs() < 1e-10, "{loss} {right} {model:?}");
            }
        }
    }
}
