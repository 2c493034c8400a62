//! Cautious labels of the teacher: predicted class shares are brought back to the source's, p(y) ∝ p(y)·(π_y/p̄_y)^a with
//! π the source's shares, p̄ the mean prediction of the window and a the strength; then the least confident share of
//! *each* predicted class is dropped, so that an unsure class does not vanish.

use serde::{Deserialize, Serialize};

use super::{Confidence, Filter, LabelKind, Labeled, Labeler, OnEmptyWindow, PseudoLabeling};
use crate::Context;
use driftline_core::data::{Domain, Fraction, Probabilities};
use driftline_core::{Error, Result};
use driftline_models::Classifier;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Balanced {
    /// The share of each predicted class that is not learned from: its least confident rows.
    pub drop: Fraction,
    pub confidence: Confidence,
    /// How far predicted class shares are brought back to the source's: 0 not at all, 1 wholly.
    pub prior_strength: Fraction,
    pub labels: LabelKind,
    /// What to do when one class is left.
    #[serde(rename = "starvation", alias = "on-empty-window")]
    #[cfg_attr(feature = "schema", schemars(rename = "on-empty-window"))]
    pub on_empty_window: OnEmptyWindow,
}

impl Default for Balanced {
    fn default() -> Self {
        let known = "constants are in range";
        Self {
            drop: Fraction::new(0.1).expect(known),
            confidence: Confidence::Spread,
            prior_strength: Fraction::new(1.0).expect(known),
            labels: LabelKind::Hard,
            on_empty_window: OnEmptyWindow::Hold,
        }
    }
}

/// A class that is never predicted counts as this much, so that nothing is divided by 0.
const LEAST_SHARE: f64 = 1e-6;

impl Labeler for Balanced {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        if window.is_empty() {
            return Err(Error::empty("the domain to be labelled"));
        }
        let assessed = ctx.teacher.model.assess(&window.inputs)?;
        let filter = PseudoLabeling {
            kind: self.labels,
            confidence: self.confidence,
            filter: Filter::ClassBalanced(self.drop),
            on_empty_window: self.on_empty_window,
        };
        // Without a prior the teacher's own decisions count: a margin model does not decide by its probabilities.
        let labeled = match self.prior_strength.get() {
            0.0 => filter.kept(window, &assessed.0, &assessed.1)?,
            strength => {
                let shares = &ctx.frame()?.shares;
                let moved = toward(&assessed.1, shares, strength)?;
                filter.kept(window, &moved.argmax(), &moved)?
            }
        };
        Ok(Labeled {
            assessed: Some(assessed),
            ..labeled
        })
    }
}

/// Probabilities whose mean is nearer to `shares`.
fn toward(probabilities: &Probabilities, shares: &[f32], strength: f64) -> Result<Probabilities> {
    let classes = probabilities.n_classes();
    let mut means = vec![0.0; classes];
    for row in probabilities.iter() {
        for (sum, &p) in means.iter_mut().zip(row) {
            *sum += f64::from(p);
        }
    }
    let rows = probabilities.len() as f64;
    let factor = |(mean, &share): (&f64, &f32)| {
        libm::pow(f64::from(share) / (mean / rows).max(LEAST_SHARE), strength)
    };
    let factors: Vec<f64> = means.iter().zip(shares).map(factor).collect();
    let mut values = Vec::with_capacity(probabilities.len() * classes);
    for row in probabilities.iter() {
        let moved = row
            .iter()
            .zip(&factors)
            .map(|(&p, factor)| f64::from(p) * factor);
        let sum: f64 = moved.clone().sum();
        match sum > 0.0 {
            true => values.extend(moved.map(|p| (p / sum) as f32)),
            false => values.extend_from_slice(row),
        }
    }
    Probabilities::new(values, classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: means (.75, .25), shares (.5, .5), so odds are multiplied by 2/3 : 2.
    #[test]
    fn shares_come_back_to_the_source() {
        let given = Probabilities::new(vec![0.9, 0.1, 0.6, 0.4], 2).unwrap();
        let moved = toward(&given, &[0.5, 0.5], 1.0).unwrap();
        let right = [0.6 / 0.8, 0.2 / 0.8, 0.4 / 1.2, 0.8 / 1.2];
        for (found, right) in moved.iter().flatten().zip(right) {
            assert!((found - right).abs() < 1e-6, "{moved:?}");
        }
        let still = toward(&given, &[0.5, 0.5], 0.0).unwrap();
        for (a, b) in still.iter().flatten().zip(given.iter().flatten()) {
            assert!((a - b).abs() < 1e-6);
        }
    }
}
