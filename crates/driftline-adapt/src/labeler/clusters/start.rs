//! The first clusters, from labelled rows: for each class one to four, as many as the Bayesian information criterion,
//! −2 ln L + p·ln n, finds best. Covariances are shrunk towards what the classes have in common.

use super::ask::shares;
use super::mixture::{Cluster, Sums};

/// More are not tried.
const MOST: usize = 4;
/// The shared covariance counts like so many rows.
const SHARED_ROWS: f64 = 5.0;
/// So much of it is the same in all directions.
const ROUND: f64 = 0.1;
const STEPS: usize = 15;

/// Rows of each class, as vectors.
pub(super) fn start(rows: &[&[f64]], labels: &[usize], n_classes: usize) -> Vec<Cluster> {
    let size = rows.first().map_or(0, |row| row.len());
    let of = |class: usize| -> Vec<&[f64]> {
        let own = rows.iter().zip(labels).filter(|(_, own)| **own == class);
        own.map(|(row, _)| *row).collect()
    };
    let classes: Vec<Vec<&[f64]>> = (0..n_classes).map(of).collect();
    let shared = shared(&classes, size);
    let mut clusters = vec![];
    for (class, rows) in classes.iter().enumerate() {
        let mut best: Option<(f64, Vec<Cluster>)> = None;
        for k in 1..=MOST.min(rows.len()) {
            let fitted = fit(rows, k, class, &shared);
            let parameters = (k * (1 + size + size * (size + 1) / 2) - 1) as f64;
            let n = rows.len() as f64;
            let criterion =
                parameters * driftline_core::math::ln(n) - 2.0 * log_likelihood(rows, &fitted);
            if best.as_ref().is_none_or(|(least, _)| criterion < *least) {
                best = Some((criterion, fitted));
            }
        }
        clusters.extend(best.into_iter().flat_map(|(_, fitted)| fitted));
    }
    clusters
}

/// The mean covariance within classes, made rounder.
fn shared(classes: &[Vec<&[f64]>], size: usize) -> Vec<f64> {
    let mut shared = vec![0.0; size * size];
    let mut rows = 0.0;
    for own in classes {
        let mut sums = Sums::new(size);
        own.iter().for_each(|row| sums.add(row, 1.0));
        let scatter = sums.scatter(&sums.mean());
        let pairs = shared.iter_mut().zip(&scatter);
        pairs.for_each(|(all, own)| *all += own * sums.count);
        rows += sums.count;
    }
    let trace: f64 = (0..size).map(|i| shared[i * size + i]).sum();
    let mean = trace / (size.max(1) as f64 * rows.max(1.0));
    for i in 0..size {
        for j in 0..size {
            let value = &mut shared[i * size + j];
            *value *= (1.0 - ROUND) / rows.max(1.0);
            if i == j {
                *value += ROUND * mean;
            }
        }
    }
    shared
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += (a - b) * (a - b);
    }
    sum
}

/// k centres: the row farthest from the mean, then always the one farthest from those there are; then k-means.
fn centres(rows: &[&[f64]], k: usize) -> Vec<Vec<f64>> {
    let mut all = Sums::new(rows[0].len());
    rows.iter().for_each(|row| all.add(row, 1.0));
    let mean = all.mean();
    if k == 1 {
        return vec![mean];
    }
    let mut centres: Vec<Vec<f64>> = vec![];
    while centres.len() < k {
        let far = |row: &[f64]| match centres.is_empty() {
            true => squared(row, &mean),
            false => {
                let each = centres.iter().map(|centre| squared(row, centre));
                each.fold(f64::INFINITY, f64::min)
            }
        };
        let farthest = rows.iter().max_by(|a, b| far(a).total_cmp(&far(b)));
        centres.push(farthest.map_or_else(|| mean.clone(), |row| row.to_vec()));
    }
    for _ in 0..STEPS {
        let mut sums = vec![Sums::new(mean.len()); k];
        for row in rows {
            let near = (0..k)
                .min_by(|&a, &b| squared(row, &centres[a]).total_cmp(&squared(row, &centres[b])));
            sums[near.unwrap_or(0)].add(row, 1.0);
        }
        for (centre, sums) in centres.iter_mut().zip(&sums) {
            if sums.count > 0.0 {
                *centre = sums.mean();
            }
        }
    }
    centres
}

