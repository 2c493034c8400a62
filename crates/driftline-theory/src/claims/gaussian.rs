//! Section 4: Theorem 4.1, what breaks it, Lemmas B.1 and B.3, and descent on U.

use rand::RngExt;
use rayon::prelude::*;

use super::inequality::{Change, Family, Inequality, Instance};
use super::near_bound::class;
use super::picture::{Curve, Picture};
use super::random_problems::{cloud, unit_model};
use super::{Claim, drawn};
use crate::atoms::on_circle;
use crate::gaussian::{Drift, Mixture, constrained_step, follow, minus, normal_vector, unit};
use crate::population::self_train;
use driftline_core::Result;
use driftline_core::random::{Generator, Seed};
use driftline_models::linear::margin::{dot, norm};
use driftline_models::linear::{BiasRule, MarginLearner};
use driftline_models::loss::margin::MarginLoss;

const STEPS: usize = 50;
const DIMENSIONS: [usize; 4] = [2, 10, 100, 1_000];

pub fn followed(seed: Seed) -> Result<Claim> {
    let mut cases = Vec::new();
    for (k, dimension) in DIMENSIONS.into_iter().enumerate() {
        for (j, b) in [1.0, 3.0].into_iter().enumerate() {
            let drift = Drift::within_assumptions(dimension, STEPS, b, seed.nth(k).nth(j));
            MarginLoss::ALL
                .iter()
                .for_each(|&loss| cases.push((dimension, b, loss, drift.clone())));
        }
    }
    let farthest = |(dimension, b, loss, drift): &(usize, f64, MarginLoss, Drift)| -> Result<_> {
        let (jump, nearest) = drift.extremes();
        let off = follow(drift, *loss)?
            .iter()
            .map(|s| s.off)
            .fold(0.0, f64::max);
        let within = jump <= b / 4.0 && nearest >= *b;
        Ok((*dimension, off, within))
    };
    let results: Vec<(usize, f64, bool)> = cases.par_iter().map(farthest).collect::<Result<_>>()?;
    let worst = |d: usize| {
        results
            .iter()
            .filter(|r| r.0 == d)
            .map(|r| r.1)
            .fold(0.0, f64::max)
    };
    let (grid_gap, mirrored, error_minimal) = against_grid(seed.named("grid"))?;
    let (outside, reach) = start_outside_the_ball();
    let holds = (outside > 1.0 && (reach - 0.5).abs() < 1e-12)
        && results.iter().all(|r| r.1 < 1e-6 && r.2)
        && grid_gap <= 1e-9
        && mirrored < 1e-12
        && error_minimal;
    let per_dimension: Vec<String> = DIMENSIONS
        .iter()
        .map(|&d| format!("d = {d}: {:.0e}", worst(d)))
        .collect();
    Ok(Claim {
        predicted: "‖w_t − w*(μ_t)‖ = 0 at each of 50 steps for ramp, hinge and logistic".into(),
        computed: format!("largest distance {}", per_dimension.join(", ")),
        holds,
        explanation: format!(
            "Means turn by B/4 a step, spreads vary between 0.05·B and 2.7·B, the start is ¼ off. Each step minimises \
             log U over ‖w‖ ≤ 1, ‖w − w_(t−1)‖ ≤ ½ by projected gradients that see U and its gradient only. U depends on \
             w through (w·μ, σ‖w‖), a one-dimensional integral, and is computed as a logarithm: for small spreads it is \
             far below 1e-308. In two dimensions no point of a fine grid is better than the solution (largest gap \
             {grid_gap:.0e}). w* minimises the 0-1 error, and −w* has the same U (difference {mirrored:.0e}), which is \
             why the search must stay near. For |score| the hinge and the ramp are the same function, so their U is \
             the same. The text of section 4.2 names the minimum w*(μ_t); it is w*(μ_(t+1)). The proof needs ‖w₀‖ ≤ 1, \
             which is not printed: with ‖w₀‖ = {outside:.4} the distance to w*(μ₁) can be exactly {reach}, so that a w of \
             the constraint may be 1 away from it, and Lemma B.3 asks for less than 1. In the unit ball it stays below ½.",
        ),
        picture: Some(around_the_circle()),
        ..Claim::default()
    })
}

