//! The exact minimiser of the linear softmax objective, to a tolerance: for users who want it rather than a number of
//! epochs. Deterministic: the examples are summed in fixed blocks, in order, whatever the number of threads.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kernel::{self, BLOCK, Block};
use super::lbfgs;
use super::softmax::{LinearModel, Penalties};
use crate::loss::softmax::gradient_columns;
use driftline_core::data::{Examples, Inputs, Positive};
use driftline_core::kernels::side_by_side;
use driftline_core::{Cancel, Error, Result};

/// When the solver stops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FullBatch {
    /// The largest entry that the gradient of the mean loss may still have.
    pub tolerance: Positive,
    pub max_iterations: usize,
}

impl Default for FullBatch {
    fn default() -> Self {
        Self {
            tolerance: Positive::new(1e-5).expect("1e-5 is positive"),
            max_iterations: 1000,
        }
    }
}

/// Examples per unit of parallel work: fixed, so that the order of summation is.
pub(super) const SHARE: usize = 16 * BLOCK;
/// Below this many numbers one thread is faster than handing work to others.
pub(super) const WORTH_SHARING: usize = 200_000;

/// Minimises mean cross-entropy + λ·ΣW² + anchor·Σ(θ − θ_start)² from `start`.
pub(super) fn minimize(
    start: &LinearModel,
    examples: &Examples,
    settings: &FullBatch,
    penalties: Penalties,
    cancel: &Cancel,
) -> Result<LinearModel> {
    let objective = Objective::new(start, examples, penalties);
    let from = objective.reduce(start);
    let found = lbfgs::minimize(
        from,
        settings.max_iterations,
        settings.tolerance.get(),
        cancel,
        |at, gradient| objective.value(at, gradient),
    );
    cancel.check()?;
    if !found.converged {
        return Err(Error::NotConverged {
            iterations: settings.max_iterations,
            gradient: found.gradient,
            tolerance: settings.tolerance.get(),
        });
    }
    Ok(objective.expand(&found.at, start))
}

/// The objective as a function of a flat vector in double precision.
///
/// Two classes need only one score, s = (w₁−w₀)·x + b₁−b₀: half the work, the same minimum. With w₁ = −w₀ the penalty
/// λ(‖w₀‖² + ‖w₁‖²) becomes λ/2·‖w₁−w₀‖², and the anchor likewise.
struct Objective<'a> {
    examples: &'a Examples,
    inputs: Cow<'a, Inputs>,
    n_scores: usize,
    width: usize,
    lambda: f64,
    anchor: f64,
    /// Where the anchor holds; empty where there is none.
    anchored_to: Vec<f64>,
    /// Each example's weight is divided by their sum, so that the loss is a mean.
    share: f64,
}

impl<'a> Objective<'a> {
    fn new(start: &LinearModel, examples: &'a Examples, penalties: Penalties) -> Self {
        let two = start.n_classes == 2;
        let Penalties { lambda, anchor } = penalties;
        let mut objective = Self {
            examples,
            inputs: kernel::widened(examples.inputs()),
            n_scores: if two { 1 } else { start.n_classes },
            width: kernel::width(start.shape.size()),
            lambda: if two { lambda / 2.0 } else { lambda },
            anchor: if two { anchor / 2.0 } else { anchor },
            anchored_to: vec![],
            share: f64::from(examples.weight_scale()) / examples.len() as f64,
        };
        if anchor > 0.0 {
            objective.anchored_to = objective.reduce(start);
        }
        objective
    }

    fn n_weights(&self) -> usize {
        self.n_scores * self.width
    }

    fn reduce(&self, model: &LinearModel) -> Vec<f64> {
        let all: Vec<f64> = model.parameters.iter().map(|&p| f64::from(p)).collect();
        if self.n_scores > 1 {
            return all;
        }
        let (weights, biases) = all.split_at(2 * self.width);
        let difference = (0..self.width).map(|j| weights[self.width + j] - weights[j]);
        difference.chain([biases[1] - biases[0]]).collect()
    }

