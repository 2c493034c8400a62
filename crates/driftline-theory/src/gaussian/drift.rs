//! Drifting mixtures, and the sequence w₁, …, w_T that follows them (Theorem 4.1).

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::mixture::Mixture;
use super::step::constrained_step;
use super::{minus, unit};
use driftline_core::Result;
use driftline_core::random::{Generator, Seed};
use driftline_models::linear::margin::{dot, norm};
use driftline_models::loss::margin::MarginLoss;

/// P₀, …, P_T with a start w₀.
#[derive(Clone, Debug)]
pub struct Drift {
    pub domains: Vec<Mixture>,
    pub start: Vec<f64>,
}

/// One step of the sequence.
#[derive(Clone, Debug)]
pub struct Followed {
    /// ‖w_t − w*(μ_t)‖.
    pub off: f64,
    /// How much more often w_t errs than w*(μ_t).
    pub excess_error: f64,
}

/// w_t = argmin over ‖w‖ ≤ 1, ‖w − w_{t−1}‖ ≤ ½ of U(w, P_t).
pub fn follow(drift: &Drift, loss: MarginLoss) -> Result<Vec<Followed>> {
    let mut w = drift.start.clone();
    let mut sequence = Vec::new();
    for mixture in drift.domains.iter().skip(1) {
        w = constrained_step(mixture.under(loss), &w)?;
        let best = mixture.best_direction();
        sequence.push(Followed {
            off: norm(&minus(&w, &best)),
            excess_error: mixture.error(&w) - mixture.error(&best),
        });
    }
    Ok(sequence)
}

/// Independent standard normal numbers.
pub fn normal_vector(generator: &mut Generator, dimension: usize) -> Vec<f64> {
    let normal = (0..dimension).map(|_| StandardNormal.sample(generator));
    normal.collect()
}

impl Drift {
    /// A random drift that meets every assumption with equality or nearly so: ‖μ_t‖ ≥ B, steps of B/4 that keep turning,
    /// spreads from tiny (where U underflows) to wide, and a start at distance ¼ from the best.
    pub fn within_assumptions(dimension: usize, steps: usize, b: f64, seed: Seed) -> Drift {
        let mut generator = seed.generator();
        let unit = |generator: &mut Generator| unit(&normal_vector(generator, dimension));
        let mut mean: Vec<f64> = unit(&mut generator).iter().map(|x| x * b * 1.01).collect();
        let mut heading = unit(&mut generator);
        let mut domains = Vec::new();
        for t in 0..=steps {
            let spread: f64 = generator.random_range(-3.0..1.0);
            domains.push(Mixture {
                mean: mean.clone(),
                sigma: b * libm::exp(spread),
            });
            if t == steps {
                break;
            }
            // Turn: keep the heading tangential, with a little noise, and step just outside the ball of radius B.
            let noise = unit(&mut generator);
            heading
                .iter_mut()
                .zip(&noise)
                .for_each(|(h, n)| *h += 0.3 * n);
            let radial = dot(&heading, &mean) / dot(&mean, &mean);
            heading
                .iter_mut()
                .zip(&mean)
                .for_each(|(h, m)| *h -= radial * m);
            let length = norm(&heading).max(f64::MIN_POSITIVE);
            heading.iter_mut().for_each(|h| *h /= length);
            let pull = if norm(&mean) > 1.3 * b { 0.01 } else { 0.0 };
            let stride = 0.24 * b;
            for (m, h) in mean.iter_mut().zip(&heading) {
                *m += stride * h - pull * *m;
            }
        }
        let best = domains[0].best_direction();
        let aside = unit(&mut generator);
        let mut start: Vec<f64> = best.iter().zip(&aside).map(|(b, a)| b + 0.25 * a).collect();
        // Pulling the start back into the unit ball cannot take it farther from the best, which is in the ball.
        let length = norm(&start).max(1.0);
        start.iter_mut().for_each(|s| *s /= length);
        Drift { domains, start }
    }

    /// The largest ‖μ_{t+1} − μ_t‖ and the smallest ‖μ_t‖.
    pub fn extremes(&self) -> (f64, f64) {
        let apart = |pair: &[Mixture]| norm(&minus(&pair[1].mean, &pair[0].mean));
        let jump = self.domains.windows(2).map(apart).fold(0.0, f64::max);
        let lengths = self.domains.iter().map(|m| norm(&m.mean));
        (jump, lengths.fold(f64::INFINITY, f64::min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_drifts_meet_the_assumptions_and_turn_around() {
        for dimension in [2, 10, 100] {
            let drift = Drift::within_assumptions(dimension, 50, 1.0, Seed::new(1).nth(dimension));
            let (jump, nearest) = drift.extremes();
            assert!(jump <= 0.25 && nearest >= 1.0, "{jump} {nearest}");
            let best = drift.domains[0].best_direction();
            let gap: Vec<f64> = drift.start.iter().zip(&best).map(|(a, b)| a - b).collect();
            assert!(norm(&gap) <= 0.25 + 1e-12 && norm(&drift.start) <= 1.0 + 1e-12);
            // Some later direction is more than a right angle away from the first.
            let turned = drift
                .domains
                .iter()
                .any(|m| dot(&m.best_direction(), &best) < 0.0);
            assert!(turned, "dimension {dimension}");
        }
    }

    #[test]
    fn the_direction_is_followed() {
        let drift = Drift::within_assumptions(5, 20, 2.0, Seed::new(4));
        for loss in MarginLoss::ALL {
            for (t, step) in follow(&drift, loss).unwrap().iter().enumerate() {
                assert!(step.off < 1e-6, "{loss:?} step {t}: {:e}", step.off);
            }
        }
    }
}
