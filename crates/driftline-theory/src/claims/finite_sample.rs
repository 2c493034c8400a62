//! Lemma A.1 on random distributions: what a finite sample costs at most.

use super::random_problems::cloud;
use super::{Claim, Telling, drawn};
use crate::atoms::Atoms;
use crate::bounds::{self, Sampling};
use driftline_core::Result;
use driftline_core::data::Positive;
use driftline_core::random::Seed;
use driftline_models::linear::{BiasRule, MarginLearner, MarginModel, NormBall};
use driftline_models::loss::margin::MarginLoss;

const DELTA: f64 = 0.1;
const DRAWS: usize = 400;
/// So large that the bound is mostly below what a bad sample could cost; at 40 it is above 1.
const SIZES: [usize; 3] = [400, 1_600, 6_400];

/// One sample: what training on it lost against the best of the class, and the bound on that.
struct Draw {
    excess: f64,
    bound: f64,
    /// What the best model turned around would lose: the bound can fail if that is more.
    possible: f64,
}

fn draw(learner: &MarginLearner, class: &NormBall, n: usize, seed: Seed) -> Result<Draw> {
    let p = cloud(&mut seed.named("p").generator(), 8, 1)?;
    let sample = Atoms::from_sample(&p.sample(n, 0.0, seed.named("sample"))?)?;
    let trained = learner.minimize(sample.points(), None, seed)?;
    let best = learner.minimize(p.points(), None, seed)?;
    let turned = MarginModel::new(best.weights.iter().map(|w| -w).collect(), -best.bias);
    let sampling = Sampling {
        n,
        delta: DELTA,
        b: p.second_moment().sqrt(),
    };
    let least = p.ramp_loss(&best);
    Ok(Draw {
        excess: p.ramp_loss(&trained) - least,
        bound: bounds::finite_sample(class, &sampling),
        possible: p.ramp_loss(&turned) - least,
    })
}

pub fn finite_sample(seed: Seed) -> Result<Claim> {
    let one = Positive::new(1.0)?;
    let mut draws = Vec::new();
    for (k, rule) in [BiasRule::None, BiasRule::Bounded(one)]
        .into_iter()
        .enumerate()
    {
        let class = NormBall::unit().with_bias(rule);
        let learner = MarginLearner::new(MarginLoss::Ramp, class);
        for (j, n) in SIZES.into_iter().enumerate() {
            let seed = seed.nth(k).nth(j);
            draws.extend(drawn(DRAWS, |trial| {
                draw(&learner, &class, n, seed.nth(trial))
            })?);
        }
    }
    let telling = Telling {
        bounds: draws.iter().filter(|d| d.possible > d.bound).count(),
        of: draws.len(),
    };
    let violations = draws.iter().filter(|d| d.excess > d.bound).count();
    let closest = draws.iter().map(|d| d.excess / d.bound).fold(0.0, f64::max);
    Ok(Claim {
        predicted: format!("violated in at most {:.0} % of the draws", 100.0 * DELTA),
        computed: format!(
            "{telling}: {violations} violations; the excess reaches {:.0} % of the bound",
            100.0 * closest
        ),
        // Draws that cannot violate it must not water down the share of those that do.
        holds: violations as f64 <= DELTA * telling.bounds as f64
            && 2 * telling.bounds > telling.of,
        explanation: format!(
            "A classifier trained on n examples is nearly as good as the best of its class. Random distributions on the \
             line, samples of {}, exact minimisers of the ramp loss for sample and population, δ = {DELTA}. A draw is \
             telling if a model of the class, the best one turned around, loses more than the bound. The printed lemma \
             takes the complexity of the class to be BR/√n, which leaves out the bias: it holds for b = 0 and, with the \
             limit of |b| added to BR, for a bounded bias; both are checked. A free bias can be folded into the weights, \
             with B² + 1 for B².",
            SIZES.map(|n| n.to_string()).join(", ")
        ),
        telling: Some(telling),
        ..Claim::default()
    })
}
