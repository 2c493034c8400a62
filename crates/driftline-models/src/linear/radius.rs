//! The radius R of the margin model's class, chosen on the labelled source by cross-validation.

use crate::linear::{BiasRule, MarginLearner, NormBall};
use crate::loss::margin::MarginLoss;
use crate::loss::softmax::cross_entropy;
use crate::{Classifier, Learner};
use driftline_core::Result;
use driftline_core::data::{Examples, Folds, Positive};
use driftline_core::random::Seed;

/// The solver's work grows with the rows; so many are enough to tell one radius from another.
pub(crate) const ROWS: usize = 600;
const FOLDS: usize = 3;
const GRID: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// The R with the smallest cross-entropy on the folds held out; ties go to the smaller, that is to the wider margin.
pub(crate) fn choose(source: &Examples, seed: Seed) -> Result<Positive> {
    let mut best: Option<(f64, f64)> = None;
    if source.len() < 2 * FOLDS {
        return Positive::new(1.0);
    }
    let folds = Folds::new(source.len(), FOLDS, seed.named("folds"));
    for radius in GRID {
        let class = NormBall::new(Positive::new(radius)?, BiasRule::Free);
        let learner = MarginLearner::new(MarginLoss::Logistic, class);
        let mut loss = 0.0;
        for fold in 0..FOLDS {
            let (kept, held_out) = folds.split(fold);
            let model = learner.fit(&source.pick(&kept), seed)?;
            let held_out = source.pick(&held_out);
            let mut target = vec![0.0; 2];
            for (row, p) in model.probabilities(held_out.inputs())?.iter().enumerate() {
                held_out.targets().write_row(row, &mut target);
                loss += cross_entropy(p, &target);
            }
        }
        if best.is_none_or(|(least, _)| loss < least) {
            best = Some((loss, radius));
        }
    }
    Positive::new(best.map_or(1.0, |(_, radius)| radius))
}
