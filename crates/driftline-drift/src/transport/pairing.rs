//! Rows of one sample paired with rows of another so that the squared distances sum to the least: the coupling that W₂
//! is made of. The smaller sample's rows come up evenly often; samples too large for one table are dealt into batches.

use rayon::prelude::*;

use super::assignment::assignment;
use driftline_core::data::Inputs;
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};

/// As many pairs as the larger sample has rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pairing {
    /// (row of the first sample, row of the second), in the order of the larger sample's rows.
    pub pairs: Vec<(usize, usize)>,
    /// The mean squared distance of the pairs.
    pub cost: f64,
}

/// Most rows of one table of costs: 4,096² single-precision numbers are 64 MB.
pub const MOST_ROWS: usize = 4_096;

/// Pairs up two samples. Up to `most` rows the pairing is the best there is; above, both are shuffled and dealt into
/// equally many batches of at most so many rows, each paired for itself.
pub fn pairing(first: &Inputs, second: &Inputs, most: usize, seed: Seed) -> Result<Pairing> {
    if first.is_empty() || second.is_empty() {
        return Err(Error::empty("a sample to be paired"));
    }
    first.expect_shape(second.shape())?;
    let n = first.len().max(second.len());
    let batches = n.div_ceil(most.max(1));
    let mut all: Vec<(usize, usize)> = vec![(0, 0); n];
    let mut total = 0.0;
    // One batch leaves the rows where they are.
    let order = |len: usize, name: &str| match batches {
        1 => (0..len).collect(),
        _ => permutation(len, seed.named(name)),
    };
    let first_larger = first.len() >= second.len();
    let (lefts, rights) = (
        evenly(&order(first.len(), "first"), n),
        evenly(&order(second.len(), "second"), n),
    );
    for batch in 0..batches {
        let range = n * batch / batches..n * (batch + 1) / batches;
        let (left, right) = (&lefts[range.clone()], &rights[range]);
        let costs = squared_distances(&first.pick(left), &second.pick(right))?;
        let found = assignment(left.len(), right.len(), &costs)?;
        total += found.cost;
        for (place, &column) in found.columns.iter().enumerate() {
            let pair = (left[place], right[column]);
            all[if first_larger { pair.0 } else { pair.1 }] = pair;
        }
    }
    Ok(Pairing {
        pairs: all,
        cost: total / n as f64,
    })
}

/// `n` of `rows`, each as often as any other or once more.
fn evenly(rows: &[usize], n: usize) -> Vec<usize> {
    (0..n).map(|at| rows[at * rows.len() / n]).collect()
}

/// Rows of the second sample that stay in the cache while distances to them are computed.
const TILE: usize = 32;

/// ‖x − y‖² for every row of `first` (one row of the table each) and every row of `second`.
pub fn squared_distances(first: &Inputs, second: &Inputs) -> Result<Vec<f32>> {
    first.expect_shape(second.shape())?;
    let columns = second.len();
    let mut table = vec![0.0; first.len() * columns];
    if table.is_empty() {
        return Ok(table);
    }
    let strips = table.par_chunks_mut(TILE * columns).enumerate();
    strips.for_each(|(strip, rows)| {
        for tile in (0..columns).step_by(TILE) {
            for (offset, row) in rows.chunks_exact_mut(columns).enumerate() {
                let x = first.row(strip * TILE + offset);
                for (column, cell) in row.iter_mut().enumerate().skip(tile).take(TILE) {
                    *cell = squared_distance(x, second.row(column));
                }
            }
        }
    });
    Ok(table)
}

/// Sixteen sums side by side, so that the loop becomes vector code with the same bits everywhere.
fn squared_distance(x: &[f32], y: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let (xs, ys) = (x.chunks_exact(16), y.chunks_exact(16));
    let rest = xs.remainder().iter().zip(ys.remainder());
    let rest: f32 = rest.map(|(a, b)| (a - b) * (a - b)).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..16 {
            let d = a[k] - b[k];
            lanes[k] += d * d;
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Cloud, Order, wasserstein};
    use driftline_core::data::Shape;
    use rand::RngExt;

    fn sample(n: usize, d: usize, seed: Seed) -> Inputs {
        let mut generator = seed.generator();
        let values = (0..n * d).map(|_| generator.random_range(-1.0..1.0));
        Inputs::new(values.collect(), Shape::Vector(d)).unwrap()
    }

    /// W₂ by the flow solver, which is another algorithm in another precision.
    #[test]
    fn the_cost_is_w2_squared() {
        for case in 0..20 {
            let seed = Seed::new(8).nth(case);
            let (p, q) = (sample(30, 19, seed.nth(0)), sample(30, 19, seed.nth(1)));
            let found = pairing(&p, &q, MOST_ROWS, seed).unwrap();
            let clouds = [&p, &q].map(|side| Cloud::from_inputs(side).unwrap());
            let w2 = wasserstein(Order::Two, &clouds[0], &clouds[1]).unwrap();
            assert!((found.cost - w2 * w2).abs() < 1e-4, "case {case}");
        }
    }

    #[test]
    fn every_row_of_the_larger_sample_has_a_partner_and_partners_are_shared_evenly() {
        for (n, m, most) in [(7, 20, 100), (20, 7, 100), (50, 31, 8), (12, 12, 5)] {
            let (p, q) = (sample(n, 2, Seed::new(1)), sample(m, 2, Seed::new(2)));
            let found = pairing(&p, &q, most, Seed::new(3)).unwrap();
            assert_eq!(found.pairs.len(), n.max(m));
            let mut counts = [vec![0; n], vec![0; m]];
            for (place, &(left, right)) in found.pairs.iter().enumerate() {
                counts[0][left] += 1;
                counts[1][right] += 1;
                assert_eq!(if n >= m { left } else { right }, place);
            }
            for counts in counts {
                let least = n.max(m) / counts.len();
                assert!(
                    counts.iter().all(|&c| c == least || c == least + 1),
                    "{counts:?}"
                );
            }
        }
        let empty = sample(0, 2, Seed::new(1));
        assert!(pairing(&empty, &empty, 5, Seed::new(0)).is_err());
        assert!(
            pairing(
                &sample(2, 2, Seed::new(1)),
                &sample(2, 3, Seed::new(1)),
                5,
                Seed::new(0)
            )
            .is_err()
        );
    }
}
