//! The source moved by a map of its columns (none, scale and shift, quantiles), with the shares of its
//! classes kept or free. The window is mapped back to where the source was, and the source model, calibrated, says what
//! each row is there. Free shares and the map are fitted in turns, because each hides the other.

use std::rc::Rc;

use super::{Case, Explanation, Scenario};
use crate::memory::Memory;
use crate::profile::Source;
use crate::space::scores;
use driftline_core::Result;
use driftline_drift::{Compared, MapKind, Mapped, RowPoints, class_shares, compared_rows};
use driftline_models::Classifier;

/// The maps that are tried, in this order.
pub(crate) struct Moved(&'static [Option<MapKind>]);

/// An explanation in the making: the window's numbers where the source was, and what the source model says there.
#[derive(Clone)]
struct Back {
    map: Option<MapKind>,
    /// The shares of the classes, where they are free.
    free: Option<Vec<f64>>,
    points: Option<Rc<RowPoints>>,
    said: Rc<Vec<f64>>,
}

/// What maps are fitted to: the window's numbers, and the source's.
struct Sides {
    window: Mapped,
    source: Mapped,
}

impl Moved {
    pub const OF_NUMBERS: Self = Self(&[None, Some(MapKind::Scale), Some(MapKind::Quantiles)]);
    pub const UNMOVED: Self = Self(&[None]);
}

impl Scenario for Moved {
    fn explain(&self, case: &Case<'_>, _: &mut Memory) -> Result<Vec<Explanation>> {
        let source = case.source;
        let maps = self.0.iter().copied();
        let sides = case.points.as_ref().zip(source.points.as_ref());
        let sides = sides.map(|(window, known)| Sides {
            window: Mapped::new(window.clone()),
            source: Mapped::new(known.clone()),
        });
        let shares_of = |back: &Back| {
            let single: Vec<f32> = back.said.iter().map(|&p| p as f32).collect();
            class_shares(single.chunks_exact(source.prior.len()), &source.prior)
        };
        let kept = backs(case, sides.as_ref(), maps.map(|map| (map, None)).collect())?;
        // Map and shares hide each other: the map is fitted again to the shares that it seemed to show, and they to it.
        let moving = kept.iter().filter(|own| own.map.is_some());
        let freeing = moving.map(|own| (own.map, Some(shares_of(own)))).collect();
        let mut again = backs(case, sides.as_ref(), freeing)?.into_iter();
        let mut all = vec![];
        for kept in kept {
            let mut free = match kept.map.and_then(|_| again.next()) {
                None => kept.clone(),
                Some(free) => free,
            };
            free.free = Some(shares_of(&free));
            all.extend([kept, free]);
        }
        let misfits = misfits(case, &all);
        let explanations = all.into_iter().zip(misfits);
        Ok(explanations
            .map(|(back, misfit)| explanation(source, back, misfit))
            .collect())
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

/// The window mapped back by each map to a source whose classes have the shares beside it, or else its own. The model is
/// asked about all of them at once.
fn backs(
    case: &Case<'_>,
    sides: Option<&Sides>,
    maps: Vec<(Option<MapKind>, Option<Vec<f64>>)>,
) -> Result<Vec<Back>> {
    let Case { source, inputs, .. } = case;
    let (mut moved, mut there) = (vec![], vec![]);
    for (map, shares) in &maps {
        let (Some(map), Some(sides), Some(columns)) = (map, sides, &source.columns) else {
            moved.push(case.points.clone().map(Rc::new));
            if case.said.is_none() {
                there.push((*inputs).clone());
            }
            continue;
        };
        let back = match shares {
            None => map.apply(&sides.window, &sides.source),
            Some(shares) => {
                let drawn = map.picked(&sides.source, &drawn(source, shares));
                map.apply(&sides.window, &drawn)
            }
        };
        there.push(columns.inputs(&back, inputs)?);
        moved.push(Some(Rc::new(back)));
    }
    let mut said = case.ctx.first.assess_each(&there)?.into_iter();
    let backs = maps.into_iter().zip(moved);
    let backs = backs.map(|((map, free), points)| {
        let asked;
        let own = match case.said.filter(|_| map.is_none()) {
            Some(known) => known,
            None => {
                asked = said.next().expect("an answer for every question").1;
                &asked
            }
        };
        Back {
            said: Rc::new(source.profile.calibration.apply(own)),
            map,
            free,
            points,
        }
    });
    Ok(backs.collect())
}

fn explanation(source: &Source, back: Back, misfit: f64) -> Explanation {
    let shares = back.free.as_ref().unwrap_or(&source.prior);
    let is_free = usize::from(back.free.is_some());
    Explanation {
        name: names(back.map)[is_free],
        posteriors: reweighted(Rc::unwrap_or_clone(back.said), shares, &source.prior),
        misfit,
        complexity: complexity(back.map) + is_free as f64,
        past: 0.0,
    }
}

/// How far each explanation is from the source, drawn by its shares, in scores and in columns; 0 where nobody asks.
fn misfits(case: &Case<'_>, backs: &[Back]) -> Vec<f64> {
    let source = case.source;
    if !case.measures_fit {
        return vec![0.0; backs.len()];
    }
    let n = source.sample.len();
    let [own, here] = compared_rows([n, case.inputs.len()], case.seed);
    // Maps that keep the shares compare the same rows of the source; where nothing is moved, the window's are the same, too.
    let (mut rows, mut unlike, mut places): (_, Vec<&Back>, _) =
        (vec![own.clone()], vec![], vec![]);
    for back in backs {
        let left = match &back.free {
            None => 0,
            Some(shares) => {
                let drawn = drawn(source, shares);
                let [other, _] = compared_rows([drawn.len(), 0], case.seed);
                let own = if drawn.len() == n { &own } else { &other };
                rows.push(own.iter().map(|&place| drawn[place]).collect());
                rows.len() - 1
            }
        };
        let same = |other: &&Back| Rc::ptr_eq(&other.said, &back.said);
        let right = unlike.iter().position(same).unwrap_or(unlike.len());
        if right == unlike.len() {
            unlike.push(back);
        }
        places.push([left, right]);
    }
    let inputs = case.inputs.pick(&here);
    let n_classes = source.prior.len();
    let in_scores: Vec<RowPoints> = unlike
        .iter()
        .map(|back| {
            let rows = here
                .iter()
                .map(|&row| row * n_classes..(row + 1) * n_classes);
            let said: Vec<f64> = rows
                .flat_map(|own| back.said[own].iter().copied())
                .collect();
            scores(&said, n_classes)
        })
        .collect();
    let picked = |all: &RowPoints| rows.iter().map(|rows| all.pick(rows)).collect::<Vec<_>>();
    let mut misfits = apart(
        picked(&source.scores),
        in_scores,
        &places,
        source.profile.score_noise,
    );
    if source.columns.is_some() {
        let whole = unlike.iter().map(|back| {
            let points = back.points.as_ref().map(|points| points.pick(&here));
            source.whole_of(points.as_ref(), &inputs)
        });
        let more = apart(
            picked(&source.whole),
            whole.collect(),
            &places,
            source.profile.noise,
        );
        misfits
            .iter_mut()
            .zip(more)
            .for_each(|(sum, own)| *sum += own);
    }
    misfits
}

/// The distances of samples on either side, at these places, in units of noise; noise alone is no misfit.
fn apart(
    left: Vec<RowPoints>,
    right: Vec<RowPoints>,
    places: &[[usize; 2]],
    noise: f64,
) -> Vec<f64> {
    let n = left.len();
    let all = Compared::all([left, right].concat());
    let distance = |&[own, other]: &[usize; 2]| all[own].distance(&all[n + other]);
    let misfit = |pair| (distance(pair) / noise).max(0.0);
    places.iter().map(misfit).collect()
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
