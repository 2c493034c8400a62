//! The strength of the L2 penalty, chosen by cross-validation on the labelled source and on nothing else.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FullBatch;
use super::softmax::{LinearLearner, LinearModel, Penalty, Solver};
use crate::data::{Examples, Folds, NonNegative};
use crate::models::loss::softmax::cross_entropy;
use crate::models::{Classifier, Learner, Runtime};
use crate::random::Seed;
use crate::{Error, Result};

/// Cross-validation over λ = 1, 10^-½, …, 10^-6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossValidation {
    pub folds: NonZeroUsize,
    /// Choose on at most so many examples, drawn at random; on all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<NonZeroUsize>,
}

impl Default for CrossValidation {
    fn default() -> Self {
        Self {
            folds: NonZeroUsize::new(5).expect("5 is not 0"),
            rows: None,
        }
    }
}

const GRID_STEPS: i32 = 12;

impl CrossValidation {
    /// The λ with the smallest cross-entropy on the folds held out; ties go to the stronger penalty.
    pub fn choose(&self, examples: &Examples, seed: Seed, runtime: &Runtime) -> Result<f64> {
        let most = self.rows.map_or(usize::MAX, NonZeroUsize::get);
        let examples = &examples.some(most, seed.named("some"));
        let folds = self.folds.get();
        if folds < 2 || folds > examples.len() {
            return Err(Error::out_of_range(
                "the number of folds",
                folds,
                format!("from 2 to the {} examples", examples.len()),
            ));
        }
        let split = Folds::new(examples.len(), folds, seed);
        let mut losses = vec![0.0; GRID_STEPS as usize + 1];
        for fold in 0..folds {
            let (kept, held_out) = split.split(fold);
            let (held_out, kept) = (examples.pick(&held_out), examples.pick(&kept));
            let mut model: Option<LinearModel> = None;
            for power in 0..losses.len() {
                let solver = Solver::FullBatch(FullBatch::default());
                let penalty = Penalty::L2(NonNegative::new(lambda(power))?);
                let learner = LinearLearner::new(solver, penalty).with_runtime(runtime);
                // The solution for a stronger penalty is a good start for the next one.
                let next = match &model {
                    Some(start) => learner.refit(start, &kept, seed),
                    None => learner.fit(&kept, seed),
                };
                let next = match next {
                    // A penalty too weak for the solver is too weak to be chosen, and so is every weaker one.
                    Err(Error::NotConverged { .. }) if model.is_some() => {
                        losses[power..].fill(f64::INFINITY);
                        break;
                    }
                    other => other?,
                };
                losses[power] += held_out_loss(&next, &held_out)?;
                model = Some(next);
            }
        }
        let mut best = 0;
        for (power, loss) in losses.iter().enumerate() {
            if *loss < losses[best] {
                best = power;
            }
        }
        Ok(lambda(best))
    }
}

fn lambda(power: usize) -> f64 {
    libm::pow(10.0, -(power as f64) / 2.0)
}

fn held_out_loss(model: &LinearModel, examples: &Examples) -> Result<f64> {
    let probabilities = model.probabilities(examples.inputs())?;
    let mut target = vec![0.0; examples.n_classes()];
    let mut sum = 0.0;
    for (row, p) in probabilities.iter().enumerate() {
        examples.targets().write_row(row, &mut target);
        sum += f64::from(examples.weight(row)) * cross_entropy(p, &target);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::data::{Inputs, Labels, Shape, Targets};

    /// Two classes apart by `signal` in every coordinate, with noise in [−1, 1].
    fn examples(n: usize, signal: f32) -> Examples {
        let mut generator = Seed::new(6).generator();
        let labels: Vec<u32> = (0..n).map(|_| generator.random_range(0..2)).collect();
        let mut values = Vec::new();
        for &label in &labels {
            for _ in 0..20 {
                values.push(label as f32 * signal + generator.random_range(-1.0_f32..1.0));
            }
        }
        let inputs = Inputs::new(values, Shape::Vector(20)).unwrap();
        Examples::new(inputs, Targets::Hard(Labels::new(labels, 2).unwrap())).unwrap()
    }

    fn choose(search: &CrossValidation, examples: &Examples) -> Result<f64> {
        search.choose(examples, Seed::new(1), &Runtime::default())
    }

    #[test]
    fn noise_asks_for_a_strong_penalty_and_a_clear_signal_for_a_weak_one() {
        let search = CrossValidation::default();
        let noise = choose(&search, &examples(60, 0.0)).unwrap();
        let signal = choose(&search, &examples(60, 1.0)).unwrap();
        assert!(noise >= 0.3, "{noise}");
        assert!(signal <= 0.01, "{signal}");
    }

    #[test]
    fn only_the_given_examples_count() {
        let all = examples(120, 0.3);
        let window: Vec<usize> = (20..80).collect();
        let search = CrossValidation::default();
        let inputs = all.inputs().pick(&window);
        let alone = Inputs::new(inputs.contiguous().into_owned(), inputs.shape()).unwrap();
        let alone = Examples::new(alone, all.pick(&window).targets().clone()).unwrap();
        assert_eq!(
            choose(&search, &all.pick(&window)).unwrap(),
            choose(&search, &alone).unwrap()
        );
    }

    #[test]
    fn folds_must_divide_the_examples_in_at_least_two_parts() {
        for folds in [1, 11] {
            let search = CrossValidation {
                folds: NonZeroUsize::new(folds).unwrap(),
                rows: None,
            };
            assert!(choose(&search, &examples(10, 1.0)).is_err(), "{folds}");
        }
    }
}
