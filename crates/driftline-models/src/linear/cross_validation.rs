//! The strength of the L2 penalty, chosen by cross-validation on the labelled source and on nothing else.

use std::num::NonZeroUsize;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::FullBatch;
use super::softmax::{LinearLearner, LinearModel, Penalty, Solver};
use crate::loss::softmax::cross_entropy;
use crate::{Classifier, Learner, Runtime};
use driftline_core::data::{Examples, Folds, NonNegative, Positive};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Cross-validation over λ = 1, 10^-½, …, down to `least`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CrossValidation {
    pub folds: NonZeroUsize,
    /// Choose on at most this many examples, drawn at random; on all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<NonZeroUsize>,
    /// The weakest penalty that is tried; 10^-6 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<Positive>,
}

impl Default for CrossValidation {
    fn default() -> Self {
        Self {
            folds: NonZeroUsize::new(5).expect("5 is not 0"),
            rows: None,
            least: None,
        }
    }
}

const GRID_STEPS: usize = 12;
/// After this many penalties in a row that are worse than the best, weaker ones are not tried.
const WORSE: usize = 3;

/// One fold held out of the examples, and the solution for the penalty tried last, a good start for the next one.
struct Fold {
    kept: Examples,
    held_out: Examples,
    model: Option<LinearModel>,
}

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
        let mut folds: Vec<Fold> = (0..folds)
            .map(|fold| Fold::new(examples, &split, fold))
            .collect();
        let least = self.least.map_or(0.0, Positive::get);
        let (mut best, mut lowest) = (0, f64::INFINITY);
        for power in
            (0..=GRID_STEPS).take_while(|&power| power == 0 || lambda(power) >= least * 0.999)
        {
            let losses = folds
                .par_iter_mut()
                .map(|fold| fold.loss(lambda(power), seed, runtime));
            let loss: f64 = losses.collect::<Result<Vec<f64>>>()?.iter().sum();
            if loss < lowest {
                (best, lowest) = (power, loss);
            } else if power - best >= WORSE || loss == f64::INFINITY {
                break;
            }
        }
        Ok(lambda(best))
    }
}

impl Fold {
    fn new(examples: &Examples, split: &Folds, fold: usize) -> Self {
        let (kept, held_out) = split.split(fold);
        Self {
            kept: examples.pick(&kept),
            held_out: examples.pick(&held_out),
            model: None,
        }
    }

    /// The loss on what is held out; infinite for a penalty too weak for the solver, which is too weak to be chosen.
    fn loss(&mut self, lambda: f64, seed: Seed, runtime: &Runtime) -> Result<f64> {
        let solver = Solver::FullBatch(FullBatch::default());
        let penalty = Penalty::L2(NonNegative::new(lambda)?);
        let learner = LinearLearner::new(solver, penalty).with_runtime(runtime);
        let next = match &self.model {
            Some(start) => learner.refit(start, &self.kept, seed),
            None => learner.fit(&self.kept, seed),
        };
        match next {
            Err(Error::NotConverged { .. }) if self.model.is_some() => Ok(f64::INFINITY),
            next => {
                let model = self.model.insert(next?);
                held_out_loss(model, &self.held_out)
            }
        }
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
    use driftline_core::data::{Inputs, Labels, Shape, Targets};

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
                ..CrossValidation::default()
            };
            assert!(choose(&search, &examples(10, 1.0)).is_err(), "{folds}");
        }
    }
}
