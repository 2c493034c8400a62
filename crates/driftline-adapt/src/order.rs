//! The order of domains that have no time. A drift goes on from the source, so the domains that look most like it come
//! first: by the sliced Wasserstein distance SW₂² = mean over directions of ∫(Q₁(u) − Q₂(u))² du between quantile
//! functions of projections, from the source or from one domain to the next, or by how sure the source model is of them.

use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bridge::Space;
use driftline_core::data::Inputs;
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};
use driftline_models::Classifier;

/// How to find it. No label is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DomainOrder {
    #[serde(default)]
    pub by: OrderBy,
    /// Where distances are measured.
    #[serde(default, skip_serializing_if = "Space::is_inputs")]
    pub space: Space,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OrderBy {
    /// The distance from the source, nearest first.
    #[default]
    Distance,
    /// Always the nearest to the one before; the first is the nearest to the source.
    Chain,
    /// The source model's mean confidence, surest first.
    Confidence,
    /// A random order, to compare with.
    Chance,
}

/// One domain in its place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Placed {
    /// Which domain, counted from 0 as they were given.
    pub domain: usize,
    /// What placed it: the distance SW₂ from the source or from the domain before it, or the mean confidence.
    pub measure: f64,
}

/// Directions that distributions are projected on.
const DIRECTIONS: usize = 128;
/// Points at which two quantile functions are compared.
const QUANTILES: usize = 100;

impl DomainOrder {
    /// Whether the source model is asked.
    pub fn needs_model(&self) -> bool {
        let measures = matches!(self.by, OrderBy::Distance | OrderBy::Chain);
        self.by == OrderBy::Confidence || measures && self.space == Space::Features
    }

    /// The domains in the order found. The order in which they are given decides nothing.
    pub fn of(
        &self,
        source: &Inputs,
        domains: &[Inputs],
        model: Option<&dyn Classifier>,
    ) -> Result<Vec<Placed>> {
        if source.is_empty() || domains.iter().any(Inputs::is_empty) {
            return Err(Error::empty("a domain to be put in order"));
        }
        match self.by {
            OrderBy::Confidence => {
                let model = model.ok_or_else(no_model)?;
                let confidence = |domain: &Inputs| -> Result<f64> {
                    Ok(model.probabilities(domain)?.mean_top())
                };
                let sure: Vec<f64> = domains.iter().map(confidence).collect::<Result<_>>()?;
                let negative: Vec<f64> = sure.iter().map(|sure| -sure).collect();
                Ok(sorted(&negative, |domain| sure[domain]))
            }
            OrderBy::Chance => {
                let order = permutation(domains.len(), Seed::new(0).named("chance"));
                let placed = |domain| Placed {
                    domain,
                    measure: 0.0,
                };
                Ok(order.into_iter().map(placed).collect())
            }
            OrderBy::Distance | OrderBy::Chain => {
                let in_space = |inputs: &Inputs| match (self.space, model) {
                    (Space::Inputs, _) => Ok(inputs.clone()),
                    (Space::Features, None) => Err(no_model()),
                    (Space::Features, Some(model)) => {
                        model.features(inputs)?.ok_or_else(|| Error::NotSupported {
                            what: "a model without features".into(),
                            how: "asked for distances between them; measure in `inputs`".into(),
                        })
                    }
                };
                let first = in_space(source)?;
                let directions = directions(first.shape().size());
                let start = profile(&first, &directions);
                let profile_of = |domain| Ok(profile(&in_space(domain)?, &directions));
                let profiles: Vec<Vec<f32>> =
                    domains.iter().map(profile_of).collect::<Result<_>>()?;
                Ok(match self.by {
                    OrderBy::Chain => chain(&start, &profiles),
                    _ => {
                        let far: Vec<f64> = profiles.iter().map(|p| distance(&start, p)).collect();
                        sorted(&far, |domain| far[domain])
                    }
                })
            }
        }
    }
}

fn no_model() -> Error {
    Error::NotSupported {
        what: "an order by features or confidence".into(),
        how: "found without a model".into(),
    }
}

/// Lowest first; equals stay as they were given.
fn sorted(keys: &[f64], measure: impl Fn(usize) -> f64) -> Vec<Placed> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    let placed = |domain| Placed {
        domain,
        measure: measure(domain),
    };
    order.into_iter().map(placed).collect()
}

fn chain(start: &[f32], profiles: &[Vec<f32>]) -> Vec<Placed> {
    let mut left: Vec<usize> = (0..profiles.len()).collect();
    let mut last = start;
    let mut order = vec![];
    while !left.is_empty() {
        let far: Vec<f64> = left.iter().map(|&d| distance(last, &profiles[d])).collect();
        let nearest = (0..left.len()).min_by(|&a, &b| far[a].total_cmp(&far[b]));
        let nearest = nearest.unwrap_or(0);
        let (domain, measure) = (left.remove(nearest), far[nearest]);
        last = &profiles[domain];
        order.push(Placed { domain, measure });
    }
    order
}