/// w*(μ₀) halfway between w₀ and w*(μ₁), each ¼ away: the only start for which the proof's distances add up. ‖w₀‖ and
/// ‖w₀ − w*(μ₁)‖.
fn start_outside_the_ball() -> (f64, f64) {
    let degrees = 2.0 * libm::asin(0.125).to_degrees();
    let (first, second) = (on_circle(1.0, 0.0), on_circle(1.0, degrees));
    let start = [2.0 * first[0] - second[0], 2.0 * first[1] - second[1]];
    (norm(&start), norm(&minus(&start, &second)))
}

/// U along the unit circle for a two-dimensional mixture: two mirrored minima.
fn around_the_circle() -> Picture {
    let mixture = Mixture {
        mean: vec![1.5, 0.0],
        sigma: 0.8,
    };
    let at = |loss: MarginLoss, degrees: i32| {
        let degrees = f64::from(degrees);
        let log = mixture.log_unlabeled_loss(loss, &on_circle(1.0, degrees));
        (degrees, libm::exp(log))
    };
    let curve = |loss: MarginLoss, name: &str| Curve {
        name: name.into(),
        points: (-90..=270)
            .step_by(3)
            .map(|degrees| at(loss, degrees))
            .collect(),
    };
    Picture::Curves {
        horizontal: "angle between w and μ, degrees".into(),
        vertical: "U(w), ‖w‖ = 1".into(),
        curves: vec![
            curve(MarginLoss::Ramp, "ramp, hinge"),
            curve(MarginLoss::Logistic, "logistic"),
        ],
    }
}

/// In two dimensions: how far the best point of a grid over the lens is below the solution, how much U(−w*) differs
/// from U(w*), and whether w* has the smallest error on the grid.
fn against_grid(seed: Seed) -> Result<(f64, f64, bool)> {
    let (mut gap, mut mirrored, mut minimal): (f64, f64, bool) = (f64::NEG_INFINITY, 0.0, true);
    for trial in 0..12 {
        let mut generator = seed.nth(trial).generator();
        let angle: f64 = generator.random_range(0.0..std::f64::consts::TAU);
        let length = generator.random_range(1.0..3.0);
        let mixture = Mixture {
            mean: vec![length * libm::cos(angle), length * libm::sin(angle)],
            sigma: length * generator.random_range(0.05..1.5),
        };
        let aside: f64 = generator.random_range(-0.45..0.45);
        let previous = [libm::cos(angle + aside), libm::sin(angle + aside)];
        let best = mixture.best_direction();
        for loss in MarginLoss::ALL {
            let found = constrained_step(mixture.under(loss), &previous)?;
            let value = mixture.log_unlabeled_loss(loss, &found);
            for ring in 1..=40 {
                for spoke in 0..360 {
                    let w = on_circle(f64::from(ring) / 40.0, f64::from(spoke));
                    if norm(&minus(&w, &previous)) <= 0.5 {
                        gap = gap.max(value - mixture.log_unlabeled_loss(loss, &w));
                    }
                    minimal &= mixture.error(&best) <= mixture.error(&w) + 1e-15;
                }
            }
            let opposite: Vec<f64> = best.iter().map(|b| -b).collect();
            let both = [&best, &opposite].map(|w| mixture.log_unlabeled_loss(loss, w));
            mirrored = f64::max(mirrored, (both[0] - both[1]).abs());
        }
    }
    Ok((gap.max(0.0), mirrored, minimal))
}

fn mixture(mean: [f64; 2], sigma: f64) -> Mixture {
    Mixture {
        mean: mean.to_vec(),
        sigma,
    }
}