    fn expand(&self, at: &[f64], like: &LinearModel) -> LinearModel {
        let parameters = if self.n_scores > 1 {
            at.iter().map(|&p| p as f32).collect()
        } else {
            let half = |sign: f64| move |p: &f64| (sign * p / 2.0) as f32;
            let (weights, bias) = at.split_at(self.width);
            let weights = weights
                .iter()
                .map(half(-1.0))
                .chain(weights.iter().map(half(1.0)));
            weights
                .chain(bias.iter().map(half(-1.0)))
                .chain(bias.iter().map(half(1.0)))
                .collect()
        };
        LinearModel {
            parameters,
            adam: None,
            ..like.clone()
        }
    }

    /// The objective at `at`; its gradient goes to `gradient`.
    fn value(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let parameters: Vec<f32> = at.iter().map(|&p| p as f32).collect();
        let n = self.examples.len();
        let share = |index: usize| {
            let rows = index * SHARE..n.min((index + 1) * SHARE);
            self.share_of_rows(&parameters, rows)
        };
        let shares = 0..n.div_ceil(SHARE);
        let parts: Vec<(f64, Vec<f64>)> = if n * self.n_weights() < WORTH_SHARING {
            shares.map(share).collect()
        } else {
            shares.into_par_iter().map(share).collect()
        };
        let (weights, _) = at.split_at(self.n_weights());
        gradient.fill(0.0);
        for (g, w) in gradient.iter_mut().zip(weights) {
            *g = 2.0 * self.lambda * w;
        }
        let mut value = self.lambda * weights.iter().map(|w| w * w).sum::<f64>();
        for (loss, part) in parts {
            value += loss;
            gradient.iter_mut().zip(part).for_each(|(g, p)| *g += p);
        }
        for ((g, p), start) in gradient.iter_mut().zip(at).zip(&self.anchored_to) {
            value += self.anchor * (p - start) * (p - start);
            *g += 2.0 * self.anchor * (p - start);
        }
        value
    }

    /// Loss and gradient of some of the examples.
    fn share_of_rows(&self, parameters: &[f32], rows: Range<usize>) -> (f64, Vec<f64>) {
        let (weights, biases) = parameters.split_at(self.n_weights());
        let n_classes = self.examples.n_classes();
        let mut columns = vec![[0.0; BLOCK]; n_classes];
        let mut targets = columns.clone();
        let mut part = vec![0.0_f32; parameters.len()];
        let (mut loss, mut gradient) = (0.0, vec![0.0; parameters.len()]);
        for first in rows.clone().step_by(BLOCK) {
            let rows = first..rows.end.min(first + BLOCK);
            let block = Block::new(&self.inputs, rows.clone());
            // With one score the pair (0, s) stands for the two classes.
            let (fixed, scores) = columns.split_at_mut(n_classes - self.n_scores);
            fixed.fill([0.0; BLOCK]);
            kernel::scores(&block, weights, biases, scores);
            let given = self.examples.targets();
            given.write_columns(rows.clone(), &mut targets);
            let mut shares = [1.0; BLOCK];
            if let Some(weights) = self.examples.weights() {
                shares[..rows.len()].copy_from_slice(&weights[rows.clone()]);
            }
            let losses = side_by_side(
                #[inline(always)]
                || gradient_columns(&mut columns, &targets, &shares),
            );
            for (l, weight) in losses[..rows.len()].iter().zip(&shares) {
                loss += f64::from(*l) * f64::from(*weight);
            }
            part.fill(0.0);
            let (part_weights, part_biases) = part.split_at_mut(self.n_weights());
            let deltas = &columns[n_classes - self.n_scores..];
            kernel::gradient(&block, deltas, part_weights, part_biases);
            for (sum, &p) in gradient.iter_mut().zip(&part) {
                *sum += f64::from(p);
            }
        }
        gradient.iter_mut().for_each(|g| *g *= self.share);
        (loss * self.share, gradient)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use driftline_core::data::{Labels, Probabilities, Shape, Targets};
    use driftline_core::random::Seed;

    fn plain(lambda: f64) -> Penalties {
        let anchor = 0.0;
        Penalties { lambda, anchor }
    }

    /// Overlapping classes with soft targets and uneven weights, so that every term of the objective counts.
    fn examples(n: usize, size: usize, n_classes: usize) -> Examples {
        let mut generator = Seed::new(4).generator();
        let mut uniform =
            |n: usize| -> Vec<f32> { (0..n).map(|_| generator.random_range(-1.0..1.0)).collect() };
        let inputs = Inputs::new(uniform(n * size), Shape::Vector(size)).unwrap();
        let mut targets: Vec<f32> = uniform(n * n_classes)
            .iter()
            .map(|v| v.abs() + 0.01)
            .collect();
        for row in targets.chunks_exact_mut(n_classes) {
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|t| *t /= sum);
        }
        let targets = Targets::Soft(Probabilities::new(targets, n_classes).unwrap());
        let weights = uniform(n).iter().map(|v| v.abs() + 0.1).collect();
        Examples::new(inputs, targets)
            .unwrap()
            .with_weights(weights)
            .unwrap()
    }

