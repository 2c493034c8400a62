//! Whether the source says that clusters may be believed: how right they are about rows that they have not seen, and how
//! right they think they are.

use serde::{Deserialize, Serialize};

use super::Clusters;
use super::ask::{Shares, of_classes, shares};
use super::mixture::Cluster;
use super::start::start;
use driftline_core::data::{Folds, LabeledDomain};
use driftline_core::random::Seed;
use driftline_drift::{RowPoints, draw};

/// Rows of the source that are looked at.
const MOST_ROWS: usize = 1000;
/// A source of so many rows is long; a shorter one is cut into parts.
const LONG: usize = 200;
const FOLDS: usize = 5;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClustersKnown {
    pub accuracy: f64,
    pub expected: f64,
    pub rows: usize,
    /// The mean log-likelihood of a row, but for a constant.
    pub log_likelihood: f64,
}

impl Clusters {
    /// Of a long source: begun with its first half, they follow the second without its labels. Of a short one: every part
    /// is judged after a fit to the other parts.
    pub fn known(&self, sample: &LabeledDomain, seed: Seed) -> ClustersKnown {
        let some = sample.pick(&draw(sample.len(), MOST_ROWS, seed));
        let points = RowPoints::of(some.inputs());
        let rows: Vec<&[f64]> = points.iter().collect();
        let labels = some.labels().as_slice();
        let labels: Vec<usize> = labels.iter().map(|&class| class as usize).collect();
        let mut score = Scored::new(some.labels().n_classes());
        match rows.len() >= LONG {
            true => self.score_later_half(&rows, &labels, &mut score),
            false => score_folds(&rows, &labels, &mut score),
        }
        score.known()
    }

    fn score_later_half(&self, rows: &[&[f64]], labels: &[usize], score: &mut Scored) {
        let half = rows.len() / 2;
        let mut tracked = self.begin_with(&rows[..half], &labels[..half], score.n_classes);
        let (rows, labels) = (&rows[half..], &labels[half..]);
        for moment in self.go_through(&mut tracked, rows) {
            let asked = moment.shares(rows);
            score.add(&moment.clusters, &asked, &labels[moment.rows.clone()]);
        }
    }
}

/// Every fifth row after a fit to the others.
fn score_folds(rows: &[&[f64]], labels: &[usize], score: &mut Scored) {
    let folds = Folds::in_order(rows.len(), FOLDS);
    let pick = |some: &[usize]| -> (Vec<&[f64]>, Vec<usize>) {
        some.iter().map(|&row| (rows[row], labels[row])).unzip()
    };
    for fold in 0..FOLDS {
        let (kept, held_out) = folds.split(fold);
        let ((fit, classes), (left, answers)) = (pick(&kept), pick(&held_out));
        if fit.is_empty() {
            continue;
        }
        let clusters = start(&fit, &classes, score.n_classes);
        let asked = shares(&clusters, &left, |_| 0.0, None);
        score.add(&clusters, &asked, &answers);
    }
}

/// Sums over rows.
struct Scored {
    n_classes: usize,
    rows: usize,
    right: f64,
    expected: f64,
    log_likelihood: f64,
}

impl Scored {
    fn new(n_classes: usize) -> Self {
        Self {
            n_classes,
            rows: 0,
            right: 0.0,
            expected: 0.0,
            log_likelihood: 0.0,
        }
    }

    fn add(&mut self, clusters: &[Cluster], asked: &Shares, labels: &[usize]) {
        for ((own, all), &label) in asked.iter().zip(&asked.totals).zip(labels) {
            self.log_likelihood += all.ln();
            let sums = of_classes(clusters, own, self.n_classes);
            let top = sums.iter().copied().fold(0.0, f64::max);
            self.expected += top;
            self.right += f64::from(u8::from(sums[label] >= top));
            self.rows += 1;
        }
    }

    fn known(&self) -> ClustersKnown {
        let n = self.rows.max(1) as f64;
        ClustersKnown {
            accuracy: self.right / n,
            expected: self.expected / n,
            rows: self.rows,
            log_likelihood: self.log_likelihood / n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::{Inputs, Labels, Shape};
    use rand::RngExt;

    /// Two classes of `n` rows in all, whose centres are so far apart.
    fn known(n: usize, apart: f64) -> ClustersKnown {
        let mut draw = Seed::new(3).generator();
        let mut bell = || (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0;
        let labels: Vec<u32> = (0..n as u32).map(|row| row % 2).collect();
        let values = labels.iter().flat_map(|&label| {
            let side = apart * (f64::from(label) - 0.5);
            [(bell() + side) as f32, bell() as f32]
        });
        let inputs = Inputs::new(values.collect(), Shape::Vector(2)).unwrap();
        let sample = LabeledDomain::new(inputs, Labels::new(labels, 2).unwrap()).unwrap();
        Clusters::default().known(&sample, Seed::new(0))
    }

    #[test]
    fn they_know_how_right_they_are() {
        // Half of a long source is judged, all of a short one. Φ(1) = 84 %, Φ(3) = 99.9 %.
        for (n, judged) in [(50, 50), (1000, 500)] {
            let apart = known(n, 6.0);
            assert_eq!(apart.rows, judged);
            assert!(apart.accuracy > 0.97 && apart.expected > 0.97, "{apart:?}");
        }
        let close = known(1000, 2.0);
        assert!((close.accuracy - 0.84).abs() < 0.05, "{close:?}");
        assert!((close.expected - close.accuracy).abs() < 0.06, "{close:?}");
        assert!(close.log_likelihood > known(1000, 6.0).log_likelihood - 1.0);
    }
}