pub fn broken(_: Seed) -> Result<Claim> {
    let turned = |degrees: f64| on_circle(1.0, degrees);
    // B = 1 and σ = ½ throughout; after the fault the domain stays, so that the sequence can settle.
    let jump = Drift {
        domains: std::iter::once(mixture(turned(0.0), 0.5))
            .chain((0..6).map(|_| mixture(turned(120.0), 0.5)))
            .collect(),
        start: turned(0.0).to_vec(),
    };
    let through_zero = Drift {
        domains: (0..10)
            .map(|t| mixture([1.1 - 0.24 * f64::from(t), 0.0], 0.5))
            .collect(),
        start: turned(0.0).to_vec(),
    };
    let far_start = Drift {
        domains: (0..7).map(|_| mixture(turned(0.0), 0.5)).collect(),
        start: turned(110.0).to_vec(),
    };
    let cases = [
        ("jump of 1.73·B", &jump),
        ("‖μ‖ down to 0.1·B", &through_zero),
        ("w₀ at 110°", &far_start),
    ];
    let mut lines = Vec::new();
    let mut holds = true;
    for (name, drift) in cases {
        let mut most: f64 = 0.0;
        for loss in MarginLoss::ALL {
            let last = follow(drift, loss)?
                .pop()
                .map_or((0.0, 0.0), |s| (s.off, s.excess_error));
            holds &= last.0 > 1.0 && last.1 > 0.4;
            most = most.max(last.0);
        }
        lines.push(format!("{name}: {most:.2}"));
    }
    // The assumptions are sufficient, not necessary: half a right angle at once is still followed.
    let mild = Drift {
        domains: vec![mixture(turned(0.0), 0.5), mixture(turned(27.0), 0.5)],
        start: turned(0.0).to_vec(),
    };
    let still = follow(&mild, MarginLoss::Ramp)?
        .pop()
        .map_or(f64::INFINITY, |s| s.off);
    holds &= still < 1e-6 && mild.extremes().0 > 0.25;
    Ok(Claim {
        predicted: "the direction is lost: w_T near −w*(μ_T), at distance up to 2".into(),
        computed: format!("final distance: {}", lines.join("; ")),
        holds,
        explanation: "U cannot tell w from −w, so whatever takes the sequence more than a right angle away from w* makes \
                      it settle at −w*, where every decision is the wrong way round: one jump of 120° (the bound is \
                      B/4), means that pass close to 0 so that the classes swap places (each jump within B/4), or a \
                      start on the wrong side. The assumptions are sufficient, not necessary: a jump of 27° (0.47·B) is \
                      still followed."
            .into(),
        ..Claim::default()
    })
}

/// A value that nothing may exceed.
const NEVER_ABOVE: Inequality<f64> = Inequality {
    bound: |value| *value,
    changes: &[Change {
        what: "× 0.99",
        bound: |value| 0.99 * value,
    }],
};

pub fn descent(seed: Seed) -> Result<Claim> {
    let trials = 150;
    let mut families = Vec::new();
    for loss in MarginLoss::ALL {
        let steps = |trial: usize| -> Result<Vec<Instance<f64>>> {
            let seed = seed.named(loss.name()).nth(trial);
            let mut generator = seed.generator();
            let class = class(&mut generator)?.with_bias(BiasRule::None);
            let learner = MarginLearner::new(loss, class);
            let dimension = generator.random_range(1..4);
            let domain = cloud(&mut generator, 12, dimension)?;
            let mut model = unit_model(&mut generator, dimension, 0.0);
            model.weights.iter_mut().for_each(|w| *w *= class.r());
            let mut instances = Vec::new();
            for step in 0..4 {
                let before = domain.unlabeled_loss(loss, &model);
                model = self_train(&learner, &model, &domain, seed.nth(step))?;
                instances.push(Instance {
                    // The solvers of the convex losses stop within this of the minimum.
                    left: domain.unlabeled_loss(loss, &model) - 1e-8,
                    parts: before,
                });
            }
            Ok(instances)
        };
        let found = drawn(trials, steps)?.into_iter().flatten().collect();
        families.push(Family::certain(found));
    }
    Ok(NEVER_ABOVE.judge(&families).claim(
        "U(w') ≤ U(w) for ramp, hinge and logistic",
        format!(
            "U(w') ≤ L(w', labels of w) ≤ L(w, labels of w) = U(w) for every loss that does not rise with the margin: the \
             student fits the teacher's labels at least as well, and its own labels better still. Random distributions \
             in one to three dimensions, models without bias and ‖w‖ ≤ R from 0.3 to 3, {trials} × 4 steps for each loss. \
             So self-training descends on U; whether it reaches the minimum is 4.1-self-training."
        ),
    ))
}

