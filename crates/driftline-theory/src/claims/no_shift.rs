//! Proposition 3.8 on problems on the line, over every minimiser that self-training may pick.

use rand::RngExt;

use super::inequality::{Change, Family, Inequality, Instance};
use super::near_bound::doubled;
use super::random_problems::{Problem, moved};
use super::{Claim, drawn};
use crate::bounds;
use crate::population::{PopulationStage, follow_all};
use driftline_core::Result;
use driftline_core::random::{Generator, Seed};

const PROBLEMS: usize = 1_500;
const MOST_STEPS: usize = 5;

/// α₀ and T.
struct Parts {
    alpha: f64,
    steps: usize,
}

impl Parts {
    fn bound(&self, steps: usize) -> f64 {
        bounds::without_shift(self.alpha, steps).value
    }
}

const LINEAR: Inequality<Parts> = Inequality {
    bound: |p| p.bound(p.steps),
    changes: &[
        Change {
            what: "α₀ → 0.9·α₀",
            bound: |p| 0.9 * p.bound(p.steps),
        },
        // What the text of section 3.5 says.
        Change {
            what: "T + 1 → T",
            bound: |p| p.bound(p.steps - 1),
        },
    ],
};

/// A problem whose start is so good that even the bound after the last step is below 1, which a loss can exceed.
fn good_start(
    generator: &mut Generator,
    draw: impl Fn(&mut Generator) -> Result<Problem>,
    steps: usize,
) -> Result<Problem> {
    loop {
        let problem = draw(generator)?;
        let alpha = problem.after.ramp_loss(&problem.model);
        if alpha > 1e-6 && !bounds::without_shift(alpha, steps).vacuous {
            return Ok(problem);
        }
    }
}

/// The losses after each of T steps on Q, the later domain of a problem, which stays.
fn family(
    seed: Seed,
    most_steps: usize,
    draw: impl Fn(&mut Generator) -> Result<Problem> + Sync + Send,
) -> Result<Family<Parts>> {
    let repeat = |trial: usize| -> Result<Vec<Instance<Parts>>> {
        let mut generator = seed.nth(trial).generator();
        let steps = generator.random_range(1..=most_steps);
        let Problem {
            class,
            after,
            model,
            ..
        } = good_start(&mut generator, &draw, steps)?;
        let alpha = after.ramp_loss(&model);
        // P₀ = … = P_T.
        let stages = follow_all(&class, &model, &vec![after; steps])?;
        let of_stage = |(t, stage): (usize, &PopulationStage)| Instance {
            left: stage.ramp_loss.most,
            parts: Parts {
                alpha,
                steps: t + 1,
            },
        };
        Ok(stages.iter().enumerate().map(of_stage).collect())
    };
    let instances = drawn(PROBLEMS, repeat)?.into_iter().flatten().collect();
    Ok(Family::certain(instances))
}

pub fn without_shift(seed: Seed) -> Result<Claim> {
    let families = [
        family(seed.named("worst"), 2, |g| Ok(doubled(g, 1)?.problem()))?,
        family(seed.named("any"), MOST_STEPS, moved)?,
    ];
    let ratio = |i: &Instance<Parts>| i.left / i.parts.alpha;
    let all = families.iter().flat_map(|family| &family.instances);
    let growth = all.map(ratio).fold(0.0, f64::max);
    Ok(LINEAR.judge(&families).claim(
        "0 violations of α₀(T+1), some of α₀T",
        format!(
            "Without shift the unlabelled loss never rises (A.5) and each step adds at most that much (A.7), so the loss \
             grows at most linearly. Checked on all minimisers and all paths, after every step: of problems like Example \
             A.8 with R from 0.3 to 3, and of problems at random with up to {MOST_STEPS} steps, whose α₀ is so small that \
             every bound is below 1. The largest growth met was {growth:.2} times α₀. The text of section 3.5 says α₀T; \
             that is wrong at T = 1 already, where Example A.8 comes as near to 2α₀ as one likes."
        ),
    ))
}
