//! Class shares of a window from a classifier's probabilities, by expectation maximisation (Saerens et al. 2002):
//! q ← mean of p·q/prior, made to sum to 1 in every row.

use driftline_core::kernels::side_by_side;

/// When to stop, and the least probability that a row gives a class.
#[derive(Clone, Copy, Debug)]
pub struct ShareEm {
    pub rounds: usize,
    pub tolerance: f64,
    pub least: f64,
}

/// `rows` are probabilities of the classes, `prior` the shares that the classifier was trained with.
pub fn class_shares<'a>(rows: impl Iterator<Item = &'a [f32]>, prior: &[f64]) -> Vec<f64> {
    let prior: Vec<f64> = prior.iter().map(|&p| p.max(1e-3)).collect();
    let em = ShareEm {
        rounds: 60,
        tolerance: 0.0,
        least: 1e-6,
    };
    em.shares(rows, &prior)
}

impl ShareEm {
    /// The fixed point, or what the last round gives.
    pub fn shares<'a>(&self, rows: impl Iterator<Item = &'a [f32]>, prior: &[f64]) -> Vec<f64> {
        let classes = prior.len().max(1);
        let blocks = self.blocks(rows, classes);
        let n = blocks.rows.max(1) as f64;
        let mut shares = prior.to_vec();
        for _ in 0..self.rounds {
            // A class that the prior lacks stays absent.
            let ratio = |(q, s): (&f64, &f64)| if *s > 0.0 { q / s } else { 0.0 };
            let ratios: Vec<f64> = shares.iter().zip(prior).map(ratio).collect();
            let mut next = vec![0.0; prior.len()];
            side_by_side(
                #[inline(always)]
                || blocks.add(&ratios, n, &mut next),
            );
            let off = next.iter().zip(&shares).map(|(a, b)| (a - b).abs());
            let worst = off.fold(0.0, f64::max);
            shares = next;
            // From a fixed point no round leads away.
            if worst < self.tolerance || worst == 0.0 {
                break;
            }
        }
        shares
    }
}

/// Rows whose probabilities are divided side by side.
const LANES: usize = 8;

/// Probabilities, class by class within a block of rows. What a block lacks is 0.
struct Blocks {
    values: Vec<[f64; LANES]>,
    rows: usize,
}

impl ShareEm {
    fn blocks<'a>(&self, all: impl Iterator<Item = &'a [f32]>, classes: usize) -> Blocks {
        let (mut values, mut rows) = (vec![], 0);
        for row in all {
            if rows % LANES == 0 {
                values.resize(values.len() + classes, [0.0; LANES]);
            }
            let block = values.len() - classes;
            for (lanes, &p) in values[block..].iter_mut().zip(row) {
                lanes[rows % LANES] = f64::from(p).max(self.least);
            }
            rows += 1;
        }
        Blocks { values, rows }
    }
}

impl Blocks {
    /// Adds the share of every class in every row, row after row.
    #[inline(always)]
    fn add(&self, ratios: &[f64], n: f64, sums: &mut [f64]) {
        for block in self.values.chunks_exact(ratios.len().max(1)) {
            let mut totals = [0.0; LANES];
            for (lanes, ratio) in block.iter().zip(ratios) {
                for (total, p) in totals.iter_mut().zip(lanes) {
                    *total += p * ratio;
                }
            }
            for ((lanes, ratio), sum) in block.iter().zip(ratios).zip(&mut *sums) {
                let mut parts = [0.0; LANES];
                for ((part, p), total) in parts.iter_mut().zip(lanes).zip(&totals) {
                    let own = p * ratio / total / n;
                    // A row that no class explains says nothing.
                    *part = if *total > 0.0 { own } else { 0.0 };
                }
                parts.iter().for_each(|part| *sum += part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EM: ShareEm = ShareEm {
        rounds: 1000,
        tolerance: 1e-7,
        least: 0.0,
    };

    /// (posteriors, prior, shares): certain rows are counted; rows that know nothing leave the prior; no rows give nothing.
    #[test]
    fn shares_by_table() {
        type Case = (&'static [[f32; 2]], [f64; 2], [f64; 2]);
        let cases: [Case; 5] = [
            (
                &[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
                [0.5, 0.5],
                [0.75, 0.25],
            ),
            (&[[1.0, 0.0], [0.0, 1.0]], [0.9, 0.1], [0.5, 0.5]),
            (&[[0.3, 0.7], [0.3, 0.7]], [0.3, 0.7], [0.3, 0.7]),
            // Every row leans to the first class: nothing of the second is left.
            (&[[0.6, 0.4], [0.6, 0.4]], [0.5, 0.5], [1.0, 0.0]),
            (&[], [0.4, 0.6], [0.0, 0.0]),
        ];
        for (rows, prior, expected) in cases {
            let found = EM.shares(rows.iter().map(|row| &row[..]), &prior);
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{rows:?}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn sure_rows_are_counted_and_unsure_ones_follow_the_prior() {
        let sure = [[1.0f32, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let rows = sure.iter().map(|row| &row[..]);
        let shares = class_shares(rows, &[0.5, 0.5]);
        assert!((shares[0] - 0.75).abs() < 1e-3, "{shares:?}");
        let unsure = [[0.3f32, 0.7]];
        let shares = class_shares(unsure.iter().map(|row| &row[..]), &[0.3, 0.7]);
        assert!((shares[0] - 0.3).abs() < 1e-6, "{shares:?}");
    }
}
