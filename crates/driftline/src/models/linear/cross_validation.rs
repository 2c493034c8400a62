//! The strength of the L2 penalty, chosen by cross-validation on the labelled source and on nothing else.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FullBatch;
use super::softmax::{LinearLearner, LinearModel, Penalty, Solver};
use crate::data::{Examples, NonNegative};
use crate::models::loss::softmax::cross_entropy;
use crate::models::{Classifier, Learner};
use crate::random::{Seed, permutation};
use crate::{Error, Result};

/// Cross-validation over λ = 1, 10^-½, …, 10^-6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossValidation {
    pub folds: NonZeroUsize,
}

impl Default for CrossValidation {
    fn default() -> Self {
        Self {
            folds: NonZeroUsize::new(5).expect("5 is not 0"),
        }
    }
}

const GRID_STEPS: i32 = 12;

impl CrossValidation {
    /// The λ with the smallest cross-entropy on the folds held out; ties go to the stronger penalty.
    pub fn choose(&self, examples: &Examples, seed: Seed) -> Result<f64> {
        let folds = self.folds.get();
        if folds < 2 || folds > examples.len() {
            return Err(Error::out_of_range(
                "the number of folds",
                folds,
                format!("from 2 to the {} examples", examples.len()),
            ));
        }
        let order = permutation(examples.len(), seed);
        let mut losses = vec![0.0; GRID_STEPS as usize + 1];
        for fold in 0..folds {
            let (held_out, kept): (Vec<_>, Vec<_>) = order
                .iter()
                .enumerate()
                .partition(|(place, _)| place % folds == fold);
            let rows = |part: Vec<(usize, &usize)>| {
                part.into_iter().map(|(_, &row)| row).collect::<Vec<_>>()
            };
            let (held_out, kept) = (examples.pick(&rows(held_out)), examples.pick(&rows(kept)));
            let mut model: Option<LinearModel> = None;
            for power in 0..losses.len() {
                let learner = LinearLearner {
                    solver: Solver::FullBatch(FullBatch::default()),
                    penalty: Penalty::L2(NonNegative::new(lambda(power))?),
                };
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

    #[test]
    fn noise_asks_for_a_strong_penalty_and_a_clear_signal_for_a_weak_one() {
        let search = CrossValidation::default();
        let noise = search.choose(&examples(60, 0.0), Seed::new(1)).unwrap();
        let signal = search.choose(&examples(60, 1.0), Seed::new(1)).unwrap();
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
            search.choose(&all.pick(&window), Seed::new(1)).unwrap(),
            search.choose(&alone, Seed::new(1)).unwrap()
        );
    }

    #[test]
    fn folds_must_divide_the_examples_in_at_least_two_parts() {
        for folds in [1, 11] {
            let search = CrossValidation {
                folds: NonZeroUsize::new(folds).unwrap(),
            };
            assert!(
                search.choose(&examples(10, 1.0), Seed::new(0)).is_err(),
                "{folds}"
            );
        }
    }
}
