//! A cluster that has become two is split: where two Gaussians explain its rows better than one by the Bayesian
//! information criterion and a margin. Classes that lie on top of each other in the source come apart later.

use super::Clusters;
use super::ask::logs;
use super::mixture::{Cluster, Sums};
use super::start::{log_likelihood, maximise};
use driftline_drift::RowPoints;

const STEPS: usize = 12;
/// What each part inherits of the whole's covariance counts like so many rows.
const INHERITED_ROWS: f64 = 5.0;
/// A part has at least this share of the rows.
const LEAST_SHARE: f64 = 0.2;

/// Splits those clusters that the rows of late want split; `times` are those of the rows, clusters stand at time 0.
pub(super) fn split(clusters: &mut Vec<Cluster>, rows: &[&[f64]], times: &[f64], how: &Clusters) {
    let mut place = 0;
    let mut nearest = None;
    while place < clusters.len() {
        let class = clusters[place].class;
        let same = clusters.iter().filter(|other| other.class == class).count();
        if same < how.most.get() {
            // Until a cluster is split, the same rows are nearest to the same clusters.
            let nearest_to = nearest.get_or_insert_with(|| nearest_clusters(clusters, rows, times));
            let own = own(&clusters[place], place, nearest_to, (rows, times));
            let own: Vec<&[f64]> = own.iter().collect();
            if let Some([one, other]) = halves(&clusters[place], &own, how) {
                clusters[place] = one;
                clusters.push(other);
                nearest = None;
            }
        }
        place += 1;
    }
}

/// For each row the cluster under which it is most likely, of equals the first.
fn nearest_clusters(clusters: &[Cluster], rows: &[&[f64]], times: &[f64]) -> Vec<usize> {
    let logs = logs(clusters, rows, |at| times[at]);
    let nearest = logs.chunks_exact(clusters.len()).map(|logs| {
        let mut best = (f64::NEG_INFINITY, 0);
        for (number, &log) in logs.iter().enumerate() {
            if log > best.0 {
                best = (log, number);
            }
        }
        best.1
    });
    nearest.collect()
}

/// Rows that are nearest to a cluster, each where it would be at time 0.
fn own(
    cluster: &Cluster,
    place: usize,
    nearest: &[usize],
    (rows, times): (&[&[f64]], &[f64]),
) -> RowPoints {
    let mut values = vec![];
    for ((row, time), nearest) in rows.iter().zip(times).zip(nearest) {
        if *nearest == place {
            let back = row.iter().zip(&cluster.velocity);
            values.extend(back.map(|(x, v)| x - time * v));
        }
    }
    RowPoints::new(values, cluster.mean.len())
}

fn halves(whole: &Cluster, rows: &[&[f64]], how: &Clusters) -> Option<[Cluster; 2]> {
    let size = whole.mean.len();
    let n = rows.len();
    if n < how.least_rows.get().max(2 * size) {
        return None;
    }
    let mut sums = Sums::new(size);
    rows.iter().for_each(|row| sums.add(row, 1.0));
    let mean = sums.mean();
    let covariance = sums.scatter(&mean);
    let one = Cluster {
        count: n as f64,
        velocity: vec![0.0; size],
        mean,
        covariance,
        ..whole.clone()
    };
    let axis = principal(&one.covariance, size);
    let mut shorter = one.covariance.clone();
    for i in 0..size {
        for j in 0..size {
            shorter[i * size + j] -= 0.9 * axis[i] * axis[j];
        }
    }
    let side = |sign: f64| Cluster {
        count: n as f64 / 2.0,
        mean: one
            .mean
            .iter()
            .zip(&axis)
            .map(|(m, a)| m + sign * a)
            .collect(),
        covariance: shorter.clone(),
        ..one.clone()
    };
    let mut two = [side(-1.0), side(1.0)];
    let inherited: Vec<f64> = one.covariance.iter().map(|value| value / 2.0).collect();
    for _ in 0..STEPS {
        maximise(rows, &mut two, &inherited, INHERITED_ROWS);
    }
    let better = log_likelihood(rows, &two) - log_likelihood(rows, std::slice::from_ref(&one));
    let more = (1 + size + size * (size + 1) / 2) as f64;
    let gain = 2.0 * better - more * driftline_core::math::ln(n as f64);
    let balanced = two.iter().all(|part| part.count > LEAST_SHARE * n as f64);
    (gain > how.margin.get() && balanced).then(|| {
        two.map(|part| Cluster {
            count: whole.count * part.count / n as f64,
            velocity: whole.velocity.clone(),
            ..part
        })
    })
}

/// The direction of most variance, four fifths of a deviation long.
fn principal(covariance: &[f64], size: usize) -> Vec<f64> {
    // A start that no symmetry of the data is likely to have.
    let mut axis: Vec<f64> = (0..size).map(|i| 1.0 + 0.37 * i as f64).collect();
    let mut image = vec![0.0; size];
    let mut length = 0.0;
    for _ in 0..50 {
        for (image, row) in image.iter_mut().zip(covariance.chunks_exact(size)) {
            *image = row.iter().zip(&axis).map(|(c, a)| c * a).sum();
        }
        length = image.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= 0.0 {
            break;
        }
        for (axis, image) in axis.iter_mut().zip(&image) {
            *axis = image / length;
        }
    }
    let deviation = 0.8 * length.max(0.0).sqrt();
    axis.iter().map(|x| x * deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_is_that_of_most_variance() {
        let axis = principal(&[4.0, 0.0, 0.0, 1.0], 2);
        assert!(
            (axis[0] - 1.6).abs() < 1e-6 && axis[1].abs() < 1e-6,
            "{axis:?}"
        );
    }

    /// A ring of points far out and one about the centre; two of them far apart are two clusters.
    #[test]
    fn two_heaps_are_split_and_one_is_not() {
        let heap = |x: f64| {
            (0..60).map(move |i| {
                let (angle, radius) = (i as f64 * 2.399_963, (i as f64 / 60.0).sqrt());
                [x + radius * angle.cos(), radius * angle.sin()]
            })
        };
        let whole = Cluster {
            class: 1,
            count: 50.0,
            mean: vec![0.0, 0.0],
            velocity: vec![0.1, 0.0],
            covariance: vec![9.0, 0.0, 0.0, 1.0],
        };
        let how = Clusters::default();
        let heaps = |rows: Vec<[f64; 2]>| {
            let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
            halves(&whole, &rows, &how)
        };
        let [one, other] = heaps(heap(-4.0).chain(heap(4.0)).collect()).unwrap();
        assert!((one.mean[0].abs() - 4.0).abs() < 0.1 && one.mean[0] * other.mean[0] < 0.0);
        assert_eq!((one.class, one.velocity), (1, whole.velocity.clone()));
        assert!((one.count + other.count - 50.0).abs() < 1.0);
        assert!(heaps(heap(0.0).collect()).is_none());
    }
}
