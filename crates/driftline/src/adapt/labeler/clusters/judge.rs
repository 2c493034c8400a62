//! What the clusters say of a window besides its labels: how likely each class is for every row, and how likely the rows
//! are where the clusters were expected and where they have followed them to. And whether the source says that they may
//! be believed.

use serde::{Deserialize, Serialize};

use super::mixture::{Cluster, Density, densities, shares};
use super::start::start;
use super::state::Tracked;
use super::{Clusters, split, vectors};
use crate::Result;
use crate::adapt::{Context, State};
use crate::data::{Inputs, LabeledDomain};
use crate::drift::draw;
use crate::models::Classifier;
use crate::random::Seed;

/// Rows of the source that are looked at, and the parts they are cut into.
const MOST_ROWS: usize = 1000;
const FOLDS: usize = 5;
/// A source of so many rows is long.
pub(crate) const LONG: usize = 200;

/// A window as the clusters see it.
#[derive(Clone, Debug)]
pub(crate) struct ClustersView {
    /// Rows × classes.
    pub posteriors: Vec<f64>,
    /// The mean log-likelihood of a row, but for a constant: before the clusters have followed, and after.
    pub before: f64,
    pub after: f64,
    /// The log-likelihood of each row, after.
    pub rows: Vec<f64>,
}

/// How right clusters are about source rows that they have not seen, and how right they think they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClustersKnown {
    pub accuracy: f64,
    pub expected: f64,
    pub rows: usize,
    /// The mean log-likelihood of a row of the source, but for a constant.
    pub log_likelihood: f64,
}

impl Clusters {
    /// Follows the window from what is remembered, or from the card; with what is to be remembered next.
    pub(crate) fn view(
        &self,
        now: &Context<'_>,
        remembered: &State,
        window: &Inputs,
    ) -> Result<(ClustersView, State)> {
        let n_classes = now.first.n_classes();
        let size = window.shape().size();
        let from_card = Context {
            source: now.card,
            teacher: now.first,
            ..*now
        };
        let mut tracked = match Tracked::restore(remembered, size, n_classes)? {
            Some(tracked) => tracked,
            None => self.begin(&from_card, window.shape())?,
        };
        let rows = vectors(window);
        let (mut apart, mut own) = (vec![0.0; size], vec![]);
        let mut view = ClustersView {
            posteriors: vec![0.0; rows.len() * n_classes],
            before: 0.0,
            after: 0.0,
            rows: vec![0.0; rows.len()],
        };
        for moment in self.go_through(&mut tracked, &rows) {
            let clusters = &moment.clusters;
            let ready = densities(clusters);
            own.resize(clusters.len(), 0.0);
            view.before += moment.before * moment.rows.len() as f64;
            for at in moment.rows {
                let time = at as f64 - moment.middle;
                let log = shares(
                    clusters, &ready, &rows[at], time, None, &mut apart, &mut own,
                );
                view.rows[at] = log;
                view.after += log;
                let classes = &mut view.posteriors[at * n_classes..(at + 1) * n_classes];
                for (cluster, share) in clusters.iter().zip(&own) {
                    classes[cluster.class] += share;
                }
            }
        }
        let n = rows.len().max(1) as f64;
        view.before /= n;
        view.after /= n;
        tracked.look_back(&rows, self.recent.get());
        let times = tracked.times();
        split::split(&mut tracked.clusters, &tracked.recent, &times, self);
        Ok((view, tracked.state(size)?))
    }

    /// Of a long source: begun with its first half, they follow the second without its labels. Of a short one: every part
    /// is judged after a fit to the other parts.
    pub(crate) fn known(&self, card: &LabeledDomain, seed: Seed) -> ClustersKnown {
        let some = card.pick(&draw(card.len(), MOST_ROWS, seed));
        let rows = vectors(some.inputs());
        let labels = some.labels().as_slice();
        let labels: Vec<usize> = labels.iter().map(|&class| class as usize).collect();
        let mut score = Scored::new(some.labels().n_classes());
        match rows.len() >= LONG {
            true => self.score_later_half(&rows, &labels, &mut score),
            false => score_folds(&rows, &labels, &mut score),
        }
        score.known()
    }

    fn score_later_half(&self, rows: &[Vec<f64>], labels: &[usize], score: &mut Scored) {
        let half = rows.len() / 2;
        let mut tracked = self.begin_with(&rows[..half], &labels[..half], score.n_classes);
        let (rows, labels) = (&rows[half..], &labels[half..]);
        for moment in self.go_through(&mut tracked, rows) {
            let ready = densities(&moment.clusters);
            for at in moment.rows.clone() {
                let time = at as f64 - moment.middle;
                score.add(&moment.clusters, &ready, &rows[at], time, labels[at]);
            }
        }
    }
}

/// Every fifth row after a fit to the others.
fn score_folds(rows: &[Vec<f64>], labels: &[usize], score: &mut Scored) {
    for fold in 0..FOLDS {
        let of = |own: bool| (0..rows.len()).filter(move |row| (row % FOLDS == fold) == own);
        let fit: Vec<Vec<f64>> = of(false).map(|row| rows[row].clone()).collect();
        let classes: Vec<usize> = of(false).map(|row| labels[row]).collect();
        if fit.is_empty() {
            continue;
        }
        let clusters = start(&fit, &classes, score.n_classes);
        let ready = densities(&clusters);
        for row in of(true) {
            score.add(&clusters, &ready, &rows[row], 0.0, labels[row]);
        }
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

    fn add(
        &mut self,
        clusters: &[Cluster],
        ready: &[Density],
        row: &[f64],
        time: f64,
        label: usize,
    ) {
        let (mut apart, mut own) = (vec![0.0; row.len()], vec![0.0; clusters.len()]);
        self.log_likelihood += shares(clusters, ready, row, time, None, &mut apart, &mut own);
        let mut sums = vec![0.0; self.n_classes];
        for (cluster, share) in clusters.iter().zip(&own) {
            sums[cluster.class] += share;
        }
        let top = sums.iter().copied().fold(0.0, f64::max);
        self.expected += top;
        self.right += f64::from(u8::from(sums[label] >= top));
        self.rows += 1;
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
