//! Example 3.1 with real samples: noise around the atoms, finite windows, a learner instead of exact populations.

use super::Outcome;
use super::picture::{Panel, Picture};
use crate::Result;
use crate::data::{Examples, Inputs, LabeledDomain, Targets};
use crate::models::linear::{MarginLearner, MarginModel};
use crate::models::loss::margin::MarginLoss;
use crate::models::{Classifier, Learner};
use crate::random::Seed;
use crate::theory::atoms::Atoms;
use crate::theory::constructions::baselines_fail;

const PER_DOMAIN: usize = 300;
const NOISE: f64 = 0.05;

/// One step of self-training on unlabelled inputs.
fn step(
    learner: &MarginLearner,
    teacher: &MarginModel,
    inputs: &Inputs,
    seed: Seed,
) -> Result<MarginModel> {
    let labels = teacher.predict(inputs)?;
    let examples = Examples::new(inputs.clone(), Targets::Hard(labels))?;
    learner.refit(teacher, &examples, seed)
}

fn error(model: &MarginModel, sample: &LabeledDomain) -> Result<f64> {
    let labels = model.predict(sample.inputs())?;
    let pairs = labels.as_slice().iter().zip(sample.labels().as_slice());
    Ok(pairs.filter(|(a, b)| a != b).count() as f64 / sample.len() as f64)
}

pub fn widened(seed: Seed) -> Result<Outcome> {
    let example = baselines_fail::printed()?;
    let learner = MarginLearner::new(MarginLoss::Ramp, example.class);
    let trials = 5;
    let (mut worst_gradual, mut best_source, mut best_target): (f64, f64, f64) = (0.0, 1.0, 1.0);
    let mut pooled = Vec::new();
    let mut picture = None;
    for trial in 0..trials {
        let seed = seed.nth(trial);
        let draw = |t: usize, name: &str| {
            example.domains[t].sample(PER_DOMAIN, NOISE, seed.named(name).nth(t))
        };
        let (first, second, scored) = (draw(1, "pool")?, draw(2, "pool")?, draw(2, "scored")?);
        let start = &example.start;
        let middle = step(&learner, start, first.inputs(), seed.nth(1))?;
        let gradual = step(&learner, &middle, second.inputs(), seed.nth(2))?;
        let direct = step(&learner, start, second.inputs(), seed.nth(3))?;
        let both = first.inputs().followed_by(second.inputs())?;
        let all = step(&learner, start, &both, seed.nth(4))?;
        worst_gradual = worst_gradual.max(error(&gradual, &scored)?);
        best_source = best_source.min(error(start, &scored)?);
        best_target = best_target.min(error(&direct, &scored)?);
        pooled.push(format!("{:.2}", error(&all, &scored)?));
        if picture.is_none() {
            let few = scored.slice(0..60);
            let models = [("source", start), ("target ST", &direct), ("gradual ST", &gradual)];
            let panel = Panel::new("P2, sampled", &Atoms::from_sample(&few)?, &models);
            picture = Some(Picture::Domains(vec![panel]));
        }
    }
    Ok(Outcome {
        predicted: "error on P₂: source 1, target ST 1, gradual ST 0".into(),
        computed: format!("{best_source:.2}, {best_target:.2}, {worst_gradual:.2}"),
        holds: best_source == 1.0 && best_target == 1.0 && worst_gradual == 0.0,
        explanation: format!(
            "{trials} draws of {PER_DOMAIN} examples per domain, each coordinate moved by up to {NOISE}; θ₀ = ((0, 1), 0) \
             is given, the ramp learner self-trains, and other examples of P₂ are scored (the least favourable draw is \
             shown). Self-training on both domains pooled came to error {}: its problem has minimisers of error 0, ½ \
             and 1, so it is reported and nothing is claimed.",
            pooled.join(", ")
        ),
        picture,
    })
}
