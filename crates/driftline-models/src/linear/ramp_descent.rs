//! Ramp-loss risk minimisation in any dimension by difference-of-convex descent from several starts.
//!
//! r(m) = h(m) − max(−m, 0) is a difference of convex functions. Each round replaces the second by its tangent: points
//! with a negative margin stop being pushed (their hinge becomes max(1, m)), and what remains is a convex problem.

use rand_distr::{Distribution, StandardNormal};

use super::barrier::{Convex, minimize};
use super::margin::{MarginModel, norm};
use super::norm_ball::{BiasRule, NormBall};
use super::points::Points;
use super::ramp_line::best_bias;
use crate::loss::margin::MarginLoss;
use driftline_core::Result;
use driftline_core::random::Seed;

const MAX_ROUNDS: usize = 50;
const TOLERANCE: f64 = 1e-9;

/// The best model found from the teacher (if any), from the hinge solution, and from `random_starts` random directions.
/// Ramp loss started from zero weights does not move, so no start is zero.
pub fn minimize_from_starts(
    points: &Points,
    ball: &NormBall,
    teacher: Option<&MarginModel>,
    random_starts: usize,
    seed: Seed,
) -> Result<MarginModel> {
    let hinge = minimize(points, Convex::Hinge, &[], ball, TOLERANCE)?.model;
    let mut starts: Vec<MarginModel> = teacher.cloned().into_iter().collect();
    starts.push(hinge);
    let mut generator = seed.named("ramp starts").generator();
    for _ in 0..random_starts {
        let direction: Vec<f64> = (0..points.dimension())
            .map(|_| StandardNormal.sample(&mut generator))
            .collect();
        let scale = ball.r() / norm(&direction).max(f64::MIN_POSITIVE);
        let weights: Vec<f64> = direction.iter().map(|v| v * scale).collect();
        let bias = best_bias(points, &weights, ball)?;
        starts.push(MarginModel::new(weights, bias));
    }
    let mut best: Option<(f64, MarginModel)> = None;
    for start in starts {
        let model = descend(points, ball, start)?;
        let loss = points.loss(MarginLoss::Ramp, &model);
        if best.as_ref().is_none_or(|(least, _)| loss < least - 1e-12) {
            best = Some((loss, model));
        }
    }
    Ok(best.expect("the hinge solution is always a start").1)
}

/// Descends from one start until the ramp risk stops falling; the result is never worse than the start in the class.
pub fn descend(points: &Points, ball: &NormBall, start: MarginModel) -> Result<MarginModel> {
    let mut current = start;
    ball.project(&mut current);
    stretch(&mut current, ball);
    let mut loss = points.loss(MarginLoss::Ramp, &current);
    for _ in 0..MAX_ROUNDS {
        if loss == 0.0 {
            break;
        }
        let wrong = |p: super::points::Point<'_>| p.y.value() * current.score(p.x) < 0.0;
        let pulls: Vec<f64> = points
            .iter()
            .map(|p| if wrong(p) { p.mass } else { 0.0 })
            .collect();
        let mut next = minimize(points, Convex::Hinge, &pulls, ball, TOLERANCE)?.model;
        stretch(&mut next, ball);
        let mut next_loss = points.loss(MarginLoss::Ramp, &next);
        let bias = best_bias(points, &next.weights, ball)?;
        let shifted = MarginModel::new(next.weights.clone(), bias);
        let shifted_loss = points.loss(MarginLoss::Ramp, &shifted);
        if shifted_loss < next_loss - 1e-12 {
            (next, next_loss) = (shifted, shifted_loss);
        }
        if next_loss >= loss - 1e-10 {
            break;
        }
        (current, loss) = (next, next_loss);
    }
    Ok(current)
}

/// Scales the model up to the border of the class, which never raises the ramp loss.
fn stretch(model: &mut MarginModel, ball: &NormBall) {
    let length = model.norm();
    if length <= 0.0 {
        return;
    }
    let mut scale = ball.r() / length;
    if ball.bias != BiasRule::Free && model.bias != 0.0 {
        scale = scale.min(ball.largest_bias() / model.bias.abs());
    }
    if scale > 1.0 {
        model.weights.iter_mut().for_each(|w| *w *= scale);
        model.bias *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::margin::Sign;
    use crate::linear::ramp_line;
    use rand::RngExt;

    /// In one dimension the exact answer is known.
    #[test]
    fn several_starts_usually_reach_the_exact_minimum_in_one_dimension() {
        let mut reached = 0;
        for trial in 0..40 {
            let mut generator = Seed::new(3).nth(trial).generator();
            let mut points = Points::new(1);
            for _ in 0..12 {
                let x: f64 = generator.random_range(-3.0..3.0);
                let y = Sign::of(x + generator.random_range(-1.5..1.5));
                points.push(&[x], y, 1.0 / 12.0).unwrap();
            }
            let ball = NormBall::unit();
            let exact = ramp_line::minimize(&points, &ball, None).unwrap();
            let found =
                minimize_from_starts(&points, &ball, None, 4, Seed::new(1).nth(trial)).unwrap();
            let (least, loss) = (
                points.loss(MarginLoss::Ramp, &exact),
                points.loss(MarginLoss::Ramp, &found),
            );
            assert!(
                loss >= least - 1e-9,
                "{loss} below the exact minimum {least}"
            );
            reached += usize::from(loss < least + 1e-7);
        }
        assert!(reached >= 36, "{reached} of 40");
    }

    #[test]
    fn an_outlier_that_ruins_the_hinge_does_not_move_the_ramp() {
        let mut points = Points::new(2);
        points.push(&[1.5, 0.0], Sign::Plus, 0.45).unwrap();
        points.push(&[-1.5, 0.0], Sign::Minus, 0.45).unwrap();
        points.push(&[-60.0, 1.0], Sign::Plus, 0.10).unwrap();
        let ball = NormBall::unit().with_bias(BiasRule::None);
        let hinge = minimize(&points, Convex::Hinge, &[], &ball, TOLERANCE)
            .unwrap()
            .model;
        let ramp = minimize_from_starts(&points, &ball, None, 4, Seed::new(0)).unwrap();
        assert!(points.loss(MarginLoss::Ramp, &hinge) > 0.4);
        assert!(points.loss(MarginLoss::Ramp, &ramp) < 0.1 + 1e-9);
    }
}
