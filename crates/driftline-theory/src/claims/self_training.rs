//! Theorem 4.1 with self-training in place of the constrained minimum: whether iterating ST(w, P) reaches w*.

use rayon::prelude::*;

use super::Claim;
use super::picture::{Curve, Picture};
use crate::gaussian::{Drift, Mixture, minus, self_train_on};
use driftline_core::Result;
use driftline_core::random::Seed;
use driftline_models::linear::margin::norm;
use driftline_models::loss::margin::MarginLoss;

/// σ/‖μ‖ from classes that hardly touch to classes that overlap more than not.
const SPREADS: [f64; 3] = [0.3, 1.0, 2.7];
/// Sizes of ‖μ‖: how much of the data lies within the margin depends on it.
const SIZES: [f64; 2] = [0.5, 2.0];
/// Steps that are followed, unless the distance is gone before.
const ITERATIONS: usize = 60;
const GONE: f64 = 1e-4;
/// Every step must shrink the distance to less than this share of it; the slowest case here comes to 0.998.
const SHRINKS: f64 = 0.999;
/// Domains of the drift, its σ/B, and how many steps each domain gets.
const DOMAINS: usize = 20;
const OVERLAPPING: f64 = 1.0;
const APART: f64 = 0.3;
const STEPS_EACH: [usize; 3] = [1, 5, 20];

/// Distances from w* on one fixed domain, from ¼ on.
fn iterate(mixture: &Mixture, loss: MarginLoss) -> Result<Vec<f64>> {
    let best = mixture.best_direction();
    // A unit vector at distance ¼: the angle is 2·asin(1/8).
    let angle = 2.0 * libm::asin(0.125);
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let mut w = vec![cos * best[0] - sin * best[1], sin * best[0] + cos * best[1]];
    let mut distances = vec![norm(&minus(&w, &best))];
    for _ in 0..ITERATIONS {
        w = self_train_on(mixture, loss, &w)?;
        distances.push(norm(&minus(&w, &best)));
        if distances[distances.len() - 1] < GONE {
            break;
        }
    }
    Ok(distances)
}

/// The largest distance from w* along means that turn by B/4 a step with σ = `spread`·B.
fn along(spread: f64, steps: usize, loss: MarginLoss) -> Result<f64> {
    let mut drift = Drift::within_assumptions(2, DOMAINS, 1.0, Seed::new(0).named("drift"));
    for domain in &mut drift.domains {
        domain.sigma = spread * norm(&domain.mean);
    }
    let mut w = drift.start;
    let mut farthest: f64 = 0.0;
    for domain in &drift.domains[1..] {
        for _ in 0..steps {
            w = self_train_on(domain, loss, &w)?;
        }
        farthest = farthest.max(norm(&minus(&w, &domain.best_direction())));
    }
    Ok(farthest)
}

pub fn reaches(_: Seed) -> Result<Claim> {
    let mut cases = Vec::new();
    for spread in SPREADS {
        for size in SIZES {
            cases.extend(MarginLoss::ALL.map(|loss| (spread, size, loss)));
        }
    }
    let fixed = |&(spread, size, loss): &(f64, f64, MarginLoss)| -> Result<Vec<f64>> {
        let mixture = Mixture {
            mean: vec![0.6 * size, 0.8 * size],
            sigma: spread * size,
        };
        iterate(&mixture, loss)
    };
    let fixed: Vec<Vec<f64>> = cases.par_iter().map(fixed).collect::<Result<_>>()?;
    let reached = fixed.iter().filter(|d| d[d.len() - 1] < GONE).count();
    let ratios = fixed
        .iter()
        .flat_map(|d| d.windows(2).map(|pair| pair[1] / pair[0]));
    let slowest = ratios.fold(0.0, f64::max);
    let followed = |spread: f64| -> Result<Vec<f64>> {
        let of = |steps: &usize| along(spread, *steps, MarginLoss::Ramp);
        STEPS_EACH.iter().map(of).collect()
    };
    let (apart, overlapping) = (followed(APART)?, followed(OVERLAPPING)?);
    let curve = |(index, &(spread, _, _)): (usize, &(f64, f64, MarginLoss))| Curve {
        name: format!("σ = {spread}·‖μ‖"),
        points: fixed[index]
            .iter()
            .take(41)
            .enumerate()
            .map(|(k, &distance)| (k as f64, distance))
            .collect(),
    };
    let shown = cases.iter().enumerate();
    let shown = shown.filter(|(_, c)| c.1 == SIZES[1] && c.2 == MarginLoss::Ramp);
    Ok(Claim {
        predicted: "on a fixed domain every step comes nearer; a drift needs enough steps a domain"
            .into(),
        computed: format!(
            "{} cases: each step leaves at most {slowest:.4} of the distance, {reached} below {GONE:.0e} after \
             {ITERATIONS}; drift with σ = B: {:.2}, {:.0e} and {:.0e} off with {STEPS_EACH:?} steps a domain",
            cases.len(),
            overlapping[0],
            overlapping[1],
            overlapping[2],
        ),
        holds: slowest < SHRINKS
            && apart[0] < 0.01
            && overlapping[0] > 0.5
            && overlapping[2] < 1e-3,
        explanation: format!(
            "The theorem is about constrained minima of U; the paper leaves open whether self-training finds them. In the \
             plane, where ST(w, P) is an integral, the student turns towards μ at every step, from a quarter off, for all \
             three losses, σ from 0.3 to 2.7 times ‖μ‖ and ‖μ‖ = 0.5 and 2: the distance shrinks by a factor that stays \
             below 1, so iterating reaches w*. One step does not, and the factor is near 1 where classes overlap. So with \
             means that turn by B/4 a domain and one step each (ramp loss), the distance stays below {:.0e} for σ = 0.3·B, \
             but for σ = B it grows to {:.2}; five steps keep it below {:.2}. The theorem's sequence has 0. A proof, or \
             more dimensions, are not claimed.",
            apart[0], overlapping[0], overlapping[1]
        ),
        picture: Some(Picture::Curves {
            horizontal: "steps of self-training".into(),
            vertical: "distance from w*, ramp loss".into(),
            curves: shown.map(curve).collect(),
        }),
        ..Claim::default()
    })
}