/// ‖μ' − μ‖ and B.
const LIPSCHITZ: Inequality<(f64, f64)> = Inequality {
    bound: |(apart, b)| apart / b,
    changes: &[
        Change {
            what: "1/B → 0.9/B",
            bound: |(apart, b)| 0.9 * apart / b,
        },
        Change {
            what: "B → 1",
            bound: |(apart, _)| *apart,
        },
    ],
};

pub fn lipschitz(seed: Seed) -> Result<Claim> {
    let trials = 6_000;
    let mut generator = seed.generator();
    let mut instances = Vec::new();
    let mut proof_step_fails = 0;
    for _ in 0..trials {
        let dimension = generator.random_range(1..6);
        let b: f64 = generator.random_range(0.1..3.0);
        let outside = |generator: &mut Generator| {
            let v = normal_vector(generator, dimension);
            let near: bool = generator.random_bool(0.5);
            let length = b * if near {
                1.0
            } else {
                generator.random_range(1.0..3.0)
            };
            let scale = length / norm(&v);
            v.iter().map(|x| x * scale).collect::<Vec<f64>>()
        };
        let (mu, mut other) = (outside(&mut generator), outside(&mut generator));
        if generator.random_bool(0.5) {
            // Means that are near each other, as the theorem's are.
            let share: f64 = generator.random_range(0.01..0.5);
            other = mu
                .iter()
                .zip(&other)
                .map(|(m, o)| m + share * (o - m))
                .collect();
            let length = norm(&other).min(b);
            other.iter_mut().for_each(|x| *x *= b / length);
        }
        let apart = norm(&minus(&mu, &other));
        if apart > 1e-9 {
            instances.push(Instance {
                left: norm(&minus(&unit(&mu), &unit(&other))),
                parts: (apart, b),
            });
        }
        // The printed proof multiplies 1 − 2v·v'/‖v'‖ by ‖v'‖ ≥ 1 to bound it above; that needs it not to be negative.
        let (v, w) = (unit(&mu), other.iter().map(|x| x / b).collect::<Vec<f64>>());
        let length = norm(&w);
        let inner = dot(&v, &w);
        proof_step_fails += usize::from(1.0 - 2.0 * inner / length > length - 2.0 * inner + 1e-12);
    }
    Ok(LIPSCHITZ.judge(&[Family::certain(instances)]).claim(
        "‖w*(μ') − w*(μ)‖ ≤ ‖μ' − μ‖/B",
        format!(
            "w*(μ) = μ/‖μ‖ is, on vectors of length at least B, the projection onto the ball of radius B divided by B, \
             and projections onto convex sets do not lengthen distances. One step of the printed proof (multiplying a \
             number by ‖v'‖ ≥ 1 to bound it above) is false where the number is negative, which happened for \
             {proof_step_fails} of {trials} pairs; the lemma is true."
        ),
    ))
}

