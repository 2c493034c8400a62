//! Optimal transport with a bonus for spreading: min over couplings of Σ Pᵢⱼ cᵢⱼ + ε Σ Pᵢⱼ (ln Pᵢⱼ − 1), both sides equally
//! heavy. Sinkhorn's iteration on the prices, in logarithms, so that a small ε does not underflow:
//! fᵢ = −ε ln (1/m) Σⱼ exp((gⱼ − cᵢⱼ)/ε), then g alike, and Pᵢⱼ = exp((fᵢ + gⱼ − cᵢⱼ)/ε)/(n m).

use rayon::prelude::*;

use driftline_core::data::{Inputs, Positive};
use driftline_core::{Error, Result, math};

/// A coupling of two samples, as the prices that it is made from.
#[derive(Clone, Debug)]
pub struct Coupling<'a> {
    costs: &'a [f32],
    epsilon: f64,
    row_prices: Vec<f64>,
    column_prices: Vec<f64>,
    /// How much mass the rows are short of or beyond their shares, in all.
    pub error: f64,
    pub iterations: usize,
}

/// Sinkhorn's iteration on a table of `rows` × `columns` costs. `blur` is ε as a share of the mean cost; it ends when the
/// masses of the rows are within `tolerance` of their shares (in total), or after `most` iterations.
pub fn entropic(
    rows: usize,
    columns: usize,
    costs: &[f32],
    blur: Positive,
    tolerance: f64,
    most: usize,
) -> Result<Coupling<'_>> {
    if rows == 0 || columns == 0 {
        return Err(Error::empty("a sample to be coupled"));
    }
    if rows.checked_mul(columns) != Some(costs.len()) {
        return Err(Error::mismatch(
            "the table of costs",
            format!("{rows} × {columns} numbers"),
            costs.len(),
        ));
    }
    if let Some(bad) = costs
        .iter()
        .find(|cost| !(cost.is_finite() && **cost >= 0.0))
    {
        return Err(Error::out_of_range(
            "a cost",
            bad,
            "finite and not negative",
        ));
    }
    let mean = costs.iter().map(|&cost| f64::from(cost)).sum::<f64>() / costs.len() as f64;
    // Where nothing costs anything, any ε gives the same.
    let epsilon = if mean > 0.0 { blur.get() * mean } else { 1.0 };
    let turned: Vec<f32> = (0..columns)
        .into_par_iter()
        .flat_map_iter(|column| (0..rows).map(move |row| costs[row * columns + column]))
        .collect();
    let mut coupling = Coupling {
        costs,
        epsilon,
        row_prices: vec![0.0; rows],
        column_prices: vec![0.0; columns],
        error: f64::INFINITY,
        iterations: 0,
    };
    while coupling.iterations < most.max(1) && coupling.error > tolerance {
        let before = std::mem::take(&mut coupling.row_prices);
        coupling.row_prices = prices(costs, &coupling.column_prices, epsilon);
        if coupling.iterations > 0 {
            // A row's mass under the prices before is exp((f − f′)/ε) of its share.
            let moved = before.iter().zip(&coupling.row_prices);
            let off = moved.map(|(old, new)| (libm::exp((old - new) / epsilon) - 1.0).abs());
            coupling.error = off.sum::<f64>() / rows as f64;
        }
        coupling.column_prices = prices(&turned, &coupling.row_prices, epsilon);
        coupling.iterations += 1;
    }
    Ok(coupling)
}

/// −ε ln mean exp((other − cost)/ε) for every row of `costs`.
fn prices(costs: &[f32], others: &[f64], epsilon: f64) -> Vec<f64> {
    let rows = costs.par_chunks_exact(others.len());
    rows.map(|row| {
        let value = |(&cost, other): (&f32, &f64)| (other - f64::from(cost)) / epsilon;
        let top = row
            .iter()
            .zip(others)
            .map(value)
            .fold(f64::NEG_INFINITY, f64::max);
        let terms = row.iter().zip(others).map(value);
        let sum: f64 = terms.map(|v| f64::from(math::exp((v - top) as f32))).sum();
        -epsilon * (top + math::ln(sum / others.len() as f64))
    })
    .collect()
}

