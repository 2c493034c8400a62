//! The mixture of the labelled source: each class is cut into so many clouds by k-means, and each cloud gets its rows' mean
//! and spread, the spread shrunk towards that of all clouds together.

use super::{ClassMixture, Spread};
use crate::points::RowPoints;
use driftline_core::random::{Seed, permutation};

/// Rounds of k-means.
const ROUNDS: usize = 20;
/// What is added to every variance, in the source's variances.
pub(super) const LEAST: f64 = 1e-4;
const POOLED: f64 = 0.01;

impl ClassMixture {
    /// `labels` are the classes of the rows, below `n_classes`.
    pub fn fit(
        points: &RowPoints,
        labels: &[u32],
        n_classes: usize,
        per_class: usize,
        spread: Spread,
        seed: Seed,
    ) -> Self {
        let size = points.size();
        let mut classes = Vec::new();
        let mut means = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for class in 0..n_classes {
            let own: Vec<usize> = (0..points.len())
                .filter(|&row| labels[row] as usize == class)
                .collect();
            for (mean, rows) in cut(points, &own, per_class, seed.nth(class)) {
                classes.push(class);
                means.extend(mean);
                members.push(rows);
            }
        }
        let whole = spread != Spread::Axes;
        let width = if whole { size * size } else { size };
        let mut scatters = vec![vec![0.0; width]; classes.len()];
        let mut off = vec![0.0; size];
        for (cloud, rows) in members.iter().enumerate() {
            let mean = &means[cloud * size..(cloud + 1) * size];
            for &row in rows {
                let pair = (points.row(row), mean);
                scatter(&mut scatters[cloud], pair, 1.0, whole, &mut off);
            }
            if whole {
                mirror(&mut scatters[cloud], size);
            }
        }
        let n = points.len().max(1) as f64;
        let mut pooled: Vec<f64> = (0..width)
            .map(|at| scatters.iter().map(|own| own[at]).sum::<f64>() / n)
            .collect();
        raise(&mut pooled, size, whole, POOLED);
        // As if so many rows of the pooled spread had been seen in every cloud.
        let prior = (size + 5) as f64;
        let spreads = scatters.iter().zip(&members).flat_map(|(own, rows)| {
            let total = rows.len() as f64 + prior;
            let blended = own
                .iter()
                .zip(&pooled)
                .map(move |(own, pooled)| (own + prior * pooled) / total);
            match spread {
                Spread::Shared => pooled.clone(),
                Spread::Axes | Spread::Own => blended.collect(),
            }
        });
        let spreads = spreads.collect();
        let clouds = classes.len() as f64;
        let shares = members
            .iter()
            .map(|rows| (rows.len() as f64 + 1.0) / (n + clouds));
        let (centre, deviations) = points.moments();
        Self {
            n_classes,
            size,
            spread,
            shares: shares.collect(),
            classes,
            means,
            spreads,
            centre,
            deviations,
        }
    }
}

/// Adds weight·(x − m)(x − m)ᵀ, whole or its diagonal only; `off` has room for a row. Of a whole matrix the lower triangle
/// counts, see [`mirror`]: the upper costs nothing beside it, and is off by a rounding.
#[inline(always)]
pub(crate) fn scatter(
    sums: &mut [f64],
    (row, mean): (&[f64], &[f64]),
    weight: f64,
    whole: bool,
    off: &mut [f64],
) {
    for ((off, x), mean) in off.iter_mut().zip(row).zip(mean) {
        *off = x - mean;
    }
    if !whole {
        for (sum, own) in sums.iter_mut().zip(&*off) {
            *sum += weight * own * own;
        }
        return;
    }
    for (sums, own) in sums.chunks_exact_mut(row.len()).zip(&*off) {
        let part = weight * own;
        for (sum, other) in sums.iter_mut().zip(&*off) {
            *sum += part * other;
        }
    }
}

/// The upper triangle of a whole matrix, from the lower.
pub(super) fn mirror(sums: &mut [f64], size: usize) {
    for i in 0..size {
        for j in 0..i {
            sums[j * size + i] = sums[i * size + j];
        }
    }
}

/// Adds `by` to every variance.
pub(crate) fn raise(spread: &mut [f64], size: usize, whole: bool, by: f64) {
    let stride = if whole { size + 1 } else { 1 };
    spread
        .iter_mut()
        .step_by(stride)
        .for_each(|variance| *variance += by);
}

/// k-means of some rows: means and members. A cloud has five rows of the class or more where there are so many.
fn cut(
    points: &RowPoints,
    rows: &[usize],
    parts: usize,
    seed: Seed,
) -> Vec<(Vec<f64>, Vec<usize>)> {
    if rows.is_empty() {
        return vec![];
    }
    let parts = parts.min((rows.len() / 5).max(1));
    let order = permutation(rows.len(), seed);
    let mut means: Vec<Vec<f64>> = order[..parts]
        .iter()
        .map(|&at| points.row(rows[at]).to_vec())
        .collect();
    let mut members = vec![vec![]; parts];
    for _ in 0..ROUNDS {
        let mut next = vec![vec![]; parts];
        for &row in rows {
            next[nearest(points.row(row), &means)].push(row);
        }
        // The same rows have the same means: no round leads away from here.
        if next == members {
            break;
        }
        members = next;
        for (mean, own) in means.iter_mut().zip(&members) {
            if !own.is_empty() {
                *mean = points.pick(own).moments().0;
            }
        }
    }
    let clouds = means.into_iter().zip(members);
    clouds.filter(|(_, members)| !members.is_empty()).collect()
}

fn nearest(row: &[f64], means: &[Vec<f64>]) -> usize {
    let distance = |mean: &Vec<f64>| -> f64 {
        let apart = row.iter().zip(mean).map(|(x, m)| (x - m) * (x - m));
        apart.sum()
    };
    let all = means.iter().map(distance).enumerate();
    let nearest = all.min_by(|(_, a), (_, b)| a.total_cmp(b));
    nearest.map_or(0, |(at, _)| at)
}