    /// The objective by the textbook, in double precision, from the model's own weights.
    fn textbook(examples: &Examples, model: &LinearModel, lambda: f64) -> f64 {
        let k = model.n_classes;
        let mut target = vec![0.0; k];
        let (mut loss, mut total) = (0.0, 0.0);
        for (row, x) in examples.inputs().iter().enumerate() {
            let dot = |w: &[f32]| -> f64 {
                w.iter()
                    .zip(x)
                    .map(|(w, x)| f64::from(*w) * f64::from(*x))
                    .sum()
            };
            let scores: Vec<f64> = (0..k)
                .map(|c| dot(model.weights(c)) + f64::from(model.bias(c)))
                .collect();
            let log_sum = scores.iter().map(|s| s.exp()).sum::<f64>().ln();
            examples.targets().write_row(row, &mut target);
            let weight = f64::from(examples.weight(row));
            loss += weight
                * target
                    .iter()
                    .zip(&scores)
                    .map(|(t, s)| f64::from(*t) * (log_sum - s))
                    .sum::<f64>();
            total += weight;
        }
        let squares: f64 = (0..k)
            .flat_map(|c| model.weights(c))
            .map(|w| f64::from(*w) * f64::from(*w))
            .sum();
        loss / total + lambda * squares
    }

    fn minimize(
        start: &LinearModel,
        examples: &Examples,
        settings: &FullBatch,
        lambda: f64,
    ) -> Result<LinearModel> {
        super::minimize(start, examples, settings, plain(lambda), &Cancel::new())
    }

    fn some_model(size: usize, n_classes: usize) -> LinearModel {
        super::super::mini_batch::initial(Shape::Vector(size), n_classes, Seed::new(8))
    }

    #[test]
    fn value_and_gradient_agree_with_the_textbook_and_finite_differences() {
        for (size, n_classes) in [(5, 2), (20, 2), (20, 3), (90, 4)] {
            let examples = examples(100, size, n_classes);
            let model = some_model(size, n_classes);
            let mut objective = Objective::new(&model, &examples, plain(0.1));
            // All scores, so that the parameters are the model's own.
            objective.n_scores = n_classes;
            objective.lambda = 0.1;
            let at = objective.reduce(&model);
            let mut gradient = vec![0.0; at.len()];
            let value = objective.value(&at, &mut gradient);
            assert!((value - textbook(&examples, &model, 0.1)).abs() < 1e-6);
            for place in [0, 3, size - 1, at.len() - 1] {
                let moved = |by: f32| {
                    let mut other = model.clone();
                    other.parameters[place] += by;
                    textbook(&examples, &other, 0.1)
                };
                let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                assert!(
                    (slope - gradient[place]).abs() < 1e-4,
                    "{slope} {}",
                    gradient[place]
                );
            }
        }
    }

