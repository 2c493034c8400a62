//! The source moved by a map of its columns (none, scale and shift, quantiles), with the shares of its
//! classes kept or free. The window is mapped back to where the source was, and the source model, calibrated, says what
//! each row is there. Free shares and the map are fitted in turns, because each hides the other.

use super::{Case, Explanation, Scenario};
use crate::memory::Memory;
use crate::profile::Source;
use crate::space::scores;
use driftline_core::Result;
use driftline_drift::{MapKind, RowPoints, class_shares};
use driftline_models::Classifier;

/// The maps that are tried, in this order.
pub(crate) struct Moved(&'static [Option<MapKind>]);

/// An explanation in the making: the window's numbers where the source was, and what the source model says there.
#[derive(Clone)]
struct Back {
    points: Option<RowPoints>,
    said: Vec<f64>,
}

impl Moved {
    pub const OF_NUMBERS: Self = Self(&[None, Some(MapKind::Scale), Some(MapKind::Quantiles)]);
    pub const UNMOVED: Self = Self(&[None]);
}

impl Scenario for Moved {
    fn explain(&self, case: &Case<'_>, _: &mut Memory) -> Result<Vec<Explanation>> {
        let source = case.source;
        let maps = self.0;
        let shares_of = |back: &Back| {
            let single: Vec<f32> = back.said.iter().map(|&p| p as f32).collect();
            class_shares(single.chunks_exact(source.prior.len()), &source.prior)
        };
        let keeping: Vec<_> = maps.iter().map(|&map| (map, &*source.prior)).collect();
        let kept = backs(case, &keeping)?;
        // Map and shares hide each other: the map is fitted again to the shares that it seemed to show, and they to it.
        let seeming: Vec<Vec<f64>> = kept.iter().map(shares_of).collect();
        let freeing = maps.iter().zip(&seeming);
        let freeing: Vec<_> = freeing
            .filter(|(map, _)| map.is_some())
            .map(|(&map, shares)| (map, &**shares))
            .collect();
        let mut again = backs(case, &freeing)?.into_iter();
        let mut explanations = vec![];
        for ((&map, kept), seeming) in maps.iter().zip(kept).zip(seeming) {
            let (free, shares) = match map.and_then(|_| again.next()) {
                None => (kept.clone(), seeming),
                Some(free) => {
                    let shares = shares_of(&free);
                    (free, shares)
                }
            };
            explanations.push(explanation(case, map, kept, None));
            explanations.push(explanation(case, map, free, Some(&shares)));
        }
        Ok(explanations)
    }
}

fn names(map: Option<MapKind>) -> [&'static str; 2] {
    match map {
        None => ["same", "same, other shares"],
        Some(MapKind::Scale) => ["scaled", "scaled, other shares"],
        Some(MapKind::Quantiles) => ["quantiles", "quantiles, other shares"],
    }
}

/// A map has more freedom than none, and a map of more than mean and deviation still more.
fn complexity(map: Option<MapKind>) -> f64 {
    match map {
        None => 0.0,
        Some(MapKind::Scale) => 1.0,
        Some(MapKind::Quantiles) => 2.0,
    }
}

/// The window mapped back by each map to a source whose classes have the shares beside it. The model is asked about all of
/// them at once.
fn backs(case: &Case<'_>, maps: &[(Option<MapKind>, &[f64])]) -> Result<Vec<Back>> {
    let Case { source, inputs, .. } = case;
    let (mut moved, mut there) = (vec![], vec![]);
    for &(map, shares) in maps {
        let (Some(map), Some(points), Some(known), Some(columns)) =
            (map, &case.points, &source.points, &source.columns)
        else {
            moved.push(case.points.clone());
            there.push((*inputs).clone());
            continue;
        };
        let back = map.apply(points, &known.pick(&drawn(source, shares)));
        there.push(columns.inputs(&back, inputs)?);
        moved.push(Some(back));
    }
    let said = case.ctx.first.assess_each(&there)?.into_iter();
    let calibrated = said.map(|(_, own)| source.profile.calibration.apply(&own));
    let backs = moved.into_iter().zip(calibrated);
    Ok(backs.map(|(points, said)| Back { points, said }).collect())
}

fn explanation(
    case: &Case<'_>,
    map: Option<MapKind>,
    back: Back,
    free: Option<&[f64]>,
) -> Explanation {
    let source = case.source;
    let shares = free.unwrap_or(&source.prior);
    let rows = drawn(source, shares);
    let there = scores(&back.said, source.prior.len());
    let mut misfit = case.misfit(
        &source.scores.pick(&rows),
        &there,
        source.profile.score_noise,
    );
    if source.columns.is_some() {
        let here = source.whole_of(back.points.as_ref(), case.inputs);
        misfit += case.misfit(&source.whole.pick(&rows), &here, source.profile.noise);
    }
    let is_free = usize::from(free.is_some());
    Explanation {
        name: names(map)[is_free],
        posteriors: reweighted(back.said, shares, &source.prior),
        misfit,
        complexity: complexity(map) + is_free as f64,
        past: 0.0,
    }
}

/// Rows of the source, evenly drawn so that the classes have these shares.
fn drawn(source: &Source, shares: &[f64]) -> Vec<usize> {
    let labels = source.sample.labels().as_slice();
    let weight = |&class: &u32| shares[class as usize] / source.prior[class as usize];
    drawn_by(&labels.iter().map(weight).collect::<Vec<f64>>())
}

/// As many rows as there are weights, each as often as its weight says, without chance.
pub(super) fn drawn_by(weights: &[f64]) -> Vec<usize> {
    let n = weights.len();
    let step = weights.iter().sum::<f64>() / n as f64;
    let (mut sum, mut next) = (0.0, step / 2.0);
    let mut rows = Vec::with_capacity(n);
    for (row, weight) in weights.iter().enumerate() {
        sum += weight;
        while next < sum && rows.len() < n {
            rows.push(row);
            next += step;
        }
    }
    rows
}

/// Posteriors under other shares of the classes: p·share/prior, each row made to sum to 1.
pub(crate) fn reweighted(mut said: Vec<f64>, shares: &[f64], prior: &[f64]) -> Vec<f64> {
    for row in said.chunks_exact_mut(prior.len()) {
        for ((p, share), prior) in row.iter_mut().zip(shares).zip(prior) {
            *p *= share / prior;
        }
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|p| *p /= sum);
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_as_often_as_their_weights_say() {
        assert_eq!(drawn_by(&[1.0; 4]), [0, 1, 2, 3]);
        assert_eq!(drawn_by(&[0.0, 2.0, 0.0, 2.0]), [1, 1, 3, 3]);
        assert_eq!(drawn_by(&[3.0, 1.0, 0.0, 0.0]), [0, 0, 0, 1]);
    }

    #[test]
    fn other_shares_move_the_posteriors_by_bayes_rule() {
        let found = reweighted(vec![0.5, 0.5], &[0.9, 0.1], &[0.5, 0.5]);
        assert!((found[0] - 0.9).abs() < 1e-12 && (found[1] - 0.1).abs() < 1e-12);
        assert_eq!(
            reweighted(vec![0.2, 0.8], &[0.3, 0.7], &[0.3, 0.7]),
            [0.2, 0.8]
        );
    }

    #[test]
    fn freedom_has_its_price() {
        let all = [None, Some(MapKind::Scale), Some(MapKind::Quantiles)];
        let found = all.map(complexity);
        assert!(found.is_sorted_by(|less, more| less < more), "{found:?}");
    }
}
