//! What clusters say of rows: P(k | x) = πₖ·N(x; μₖ(t), Σₖ) / Σ, and how likely a row is under all of them. Some rows are
//! asked about side by side: one sum after the other would wait for itself.

use super::mixture::{Cluster, Density, densities};
use driftline_core::kernels::side_by_side;
use driftline_core::math;
use driftline_core::math::LogSum;

/// Rows side by side.
const LANES: usize = 8;

/// P(k | x) for every row and cluster, and what they sum to.
pub(super) struct Shares {
    clusters: usize,
    values: Vec<f64>,
    pub totals: Vec<LogSum>,
}

impl Shares {
    /// Of each row, those of all clusters.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.clusters.max(1))
    }
}

/// Among the clusters of a class where `labels` are known. `time` is that of a row by its place.
pub(super) fn shares<R: AsRef<[f64]>>(
    clusters: &[Cluster],
    rows: &[R],
    time: impl Fn(usize) -> f64,
    labels: Option<&[usize]>,
) -> Shares {
    let mut values = logs(clusters, rows, time);
    let own = values.chunks_exact_mut(clusters.len().max(1));
    let totals = own.enumerate().map(|(at, row)| {
        let class = labels.map(|labels| labels[at]);
        share(clusters, class, row)
    });
    Shares {
        totals: totals.collect(),
        clusters: clusters.len(),
        values,
    }
}

/// The logs of the densities but for a constant that all share: rows × clusters.
pub(super) fn logs<R: AsRef<[f64]>>(
    clusters: &[Cluster],
    rows: &[R],
    time: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let n = clusters.len();
    let mut logs = vec![0.0; rows.len() * n];
    let Some(size) = rows.first().map(|row| row.as_ref().len()) else {
        return logs;
    };
    let ready = densities(clusters);
    let (mut apart, mut lanes) = (vec![0.0; size], vec![[0.0; LANES]; size]);
    side_by_side(
        #[inline(always)]
        || {
            let blocks = logs.chunks_mut(LANES * n.max(1)).zip(rows.chunks(LANES));
            for (block, (logs, rows)) in blocks.enumerate() {
                for (place, (cluster, density)) in clusters.iter().zip(&ready).enumerate() {
                    for (lane, row) in rows.iter().enumerate() {
                        cluster.apart(row.as_ref(), time(block * LANES + lane), &mut apart);
                        for (lanes, x) in lanes.iter_mut().zip(&apart) {
                            lanes[lane] = *x;
                        }
                    }
                    for (row, log) in logs.chunks_exact_mut(n).zip(density.logs(&lanes)) {
                        row[place] = log;
                    }
                }
            }
        },
    );
    logs
}

/// Logs to shares, in place.
fn share(clusters: &[Cluster], class: Option<usize>, row: &mut [f64]) -> LogSum {
    let of = |cluster: &Cluster| class.is_none_or(|class| class == cluster.class);
    let mut top = f64::NEG_INFINITY;
    for (log, cluster) in row.iter_mut().zip(clusters) {
        if !of(cluster) {
            *log = f64::NEG_INFINITY;
        }
        top = top.max(*log);
    }
    if top == f64::NEG_INFINITY {
        row.fill(0.0);
        return LogSum { top, sum: 1.0 };
    }
    let mut sum = 0.0;
    for share in row.iter_mut() {
        *share = f64::from(math::exp((*share - top).max(-80.0) as f32));
        sum += *share;
    }
    for (share, cluster) in row.iter_mut().zip(clusters) {
        *share = if of(cluster) { *share / sum } else { 0.0 };
    }
    LogSum { top, sum }
}

/// P(class | x), from that of every cluster.
pub(super) fn of_classes(clusters: &[Cluster], shares: &[f64], n_classes: usize) -> Vec<f64> {
    let mut classes = vec![0.0; n_classes];
    for (cluster, share) in clusters.iter().zip(shares) {
        classes[cluster.class] += share;
    }
    classes
}

impl Density {
    /// At `apart` from the centre, column by column.
    #[inline(always)]
    fn logs(&self, apart: &[[f64; LANES]]) -> [f64; LANES] {
        let mut squares = [0.0; LANES];
        let mut from = 0;
        for row in 0..apart.len() {
            let mut sums = [0.0; LANES];
            for (w, x) in self.whitening[from..=from + row].iter().zip(apart) {
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum += w * x;
                }
            }
            for (square, sum) in squares.iter_mut().zip(&sums) {
                *square += sum * sum;
            }
            from += row + 1;
        }
        squares.map(|squares| self.constant - 0.5 * squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(mean: f64, class: usize) -> Cluster {
        Cluster {
            class,
            count: 1.0,
            mean: vec![mean],
            velocity: vec![0.0],
            covariance: vec![1.0],
        }
    }

    #[test]
    fn shares_are_those_of_the_densities() {
        let clusters = [at(0.0, 0), at(2.0, 1), at(40.0, 1)];
        let asked = shares(&clusters, &[[1.5]], |_| 0.0, None);
        let out = asked.iter().next().unwrap();
        let right = 1.0 / (1.0 + libm::exp(-0.125 + 1.125));
        assert!((out[0] - right).abs() < 1e-6 && (out[1] - (1.0 - right)).abs() < 1e-6);
        assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let asked = shares(&clusters, &[[1.5]], |_| 0.0, Some(&[0]));
        assert_eq!(asked.iter().next().unwrap(), [1.0, 0.0, 0.0]);
    }

    /// By hand, in two columns: Σ⁻¹ and det Σ written out; at every place among the rows side by side, and after them.
    #[test]
    fn logs_follow_the_formula_wherever_a_row_stands() {
        let cluster = Cluster {
            class: 0,
            count: 3.0,
            mean: vec![1.0, -2.0],
            velocity: vec![0.5, 0.25],
            covariance: vec![2.0, 0.6, 0.6, 1.0],
        };
        let rows: Vec<[f64; 2]> = (0..LANES + 3)
            .map(|i| [0.3 * i as f64, 1.0 - 0.7 * i as f64])
            .collect();
        let got = logs(std::slice::from_ref(&cluster), &rows, |at| at as f64);
        let determinant = 2.0 - 0.36;
        for (at, (row, got)) in rows.iter().zip(got).enumerate() {
            let (a, b) = (
                row[0] - 1.0 - 0.5 * at as f64,
                row[1] + 2.0 - 0.25 * at as f64,
            );
            let squares = (a * a - 2.0 * 0.6 * a * b + 2.0 * b * b) / determinant;
            let right = -0.5 * libm::log(determinant) - 0.5 * squares;
            assert!((got - right).abs() < 1e-9, "{at}: {got} {right}");
        }
    }
}
