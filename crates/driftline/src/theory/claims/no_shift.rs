//! Proposition 3.8 on random problems, over every minimiser that self-training may pick.

use rand::RngExt;
use rayon::prelude::*;

use super::random_problems::{Problem, moved};
use super::{Outcome, Telling};
use crate::Result;
use crate::models::linear::NormBall;
use crate::random::{Generator, Seed};
use crate::theory::bounds;
use crate::theory::constructions::no_shift::repeated;
use crate::theory::population::follow_all;

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
    let class = NormBall::unit();
    let mut generator = seed.generator();
    let steps = generator.random_range(1..=MOST_STEPS);
    let problem = good_start(&mut generator, steps)?;
    let again = repeated(&problem.before, problem.model, class, steps);
    let alpha = again.domains[0].ramp_loss(&again.start);
    let stages = follow_all(&class, &again.start, &again.domains[1..])?;
    let reached = |(t, stage): (usize, &crate::theory::population::PopulationStage)| Reached {
        steps: t + 1,
        alpha,
        worst: stage.ramp_loss.most,
    };
    Ok(stages.iter().enumerate().map(reached).collect())
}

pub fn without_shift(seed: Seed) -> Result<Outcome> {
    let all: Vec<Vec<Reached>> = (0..PROBLEMS)
        .into_par_iter()
        .map(|trial| repeat(seed.nth(trial)))
        .collect::<Result<_>>()?;
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
    Ok(Outcome {
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
        picture: None,
    })
}
