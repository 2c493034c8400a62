//! Label-shift correction: the source's true labels, each class with the weight q_y/π_y of its share in the window. The
//! shares come from the source model's predictions: by inverting its confusion matrix, C·w = μ with C the joint shares of
//! prediction and class in the source and μ the predictions' shares in the window; or by expectation maximisation, which
//! makes the mean posterior and the shares agree. Right where only the classes' shares change.

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler};
use crate::Context;
use driftline_core::data::{Domain, Examples, LabeledDomain, Labels, Probabilities};
use driftline_core::matrix::{Eigen, product};
use driftline_core::{Error, Result};
use driftline_drift::ShareEm;
use driftline_models::Classifier;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LabelShift {
    pub by: ShareEstimate,
}

/// How the classes' shares in a window are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ShareEstimate {
    #[default]
    Em,
    Confusion,
}

const EM: ShareEm = ShareEm {
    rounds: 1000,
    tolerance: 1e-7,
    least: 0.0,
};
/// A class that the source hardly has is not multiplied without end.
const MOST: f64 = 1e3;

impl Labeler for LabelShift {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let source = ctx.source.ok_or(Error::SourceMissing)?;
        let model = &ctx.first.model;
        let (predicted, probabilities) = model.assess(&window.inputs)?;
        let shares: Vec<f64> = ctx.frame()?.shares.iter().map(|&s| f64::from(s)).collect();
        let ratios = match self.by {
            ShareEstimate::Em => ratios_by_em(&probabilities, &shares),
            ShareEstimate::Confusion => {
                ratios_by_confusion(&model.predict(source.inputs())?, source, &predicted)
            }
        };
        let weight = |&class: &u32| ratios[class as usize].clamp(0.0, MOST) as f32;
        let weights = source.labels().as_slice().iter().map(weight).collect();
        let examples = Examples::from(source).with_weights(weights)?;
        Ok(Labeled::of_source(window.len(), examples))
    }
}

/// q/π with q the window's shares by expectation maximisation.
pub(crate) fn ratios_by_em(probabilities: &Probabilities, shares: &[f64]) -> Vec<f64> {
    let found = EM.shares(probabilities.iter(), shares);
    let ratio = |(q, s): (&f64, &f64)| if *s > 0.0 { q / s } else { 0.0 };
    found.iter().zip(shares).map(ratio).collect()
}

/// The least-squares solution of C·w = μ, below 0 counting as 0 (Lipton and others 2018). The source model's confusion is
/// that on its own training rows.
fn ratios_by_confusion(told: &Labels, source: &LabeledDomain, window: &Labels) -> Vec<f64> {
    let k = told.n_classes();
    let mut joint = vec![0.0; k * k];
    let pairs = told.as_slice().iter().zip(source.labels().as_slice());
    for (&told, &class) in pairs {
        joint[told as usize * k + class as usize] += 1.0 / source.len() as f64;
    }
    let rows = window.len().max(1) as f64;
    let mu: Vec<f64> = window.counts().iter().map(|&c| c as f64 / rows).collect();
    let turned: Vec<f64> = (0..k * k).map(|i| joint[i % k * k + i / k]).collect();
    let eigen = Eigen::of(&product(&turned, &joint, k), k);
    let least = 1e-10 * eigen.values.first().copied().unwrap_or(0.0);
    let inverse = eigen.map(|value| if value > least { 1.0 / value } else { 0.0 });
    let times = |matrix: &[f64], vector: &[f64]| -> Vec<f64> {
        let line = |line: &[f64]| line.iter().zip(vector).map(|(a, b)| a * b).sum();
        matrix.chunks_exact(k).map(line).collect()
    };
    let ratios = times(&inverse, &times(&turned, &mu));
    ratios
        .into_iter()
        .map(|ratio: f64| ratio.max(0.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::{Inputs, Shape};

    /// A model that is right with 80 %: predictions of a window with shares q have shares C·q/π, which gives q back.
    #[test]
    fn a_known_confusion_gives_the_shares_back() {
        let (mut told, mut labels) = (vec![], vec![]);
        for at in 0..100 {
            let class = u32::from(at >= 50);
            labels.push(class);
            told.push(if at % 5 == 0 { 1 - class } else { class });
        }
        let inputs = Inputs::new(vec![0.0; 100], Shape::Vector(1)).unwrap();
        let labels = Labels::new(labels, 2).unwrap();
        let source = LabeledDomain::new(inputs, labels).unwrap();
        let told = Labels::new(told, 2).unwrap();
        // Shares .9 and .1 are predicted as .74 and .26.
        let window = Labels::new((0..100).map(|at| u32::from(at >= 74)).collect(), 2).unwrap();
        let ratios = ratios_by_confusion(&told, &source, &window);
        for (found, right) in ratios.iter().zip([1.8, 0.2]) {
            assert!((found - right).abs() < 1e-9, "{ratios:?}");
        }
    }

    /// Posteriors that are certain are the shares themselves; those that know nothing leave the source's.
    #[test]
    fn expectation_maximisation_at_its_ends() {
        let sure = Probabilities::new(vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2).unwrap();
        let ratios = ratios_by_em(&sure, &[0.5, 0.5]);
        for (found, right) in ratios.iter().zip([1.5, 0.5]) {
            assert!((found - right).abs() < 1e-6, "{ratios:?}");
        }
        let blind = Probabilities::new(vec![0.3, 0.7, 0.3, 0.7], 2).unwrap();
        for ratio in ratios_by_em(&blind, &[0.3, 0.7]) {
            assert!((ratio - 1.0).abs() < 1e-6);
        }
    }
}