impl Coupling<'_> {
    /// The shares in which a row's mass goes to the columns; they sum to 1.
    pub fn shares(&self, row: usize) -> Vec<f32> {
        let m = self.column_prices.len();
        let costs = &self.costs[row * m..(row + 1) * m];
        let value = |(&cost, price): (&f32, &f64)| {
            (price + self.row_prices[row] - f64::from(cost)) / self.epsilon
        };
        let mut shares: Vec<f32> = (costs.iter().zip(&self.column_prices))
            .map(|pair| math::exp(value(pair) as f32))
            .collect();
        let total: f64 = shares.iter().map(|&share| f64::from(share)).sum();
        // Prices are such that the total is about m.
        shares
            .iter_mut()
            .for_each(|share| *share = (f64::from(*share) / total) as f32);
        shares
    }

    /// Where every row's mass goes to on average: Σⱼ shareⱼ yⱼ.
    pub fn barycentres(&self, to: &Inputs) -> Result<Inputs> {
        if to.len() != self.column_prices.len() {
            return Err(Error::mismatch(
                "the rows coupled to",
                self.column_prices.len(),
                to.len(),
            ));
        }
        let size = to.shape().size();
        let rows = (0..self.row_prices.len()).into_par_iter();
        let values: Vec<f32> = rows
            .flat_map_iter(|row| {
                let mut mean = vec![0.0_f32; size];
                for (share, y) in self.shares(row).into_iter().zip(to.iter()) {
                    if share > 0.0 {
                        mean.iter_mut()
                            .zip(y)
                            .for_each(|(mean, y)| *mean += share * y);
                    }
                }
                mean
            })
            .collect();
        Inputs::new(values, to.shape())
    }

    /// Σ Pᵢⱼ cᵢⱼ.
    pub fn cost(&self) -> f64 {
        let (n, m) = (self.row_prices.len(), self.column_prices.len());
        let of_row = |row: usize| -> f64 {
            let costs = &self.costs[row * m..(row + 1) * m];
            let pairs = self.shares(row).into_iter().zip(costs);
            pairs
                .map(|(share, &cost)| f64::from(share) * f64::from(cost))
                .sum()
        };
        let each: Vec<f64> = (0..n).into_par_iter().map(of_row).collect();
        each.iter().sum::<f64>() / n as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::assignment;
    use driftline_core::data::Shape;
    use driftline_core::random::Seed;
    use rand::RngExt;

    fn table(n: usize, seed: Seed) -> Vec<f32> {
        let mut generator = seed.generator();
        (0..n * n)
            .map(|_| generator.random_range(0.0..1.0))
            .collect()
    }

    fn blur(share: f64) -> Positive {
        Positive::new(share).unwrap()
    }

    /// Both sides keep their masses, and with little blur the cost comes down to that of the exact assignment.
    #[test]
    fn masses_are_kept_and_little_blur_is_nearly_exact() {
        for case in 0..5 {
            let n = 12 + case;
            let costs = table(n, Seed::new(3).nth(case));
            let exact = assignment(n, n, &costs).unwrap().cost / n as f64;
            let mut last = f64::INFINITY;
            for share in [1.0, 0.1, 0.03] {
                let found = entropic(n, n, &costs, blur(share), 1e-4, 10_000).unwrap();
                assert!(found.error <= 1e-4, "case {case}: {}", found.error);
                let mut arrived = vec![0.0; n];
                for row in 0..n {
                    let shares = found.shares(row).into_iter().map(f64::from);
                    arrived
                        .iter_mut()
                        .zip(shares)
                        .for_each(|(sum, share)| *sum += share);
                }
                assert!(
                    arrived.iter().all(|sum| (sum - 1.0).abs() < 0.01),
                    "{arrived:?}"
                );
                assert!(found.cost() > exact - 1e-6 && found.cost() < last + 1e-6);
                last = found.cost();
            }
            assert!(last < exact + 0.05, "case {case}: {last} {exact}");
        }
    }

    /// The same by the definition, masses instead of prices, in plain double precision.
    #[test]
    fn agrees_with_scaling_of_masses() {
        let n = 9;
        let costs = table(n, Seed::new(4));
        let found = entropic(n, n, &costs, blur(0.2), 1e-6, 10_000).unwrap();
        let mean = costs.iter().map(|&c| f64::from(c)).sum::<f64>() / costs.len() as f64;
        let kernel: Vec<f64> = costs
            .iter()
            .map(|&c| (-f64::from(c) / (0.2 * mean)).exp())
            .collect();
        let (mut u, mut v) = (vec![1.0; n], vec![1.0; n]);
        for _ in 0..10_000 {
            for i in 0..n {
                u[i] = 1.0 / (0..n).map(|j| kernel[i * n + j] * v[j]).sum::<f64>();
            }
            for j in 0..n {
                v[j] = 1.0 / (0..n).map(|i| kernel[i * n + j] * u[i]).sum::<f64>();
            }
        }
        for i in 0..n {
            for (j, share) in found.shares(i).into_iter().enumerate() {
                let right = u[i] * kernel[i * n + j] * v[j];
                assert!((f64::from(share) - right).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn barycentres_lie_where_the_mass_goes() {
        let to = Inputs::new(vec![0.0, 10.0], Shape::Vector(1)).unwrap();
        let costs = [0.0, 100.0, 100.0, 0.0];
        let found = entropic(2, 2, &costs, blur(0.01), 1e-9, 100).unwrap();
        assert_eq!(&*found.barycentres(&to).unwrap().contiguous(), [0.0, 10.0]);
        let all_alike = entropic(2, 2, &[0.0; 4], blur(0.01), 1e-9, 100).unwrap();
        assert_eq!(
            &*all_alike.barycentres(&to).unwrap().contiguous(),
            [5.0, 5.0]
        );
        assert!(entropic(0, 2, &[], blur(0.1), 1e-9, 9).is_err());
        assert!(entropic(1, 2, &[1.0, -1.0], blur(0.1), 1e-9, 9).is_err());
    }
}
