//! Proposition 3.8 on random problems, over every minimiser that self-training may pick.

use rand::RngExt;

use super::random_problems::{Problem, moved};
use super::{Claim, Telling, drawn};
use crate::bounds;
use crate::population::follow_all;
use driftline_core::Result;
use driftline_core::random::{Generator, Seed};
use driftline_models::linear::NormBall;

const PROBLEMS: usize = 4_000;
const MOST_STEPS: usize = 5;
const ROUNDING: f64 = 1e-9;

/// One problem after T steps: the worst loss over all minimisers and paths, beside α₀.
struct Reached {
    steps: usize,
    alpha: f64,
    worst: f64,
}

impl Reached {
    fn bound(&self) -> f64 {
        bounds::without_shift(self.alpha, self.steps).value
    }

    fn exceeds(&self, bound: f64) -> bool {
        self.worst > bound + ROUNDING
    }
}

/// A problem whose start is so good that even the bound after the last step is below 1, which a loss can exceed.
fn good_start(generator: &mut Generator, steps: usize) -> Result<Problem> {
    loop {
        let problem = moved(generator)?;
        let alpha = problem.before.ramp_loss(&problem.model);
        if alpha > 1e-6 && !bounds::without_shift(alpha, steps).vacuous {
            return Ok(problem);
        }
    }
}

fn repeat(seed: Seed) -> Result<Vec<Reached>> {
    let mut generator = seed.generator();
    let steps = generator.random_range(1..=MOST_STEPS);
    let Problem { before, model, .. } = good_start(&mut generator, steps)?;
    let alpha = before.ramp_loss(&model);
    // P₀ = … = P_T.
    let stages = follow_all(&NormBall::unit(), &model, &vec![before; steps])?;
    let reached = |(t, stage): (usize, &crate::population::PopulationStage)| Reached {
        steps: t + 1,
        alpha,
        worst: stage.ramp_loss.most,
    };
    Ok(stages.iter().enumerate().map(reached).collect())
}

pub fn without_shift(seed: Seed) -> Result<Claim> {
    let all = drawn(PROBLEMS, |trial| repeat(seed.nth(trial)))?;
    let reached: Vec<Reached> = all.into_iter().flatten().collect();
    let telling = Telling {
        bounds: reached.iter().filter(|r| r.bound() < 1.0).count(),
        of: reached.len(),
    };
    let broken = reached.iter().filter(|r| r.exceeds(r.bound())).count();
    // The text's α₀T, one α₀ less: what it takes for the count to rise.
    let text = |r: &&Reached| r.exceeds(r.alpha * r.steps as f64);
    let text_broken = reached.iter().filter(text).count();
    let growth = reached
        .iter()
        .map(|r| r.worst / r.alpha)
        .fold(0.0, f64::max);
    Ok(Claim {
        predicted: "0 violations of α₀(T+1), some of α₀T".into(),
        computed: format!("{telling}: {broken} violations of α₀(T+1), {text_broken} of α₀T"),
        holds: broken == 0 && text_broken > 0 && telling.bounds == telling.of,
        explanation: format!(
            "Without shift the unlabelled loss never rises (A.5) and each step adds at most that much (A.7), so the loss \
             grows at most linearly. Checked on all minimisers and all paths, after every one of up to {MOST_STEPS} steps \
             of {PROBLEMS} random problems whose α₀ is so small that every bound is below 1. The largest growth met was \
             {growth:.2} times α₀. The text of section 3.5 says α₀T; that is wrong at T = 1 already, where Example A.8 \
             comes as near to 2α₀ as one likes."
        ),
        telling: Some(telling),
        ..Claim::default()
    })
}
