//! Section 5.3: the same source and target, reached by rotating the points or by mixing the two ends. Only the first is
//! gradual in W∞; only the second is in total variation.

use super::picture::{Panel, Picture};
use super::{Claim, near};
use crate::atoms::{Atoms, on_circle};
use crate::population::self_train;
use crate::shift;
use driftline_core::Result;
use driftline_core::random::Seed;
use driftline_drift::transport::{Order, kullback_leibler, total_variation, wasserstein};
use driftline_models::linear::points::Points;
use driftline_models::linear::{MarginLearner, MarginModel, NormBall, Sign};
use driftline_models::loss::margin::MarginLoss;

const STEPS: usize = 20;
const TURN: f64 = 110.0;

/// Two classes of five atoms, turned by an angle.
fn turned(degrees: f64) -> Result<Atoms> {
    let mut points = Points::new(2);
    for (y, side) in [(Sign::Plus, 90.0), (Sign::Minus, 270.0)] {
        for k in 0..5 {
            let aside = 6.0 * (f64::from(k) - 2.0);
            let radius = 1.4 + 0.15 * f64::from(k % 2);
            points.push(&on_circle(radius, side + aside - degrees), y, 1.0)?;
        }
    }
    Atoms::new(&points)
}

/// A share of `late` of the target, the rest from the source.
fn mixed(late: f64) -> Result<Atoms> {
    let mut points = Points::new(2);
    for (domain, share) in [(turned(0.0)?, 1.0 - late), (turned(TURN)?, late)] {
        for p in domain.iter().filter(|_| share > 0.0) {
            points.push(p.x, p.y, p.mass * share)?;
        }
    }
    Atoms::new(&points)
}

/// The largest distances between neighbours, and where gradual self-training ends.
struct Stream {
    w_infinity: f64,
    variation: f64,
    divergence: f64,
    w_one: f64,
    error: f64,
    model: MarginModel,
}

fn measure(domains: &[Atoms], start: &MarginModel, seed: Seed) -> Result<Stream> {
    let learner = MarginLearner::new(MarginLoss::Ramp, NormBall::unit());
    let mut model = start.clone();
    for (t, domain) in domains.iter().enumerate().skip(1) {
        model = self_train(&learner, &model, domain, seed.nth(t))?;
    }
    let mut stream = Stream {
        w_infinity: shift::largest_step(domains)?,
        variation: 0.0,
        divergence: 0.0,
        w_one: 0.0,
        error: domains[domains.len() - 1].error(&model),
        model,
    };
    for pair in domains.windows(2) {
        let (p, q) = (pair[0].inputs()?, pair[1].inputs()?);
        stream.variation = stream.variation.max(total_variation(&p, &q)?);
        stream.divergence = stream.divergence.max(kullback_leibler(&p, &q)?);
        stream.w_one = stream.w_one.max(wasserstein(Order::One, &p, &q)?);
    }
    Ok(stream)
}

pub fn streams(seed: Seed) -> Result<Claim> {
    let share = |t: usize| t as f64 / STEPS as f64;
    let rotating: Vec<Atoms> = (0..=STEPS)
        .map(|t| turned(TURN * share(t)))
        .collect::<Result<_>>()?;
    let mixing: Vec<Atoms> = (0..=STEPS)
        .map(|t| mixed(share(t)))
        .collect::<Result<_>>()?;
    let start = MarginModel::new(vec![0.0, 1.0], 0.0);
    let by_turning = measure(&rotating, &start, seed.named("rotating"))?;
    let by_mixing = measure(&mixing, &start, seed.named("mixing"))?;
    let holds = by_turning.w_infinity < 1.0
        && near(by_turning.variation, 1.0)
        && by_mixing.w_infinity > 1.0
        && near(by_mixing.variation, 1.0 / STEPS as f64)
        && near(by_turning.error, 0.0)
        && by_mixing.error > 0.5;
    let line = |name: &str, s: &Stream| {
        format!(
            "{name}: W∞ {:.2}, TV {:.2}, error {:.2}",
            s.w_infinity, s.variation, s.error
        )
    };
    let panels = vec![
        Panel::new(
            "rotating, halfway",
            &rotating[STEPS / 2],
            &[("source", &start)],
        ),
        Panel::new("mixing, halfway", &mixing[STEPS / 2], &[("source", &start)]),
        Panel::new(
            "target",
            &rotating[STEPS],
            &[
                ("by rotating", &by_turning.model),
                ("by mixing", &by_mixing.model),
            ],
        ),
    ];
    Ok(Claim {
        predicted: "rotating: W∞ < 1/R, TV 1, error 0; mixing: W∞ > 1/R, TV 1/20, fails".into(),
        computed: format!(
            "{}; {}",
            line("rotating", &by_turning),
            line("mixing", &by_mixing)
        ),
        holds,
        explanation: format!(
            "From the same source to the same target ({TURN}° away) in {STEPS} steps. Turning every point a little has \
             total variation 1 (the supports never meet; KL is {}) and W∞ = {:.3}; replacing 1/{STEPS} of the source by \
             target has total variation 1/{STEPS}, KL {}, and W∞ = {:.3}, because the replaced mass has to jump. W₁ is \
             small for both ({:.3} and {:.3}): averages do not tell. Gradual self-training needs small W∞.",
            by_turning.divergence,
            by_turning.w_infinity,
            by_mixing.divergence,
            by_mixing.w_infinity,
            by_turning.w_one,
            by_mixing.w_one
        ),
        picture: Some(Picture::Domains(panels)),
        ..Claim::default()
    })
}
