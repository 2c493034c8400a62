//! Measures of the source model beside accuracy, by the same scenarios: of a model that is only watched. Nothing is decided
//! by them.

use serde::Serialize;

use super::LEAST_WINDOW;
use super::ROWS;
use super::config::GuardConfig;
use super::memory::Memory;
use super::score::LEAST_ROWS;
use super::weighed::Weighed;
use super::window::Judge;
use driftline_adapt::policy::{Proposal, WithInterval};
use driftline_adapt::{Candidate, Context, State};
use driftline_core::Result;
use driftline_core::data::{Labels, Probabilities};
use driftline_drift::draw;
use driftline_models::Classifier;

/// Of every class against the others, and the mean of the classes: estimate, low, high.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measures {
    /// 2·precision·recall / (precision + recall).
    pub f1: PerClass,
    /// How often a row of the class is ranked above one of the others.
    pub roc_auc: PerClass,
}

/// None where it cannot be told.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PerClass {
    pub classes: Vec<Option<WithInterval>>,
    pub mean: Option<WithInterval>,
}

impl GuardConfig {
    /// Of the source model on the window that `ctx` is about; none where there is nothing to measure by. `state` is what
    /// would be given to `decide`.
    pub fn measures(
        &self,
        ctx: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<Option<Measures>> {
        let window = ctx.stage.learn.as_ref();
        let window = window.filter(|window| window.len() >= LEAST_WINDOW);
        let (Some(window), Some(sample)) = (window, super::sample(ctx)) else {
            return Ok(None);
        };
        let mut memory = Memory::read(state)?;
        let candidates: Vec<&Candidate> = proposals.iter().map(|one| one.candidate).collect();
        let source = self.source(ctx, sample, &candidates, window.len(), &mut memory)?;
        let rows = draw(window.len(), ROWS, ctx.seed.named("rows"));
        let inputs = super::picked(&window.inputs, &rows);
        let own = ctx.first.assess(&inputs)?;
        let judge = Judge {
            config: self,
            ctx,
            source: &source,
            proposals,
            rows: &rows,
            inputs: &inputs,
            own: &own,
        };
        let weighed = judge.weigh(&mut memory)?;
        let (decided, said) = &own;
        Ok(Some(Measures {
            f1: self.per_class(&weighed, |posteriors| f1(decided, posteriors)),
            roc_auc: self.per_class(&weighed, |posteriors| roc_auc(said, posteriors)),
        }))
    }

    fn per_class(&self, weighed: &Weighed, of: impl Fn(&[f64]) -> Vec<Option<f64>>) -> PerClass {
        let all: Vec<Vec<Option<f64>>> = weighed
            .explanations
            .iter()
            .map(|one| of(&one.posteriors))
            .collect();
        let n_classes = all.first().map_or(0, Vec::len);
        let class = |class: usize| weighed.interval(all.iter().map(|own| own[class]), self);
        let mean = |own: &Vec<Option<f64>>| {
            let known: Vec<f64> = own.iter().flatten().copied().collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        PerClass {
            classes: (0..n_classes).map(class).collect(),
            mean: weighed.interval(all.iter().map(mean), self),
        }
    }
}

/// Of each class, where posteriors are rows × classes.
fn f1(decided: &Labels, posteriors: &[f64]) -> Vec<Option<f64>> {
    let n_classes = decided.n_classes();
    let (mut right, mut both) = (vec![0.0; n_classes], vec![0.0; n_classes]);
    let mut rows = vec![0.0; n_classes];
    for (row, &class) in posteriors.chunks_exact(n_classes).zip(decided.as_slice()) {
        right[class as usize] += row[class as usize];
        both[class as usize] += 1.0;
        for ((both, rows), p) in both.iter_mut().zip(&mut rows).zip(row) {
            *both += p;
            *rows += p;
        }
    }
    let of = |class: usize| (rows[class] >= LEAST_ROWS).then(|| 2.0 * right[class] / both[class]);
    (0..n_classes).map(of).collect()
}

/// The area under the curve of each class against the others: rows are ranked by what the model says, and count on either
/// side by their posterior. Rows that are ranked alike count half.
fn roc_auc(said: &Probabilities, posteriors: &[f64]) -> Vec<Option<f64>> {
    let n_classes = said.n_classes();
    let of = |class: usize| {
        let own = said.iter().zip(posteriors.chunks_exact(n_classes));
        let mut rows: Vec<(f32, f64)> = own.map(|(p, row)| (p[class], row[class])).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let of_class: f64 = rows.iter().map(|(_, p)| p).sum();
        let of_others = rows.len() as f64 - of_class;
        if of_class.min(of_others) < LEAST_ROWS {
            return None;
        }
        let (mut area, mut below) = (0.0, 0.0);
        for alike in rows.chunk_by(|a, b| a.0 == b.0) {
            let own: f64 = alike.iter().map(|(_, p)| p).sum();
            let others = alike.len() as f64 - own;
            area += own * (below + others / 2.0);
            below += others;
        }
        Some(area / (of_class * of_others))
    };
    (0..n_classes).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certain posteriors of these classes.
    fn certain(classes: &[u32]) -> Vec<f64> {
        let row = |&class: &u32| [1.0 - f64::from(class), f64::from(class)];
        classes.iter().flat_map(row).collect()
    }

    #[test]
    fn with_certain_posteriors_they_are_what_people_know() {
        let classes = [0, 0, 0, 0, 1, 1, 1, 1];
        let scores = [0.1, 0.3, 0.3, 0.7, 0.3, 0.6, 0.8, 0.9];
        let rows = scores.iter().flat_map(|&p: &f32| [1.0 - p, p]).collect();
        let said = Probabilities::new(rows, 2).unwrap();
        // Of 16 pairs 12 are in order, two are ranked alike, and two (0.3 and 0.6 below 0.7) are not.
        let found = roc_auc(&said, &certain(&classes));
        assert!((found[1].unwrap() - 13.0 / 16.0).abs() < 1e-12, "{found:?}");
        assert!((found[0].unwrap() - 13.0 / 16.0).abs() < 1e-12, "{found:?}");
        // Decided 1 for 0.7, 0.6, 0.8, 0.9: three right of four, of four rows.
        let found = f1(&said.argmax(), &certain(&classes));
        assert!((found[1].unwrap() - 0.75).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_class_without_rows_is_not_measured() {
        let said = Probabilities::new([0.9, 0.1].repeat(8), 2).unwrap();
        let nobody = certain(&[0; 8]);
        assert_eq!(roc_auc(&said, &nobody), [None, None]);
        assert_eq!(f1(&said.argmax(), &nobody)[1], None);
    }
}