pub fn local_minimum(seed: Seed) -> Result<Claim> {
    let trials = 4_000;
    let draw = |trial: usize| -> (bool, f64) {
        let mut generator = seed.nth(trial).generator();
        let dimension = generator.random_range(2..6);
        let mean = normal_vector(&mut generator, dimension);
        let sigma = norm(&mean) * libm::exp(generator.random_range(-3.5..1.0));
        let mixture = Mixture { mean, sigma };
        let best = mixture.best_direction();
        // ‖w‖ ≤ 1 and ‖w − w*‖ < 1: rejection from around w*.
        let w = loop {
            let aside = normal_vector(&mut generator, dimension);
            let reach: f64 = generator.random_range(0.01..1.0);
            let scale = reach / norm(&aside);
            let w: Vec<f64> = best
                .iter()
                .zip(&aside)
                .map(|(b, a)| b + scale * a)
                .collect();
            if norm(&w) <= 1.0 {
                break w;
            }
        };
        let loss = MarginLoss::ALL[trial % 3];
        let [at_best, at_w] = [&best, &w].map(|w| mixture.log_unlabeled_loss(loss, w));
        (at_w > at_best, at_best)
    };
    let results: Vec<(bool, f64)> = (0..trials).into_par_iter().map(draw).collect();
    let strict = results.iter().filter(|r| r.0).count();
    let deepest = results.iter().map(|r| r.1).fold(0.0, f64::min);
    let reflected = reflection_identities(seed.named("reflection"));
    Ok(Claim {
        predicted: "U(w*) < U(w) for every other w with ‖w‖ ≤ 1, ‖w − w*‖ < 1".into(),
        computed: format!("{trials} random w: strict for {strict}"),
        holds: strict == trials && reflected,
        explanation: format!(
            "The proof pairs each point u with its mirror image u' in the bisector of w and w*: what w* gains at u it \
             loses at u', and u is the likelier of the two. (Printed: Δ(w, w*, u) = −Δ(w*, w, u') and densities with \
             1/(2σ); right: Δ(w, w*, u) = −Δ(w, w*, u') and 1/(2σ²); both checked on random points. In step 1, \
             φ(|λw·x|) ≤ φ(|w·x|), not ≥.) U is compared as a logarithm, down to e^{deepest:.0} here; as plain numbers \
             both sides would be 0."
        ),
        ..Claim::default()
    })
}

/// Δ(w, w*, u) = −Δ(w, w*, u') and p(u) > p(u') on random points of the quarter that the proof considers.
fn reflection_identities(seed: Seed) -> bool {
    let mut generator = seed.generator();
    (0..2_000).all(|trial| {
        let loss = MarginLoss::ALL[trial % 3];
        let half: f64 = generator.random_range(0.01..0.78);
        let sigma: f64 = generator.random_range(0.3..2.0);
        let length: f64 = generator.random_range(0.2..3.0);
        // The bisector is the second axis; w* leans to the right of it and w to the left.
        let best = [libm::sin(half), libm::cos(half)];
        let w = [-best[0], best[1]];
        let mean = [length * best[0], length * best[1]];
        let u = [
            generator.random_range(0.0..3.0),
            generator.random_range(0.0..3.0),
        ];
        let mirrored = [-u[0], u[1]];
        let score = |a: [f64; 2], b: [f64; 2]| (a[0] * b[0] + a[1] * b[1]).abs();
        let change = |u: [f64; 2]| loss.value(score(best, u)) - loss.value(score(w, u));
        let density = |u: [f64; 2]| {
            let square = |s: f64| (u[0] - s * mean[0]).powi(2) + (u[1] - s * mean[1]).powi(2);
            [1.0, -1.0]
                .map(|s| libm::exp(-square(s) / (2.0 * sigma * sigma)))
                .iter()
                .sum::<f64>()
        };
        (change(u) + change(mirrored)).abs() < 1e-12
            && density(u) >= density(mirrored) * (1.0 - 1e-12)
            && change(u) <= 1e-12
    })
}
