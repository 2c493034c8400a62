//! Example 3.1 with real samples: noise around the atoms, finite windows, and the library's own self-training.

use std::num::NonZeroUsize;

use super::picture::{Panel, Picture};
use super::{Claim, near};
use crate::atoms::Atoms;
use crate::constructions::baselines_fail;
use driftline_adapt::{
    Candidate, Engine, Gradual, MemoryWindows, OptimizerState, Pooled, SourceOnly, TargetOnly,
};
use driftline_core::Result;
use driftline_core::data::{Fraction, Stream, Tail, Task, Windowing};
use driftline_core::random::Seed;
use driftline_models::evaluate::accuracy;
use driftline_models::linear::MarginLearner;
use driftline_models::loss::margin::MarginLoss;
use driftline_models::{AnyModel, Classifier};

const PER_DOMAIN: NonZeroUsize = NonZeroUsize::new(300).expect("300 is not 0");
const NOISE: f64 = 0.05;
const TRIALS: usize = 5;

pub fn widened(seed: Seed) -> Result<Claim> {
    let example = baselines_fail::printed()?;
    let start = &example.start;
    let learner = || MarginLearner::new(MarginLoss::Ramp, example.class);
    let (all, once) = (Fraction::new(0.0)?, NonZeroUsize::MIN);
    let windowing = Windowing::Size(PER_DOMAIN, Tail::Forbid);
    let candidates = [
        Candidate::paper(learner(), SourceOnly::new(), all),
        Candidate::paper(learner(), TargetOnly::new(once), all),
        Candidate::paper(learner(), Pooled::new(once), all),
        Candidate::paper(learner(), Gradual::new(windowing), all),
    ]
    .map(|candidate| candidate.with_optimizer_state(OptimizerState::Fresh));
    let mut errors: [Vec<f64>; 4] = Default::default();
    let mut picture = None;
    for trial in 0..TRIALS {
        let seed = seed.nth(trial);
        let draw = |t: usize, name: &str| {
            example.domains[t].sample(PER_DOMAIN.get(), NOISE, seed.named(name).nth(t))
        };
        let (first, second, scored) = (draw(1, "pool")?, draw(2, "pool")?, draw(2, "scored")?);
        let task = Task {
            source: draw(0, "source")?,
            intermediate: Stream::new(first.inputs().followed_by(second.inputs())?),
            target_pool: second.unlabeled().into(),
        };
        let mut models = Vec::new();
        for (candidate, errors) in candidates.iter().zip(&mut errors) {
            let mut stream = MemoryWindows::of_task(&task, candidate.curriculum.windowing())?;
            let first = AnyModel::new("margin", start.clone());
            let adapted = Engine::new(candidate.clone(), first, seed).finish(&mut stream)?;
            errors.push(1.0 - accuracy(&adapted, &scored)?);
            models.push(adapted.margin().unwrap_or_else(|| start.clone()));
        }
        if picture.is_none() {
            let few = Atoms::from_sample(&scored.slice(0..60))?;
            let named = [
                ("source", start),
                ("target ST", &models[1]),
                ("gradual ST", &models[3]),
            ];
            picture = Some(Picture::Domains(vec![Panel::new(
                "P2, sampled",
                &few,
                &named,
            )]));
        }
    }
    let [source, target, pooled, gradual] = &errors;
    let every = |errors: &[f64], value: f64| errors.iter().all(|&error| near(error, value));
    let shown = |errors: &[f64]| {
        let texts: Vec<String> = errors.iter().map(|error| format!("{error:.2}")).collect();
        texts.join(" ")
    };
    Ok(Claim {
        predicted: "error on P₂: source 1, target ST 1, gradual ST 0".into(),
        computed: format!(
            "source {}, target ST {}, gradual ST {}",
            shown(source),
            shown(target),
            shown(gradual)
        ),
        holds: every(source, 1.0) && every(target, 1.0) && every(gradual, 0.0),
        explanation: format!(
            "{TRIALS} draws of {PER_DOMAIN} examples per domain, each coordinate moved by up to {NOISE}; θ₀ = ((0, 1), 0) \
             is given, the ramp learner self-trains without a filter, and other examples of P₂ are scored. \
             Self-training on both domains pooled came to error {}: its problem has minimisers of error 0, ½ and 1, so \
             it is reported and nothing is claimed.",
            shown(pooled)
        ),
        picture,
        ..Claim::default()
    })
}