/// Unit vectors in random directions: those of a vector of draws that are about normal.
fn directions(size: usize) -> Vec<Vec<f32>> {
    let seed = Seed::new(0).named("directions");
    let direction = |index| {
        let mut generator = seed.nth(index).generator();
        let draws = (0..size).map(|_| {
            generator.random::<f64>() + generator.random::<f64>()
                - generator.random::<f64>()
                - generator.random::<f64>()
        });
        let draws: Vec<f64> = draws.collect();
        let length = draws
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
            .sqrt()
            .max(f64::MIN_POSITIVE);
        draws.into_iter().map(|x| (x / length) as f32).collect()
    };
    (0..DIRECTIONS).map(direction).collect()
}

/// The quantiles of every projection, direction after direction.
fn profile(inputs: &Inputs, directions: &[Vec<f32>]) -> Vec<f32> {
    let quantiles = |direction: &Vec<f32>| {
        let mut values: Vec<f32> = inputs.iter().map(|row| dot(row, direction)).collect();
        values.sort_unstable_by(f32::total_cmp);
        let last = (values.len() - 1) as f64;
        let at = |k: usize| {
            let place = (k as f64 + 0.5) / QUANTILES as f64 * last;
            let (low, part) = (place as usize, place.fract() as f32);
            let next = values[(low + 1).min(values.len() - 1)];
            values[low] + part * (next - values[low])
        };
        (0..QUANTILES).map(at).collect::<Vec<f32>>()
    };
    directions
        .par_iter()
        .map(quantiles)
        .collect::<Vec<_>>()
        .concat()
}

/// Eight sums side by side, so that the loop becomes vector code with the same bits everywhere.
fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest = xs.remainder().iter().zip(ys.remainder());
    let rest: f32 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..8 {
            lanes[k] += a[k] * b[k];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

/// SW₂ of two profiles.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    let squares = a
        .iter()
        .zip(b)
        .map(|(a, b)| f64::from(a - b) * f64::from(a - b));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Shape;
    use driftline_models::linear::LinearModel;

    /// A square of points whose corner is at (shift, 2·shift).
    fn cloud(shift: f32, seed: usize) -> Inputs {
        let mut generator = Seed::new(9).nth(seed).generator();
        let values = (0..600).map(|i| {
            let own: f32 = generator.random();
            own + shift * if i % 2 == 0 { 1.0 } else { 2.0 }
        });
        Inputs::new(values.collect(), Shape::Vector(2)).unwrap()
    }

    fn places(found: &[Placed]) -> Vec<usize> {
        found.iter().map(|placed| placed.domain).collect()
    }

    #[test]
    fn domains_come_in_the_order_of_their_drift_however_they_are_given() {
        let source = cloud(0.0, 0);
        let weights = [vec![-1.0, -1.0], vec![0.0, 0.0]];
        // Sure of class 0 far below, and ever less so on the way up.
        let model = LinearModel::new(Shape::Vector(2), &weights, &[20.0, 0.0]).unwrap();
        let shifts = [4.0, 1.0, 3.0, 5.0, 2.0];
        let domains: Vec<Inputs> = (0..5).map(|i| cloud(shifts[i], i + 1)).collect();
        for by in [OrderBy::Distance, OrderBy::Chain, OrderBy::Confidence] {
            for space in [Space::Inputs, Space::Features] {
                let order = DomainOrder { by, space };
                let found = order.of(&source, &domains, Some(&model)).unwrap();
                assert_eq!(places(&found), [1, 4, 2, 0, 3], "{order:?}");
                let given = [3, 0, 4, 1, 2];
                let shuffled: Vec<Inputs> = given.iter().map(|&i| domains[i].clone()).collect();
                let again = order.of(&source, &shuffled, Some(&model)).unwrap();
                let again: Vec<usize> = again.iter().map(|placed| given[placed.domain]).collect();
                assert_eq!(again, [1, 4, 2, 0, 3], "{order:?}");
            }
        }
    }

    /// On a line SW₂ is W₂, whatever the directions: a shift by 3 is 3 away.
    #[test]
    fn the_distance_of_a_shift_is_its_length() {
        let line = |from: f32| {
            let values = (0..50).map(|i| from + i as f32).collect();
            Inputs::new(values, Shape::Vector(1)).unwrap()
        };
        let order = DomainOrder::default();
        let found = order
            .of(&line(0.0), &[line(-7.0), line(3.0)], None)
            .unwrap();
        assert_eq!(places(&found), [1, 0]);
        assert!((found[0].measure - 3.0).abs() < 1e-5 && (found[1].measure - 7.0).abs() < 1e-5);
        let by_model = DomainOrder {
            by: OrderBy::Confidence,
            ..order
        };
        assert!(by_model.of(&line(0.0), &[line(1.0)], None).is_err());
        assert!(
            order
                .of(&line(0.0), &[line(1.0).slice(0..0)], None)
                .is_err()
        );
    }
}