/// Expectation and maximisation from those centres.
fn fit(rows: &[&[f64]], k: usize, class: usize, shared: &[f64]) -> Vec<Cluster> {
    let size = rows[0].len();
    let new = |mean: Vec<f64>| Cluster {
        class,
        count: rows.len() as f64 / k as f64,
        velocity: vec![0.0; size],
        covariance: shared.to_vec(),
        mean,
    };
    let mut clusters: Vec<Cluster> = centres(rows, k).into_iter().map(new).collect();
    for _ in 0..STEPS {
        maximise(rows, &mut clusters, shared, SHARED_ROWS);
    }
    clusters
}

/// One step; `prior` counts like `weight` rows of every cluster.
pub(super) fn maximise(rows: &[&[f64]], clusters: &mut [Cluster], prior: &[f64], weight: f64) {
    let size = rows[0].len();
    let mut sums = vec![Sums::new(size); clusters.len()];
    let asked = shares(clusters, rows, |_| 0.0, None);
    for (row, own) in rows.iter().zip(asked.iter()) {
        for (sums, &share) in sums.iter_mut().zip(own) {
            sums.add(row, share);
        }
    }
    for (cluster, sums) in clusters.iter_mut().zip(&sums) {
        cluster.mean = sums.mean();
        let scatter = sums.scatter(&cluster.mean);
        cluster.count = sums.count + 0.1;
        let pairs = cluster
            .covariance
            .iter_mut()
            .zip(prior.iter().zip(&scatter));
        for (value, (prior, own)) in pairs {
            *value = (weight * prior + sums.count * own) / (weight + sums.count);
        }
    }
}

pub(super) fn log_likelihood(rows: &[&[f64]], clusters: &[Cluster]) -> f64 {
    let asked = shares(clusters, rows, |_| 0.0, None);
    asked.totals.iter().map(|all| all.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(x: f64, y: f64, n: usize) -> Vec<Vec<f64>> {
        let angle = |i: usize| i as f64 * 2.399_963;
        let radius = |i: usize| 0.4 * ((i as f64 + 0.5) / n as f64).sqrt();
        (0..n)
            .map(|i| {
                vec![
                    x + radius(i) * angle(i).cos(),
                    y + radius(i) * angle(i).sin(),
                ]
            })
            .collect()
    }

    #[test]
    fn as_many_clusters_as_there_are() {
        let rows = [blob(0.0, 0.0, 30), blob(4.0, 0.0, 30), blob(2.0, 5.0, 30)].concat();
        let labels: Vec<usize> = (0..90).map(|row| usize::from(row >= 60)).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &**row).collect();
        let clusters = start(&rows, &labels, 2);
        let classes: Vec<usize> = clusters.iter().map(|cluster| cluster.class).collect();
        assert_eq!(classes, [0, 0, 1]);
        assert!((clusters[2].mean[1] - 5.0).abs() < 0.05);
    }

    #[test]
    fn a_step_never_makes_the_rows_less_likely() {
        let rows = [blob(0.0, 0.0, 20), blob(1.0, 0.5, 25)].concat();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &**row).collect();
        let mut clusters = fit(&rows, 2, 0, &[1.0, 0.0, 0.0, 1.0]);
        clusters[0].mean = vec![-1.0, 0.3];
        let mut before = f64::NEG_INFINITY;
        for _ in 0..20 {
            maximise(&rows, &mut clusters, &[0.0; 4], 0.0);
            let now = log_likelihood(&rows, &clusters);
            assert!(now >= before - 0.02, "{before} {now}");
            before = now;
        }
    }
}