    /// One score for two classes has the same minimum as two scores.
    #[test]
    fn the_reduction_for_two_classes_changes_nothing() {
        let examples = examples(200, 20, 2);
        let start = LinearModel::zeros(Shape::Vector(20), 2);
        let reduced = minimize(&start, &examples, &FullBatch::default(), 0.01).unwrap();
        let mut general = Objective::new(&start, &examples, plain(0.01));
        (general.n_scores, general.lambda) = (2, 0.01);
        let found = lbfgs::minimize(
            general.reduce(&start),
            1000,
            1e-6,
            &Cancel::new(),
            |at, g| general.value(at, g),
        );
        let general = general.expand(&found.at, &start);
        for class in 0..2 {
            for (a, b) in reduced.weights(class).iter().zip(general.weights(class)) {
                assert!((a - b).abs() < 1e-3, "{a} {b}");
            }
        }
        let gap = textbook(&examples, &reduced, 0.01) - textbook(&examples, &general, 0.01);
        assert!(gap.abs() < 1e-7, "{gap}");
    }

    #[test]
    fn no_step_away_from_the_minimum_is_better() {
        for n_classes in [2, 3] {
            let examples = examples(150, 18, n_classes);
            let start = LinearModel::zeros(Shape::Vector(18), n_classes);
            let model = minimize(&start, &examples, &FullBatch::default(), 0.01).unwrap();
            let least = textbook(&examples, &model, 0.01);
            for place in 0..model.parameters.len() {
                for by in [-0.02, 0.02] {
                    let mut other = model.clone();
                    other.parameters[place] += by;
                    assert!(textbook(&examples, &other, 0.01) > least);
                }
            }
            // From anywhere else, the same minimum.
            let again = minimize(
                &some_model(18, n_classes),
                &examples,
                &FullBatch::default(),
                0.01,
            )
            .unwrap();
            assert!((textbook(&examples, &again, 0.01) - least).abs() < 1e-7);
        }
    }

    #[test]
    fn shared_work_gives_the_same_bits() {
        let examples = examples(3000, 100, 2);
        assert!(
            examples.len() * 100 >= WORTH_SHARING,
            "large enough to be shared"
        );
        let start = LinearModel::zeros(Shape::Vector(100), 2);
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| minimize(&start, &examples, &FullBatch::default(), 0.01).unwrap())
        };
        assert_eq!(fit(1), fit(3));
    }

    #[test]
    fn too_few_iterations_are_an_error() {
        let examples = examples(50, 20, 2);
        let settings = FullBatch {
            max_iterations: 1,
            ..FullBatch::default()
        };
        let start = LinearModel::zeros(Shape::Vector(20), 2);
        let error = minimize(&start, &examples, &settings, 0.001).unwrap_err();
        assert!(
            matches!(error, Error::NotConverged { iterations: 1, .. }),
            "{error}"
        );
    }

    /// Separable data without a penalty have no minimum; the slope still falls below the tolerance.
    #[test]
    fn separable_data_without_a_penalty_end() {
        let inputs =
            Inputs::new((0..40).map(|i| i as f32 - 19.5).collect(), Shape::Vector(1)).unwrap();
        let labels = Labels::new((0..40).map(|i| u32::from(i >= 20)).collect(), 2).unwrap();
        let examples = Examples::new(inputs, Targets::Hard(labels)).unwrap();
        let start = LinearModel::zeros(Shape::Vector(1), 2);
        let model = minimize(&start, &examples, &FullBatch::default(), 0.0).unwrap();
        assert!(model.weights(1)[0] > 1.0);
    }
}
