//! Clusters followed from window to window (SCARGC's idea with Gaussians that move): as many per class as the labelled
//! source shows, each with place, velocity, shape and share. A row takes the class that is most likely where and when it
//! came, Σₖ πₖ·N(x; μₖ(t), Σₖ) over the class's clusters; to learn from it is moved on with its cluster to where that is
//! expected in the middle of the next window.

mod ask;
mod follow;
mod known;
mod mixture;
mod split;
mod start;
mod state;
mod view;

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use self::ask::{Shares, of_classes, shares};
use self::follow::follow;
pub use self::known::ClustersKnown;
use self::mixture::Cluster;
use self::state::ClusterTracks;
pub use self::view::ClustersView;
use super::{Labeled, Labeler, Labeling};
use crate::{Context, State};
use driftline_core::data::{Domain, Examples, Inputs, Labels, NonNegative, Positive, Targets};
use driftline_core::{Error, Result};
use driftline_drift::RowPoints;
use driftline_models::{AnyModel, Classifier};

/// Every constant was chosen on seven streams of the archive (docs/archive.md).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Clusters {
    /// Clusters are moved after every N rows.
    pub rows: NonZeroUsize,
    /// Steps of expectation and maximisation each time.
    pub steps: NonZeroUsize,
    /// Where a cluster is expected counts like this many of its rows.
    pub inertia: Positive,
    /// The part of a correction that its velocity takes up; 0 for clusters that stand still between windows.
    pub turn: NonNegative,
    /// Its shape before counts like this many of its rows …
    pub remember_shape: Positive,
    /// … and the shares of all clusters like this many rows.
    pub remember_shares: Positive,
    /// A class has at most this many clusters after a split.
    pub most: NonZeroUsize,
    /// A cluster is split where the Bayesian information criterion is better by so much …
    pub margin: NonNegative,
    /// … on at least this many rows of its own …
    pub least_rows: NonZeroUsize,
    /// … among this many recent rows.
    pub recent: NonZeroUsize,
    /// Rows are moved so far ahead, in windows; 0 leaves them where they came.
    pub ahead: NonNegative,
}

impl Default for Clusters {
    fn default() -> Self {
        let whole = |n: usize| NonZeroUsize::new(n).expect("constants are not 0");
        let positive = |x: f64| Positive::new(x).expect("constants are in range");
        let known = |x: f64| NonNegative::new(x).expect("constants are in range");
        Self {
            rows: whole(50),
            steps: whole(3),
            inertia: positive(20.0),
            turn: known(0.05),
            remember_shape: positive(200.0),
            remember_shares: positive(1000.0),
            most: whole(3),
            margin: known(20.0),
            least_rows: whole(30),
            recent: whole(300),
            ahead: known(0.5),
        }
    }
}

/// Covariances of more columns would take more rows than a window has.
pub(crate) const MOST_COLUMNS: usize = 64;

/// The clusters as they were for some rows of the window: these rows, at the time of their middle.
struct Moment {
    rows: std::ops::Range<usize>,
    middle: f64,
    clusters: Vec<Cluster>,
    /// The mean log-likelihood of a row where the clusters were expected, but for a constant.
    before: f64,
}

impl Moment {
    /// What its clusters say of its rows, `rows` being those of the whole window.
    fn shares(&self, rows: &[&[f64]]) -> Shares {
        let time = |at: usize| (self.rows.start + at) as f64 - self.middle;
        shares(&self.clusters, &rows[self.rows.clone()], time, None)
    }
}

impl Labeler for Clusters {
    fn suits(&self, columns: usize) -> bool {
        columns <= MOST_COLUMNS
    }

    fn takes_long(&self) -> bool {
        true
    }

    fn clusters(&self, _: &AnyModel) -> Option<Clusters> {
        Some(*self)
    }

    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let size = window.inputs.shape().size();
        if !self.suits(size) {
            return Err(Error::NotSupported {
                what: format!("clusters of {size} columns (at most {MOST_COLUMNS})"),
                how: "followed; another labeler, such as `teacher`, takes any number".into(),
            });
        }
        if window.is_empty() {
            return Err(Error::empty("the domain to be labelled"));
        }
        let n_classes = ctx.teacher.n_classes();
        let mut tracked = self.stand(ctx, &ctx.teacher.labeler, window.inputs.shape())?;
        let points = RowPoints::of(&window.inputs);
        let rows: Vec<&[f64]> = points.iter().collect();
        // Where some rows of the window are learned from, each stands for those around it.
        let all = ctx.stage.learn.as_ref().map_or(rows.len(), Domain::len);
        let step = all as f64 / rows.len() as f64;
        tracked.in_steps_of(step);
        let moments = self.go_through(&mut tracked, &rows);
        let (labels, moved) = self.labels(&tracked, &moments, &rows, n_classes);
        let remembered = self.remember(tracked, &rows, step)?;
        let labels = Labels::new(labels, n_classes)?;
        let labeling = Labeling::kept(rows.len(), &labels);
        let inputs = Inputs::new(moved, window.inputs.shape())?;
        let examples = Examples::new(inputs, Targets::Hard(labels))?;
        Ok(Labeled::new(Some(examples), labeling).remembering(remembered))
    }
}

impl Clusters {
    /// What is to be known when the next window comes, once clusters that fall apart are split. Time was counted in steps
    /// of this many rows.
    fn remember(&self, mut tracked: ClusterTracks, rows: &[&[f64]], step: f64) -> Result<State> {
        tracked.look_back(rows, self.recent.get());
        let size = rows[0].len();
        let recent: Vec<&[f64]> = tracked.recent.chunks_exact(size).collect();
        let times = tracked.times(recent.len());
        split::split(&mut tracked.clusters, &recent, &times, self);
        tracked.in_steps_of(1.0 / step);
        tracked.state(size)
    }

    /// A few rows at a time; the clusters at each of these times.
    fn go_through(&self, tracked: &mut ClusterTracks, rows: &[&[f64]]) -> Vec<Moment> {
        let n = rows.len();
        let parts = (n as f64 / self.rows.get() as f64).round().max(1.0) as usize;
        let mut moments = vec![];
        for part in 0..parts {
            let rows = part * n / parts..(part + 1) * n / parts;
            let middle = (rows.start + rows.end - 1) as f64 / 2.0;
            moments.push((rows, middle));
        }
        // Time counts from the window's first row; where the clusters stand lies before it.
        let mut stand = -1.0 - tracked.behind;
        let go = |(range, middle): (std::ops::Range<usize>, f64)| {
            let part = &rows[range.clone()];
            let before = follow(&mut tracked.clusters, part, None, middle - stand, self);
            stand = middle;
            Moment {
                rows: range,
                middle,
                clusters: tracked.clusters.clone(),
                before,
            }
        };
        let moments = moments.into_iter().map(go).collect();
        tracked.behind = n as f64 - 1.0 - stand;
        moments
    }

    /// The class of every row, and where the row would be in the middle of the next window.
    fn labels(
        &self,
        tracked: &ClusterTracks,
        moments: &[Moment],
        rows: &[&[f64]],
        n_classes: usize,
    ) -> (Vec<u32>, Vec<f32>) {
        let (mut labels, mut moved) = (vec![], vec![]);
        let later = tracked.behind + self.ahead.get() * rows.len() as f64;
        for moment in moments {
            let clusters = &moment.clusters;
            let asked = moment.shares(rows);
            for (at, own) in moment.rows.clone().zip(asked.iter()) {
                let (row, time) = (rows[at], at as f64 - moment.middle);
                let (class, cluster) = decide(clusters, own, n_classes);
                labels.push(class as u32);
                let (then, end) = (&clusters[cluster], &tracked.clusters[cluster]);
                for (column, x) in row.iter().enumerate() {
                    let from = then.mean[column] + time * then.velocity[column];
                    let to = end.mean[column] + later * end.velocity[column];
                    let ahead = if self.ahead.get() > 0.0 {
                        to - from
                    } else {
                        0.0
                    };
                    moved.push((x + ahead) as f32);
                }
            }
        }
        (labels, moved)
    }
}

/// The class with the largest sum, of equals the first, and its largest cluster.
fn decide(clusters: &[Cluster], shares: &[f64], n_classes: usize) -> (usize, usize) {
    let classes = of_classes(clusters, shares, n_classes);
    let mut class = 0;
    for (other, &sum) in classes.iter().enumerate() {
        if sum > classes[class] {
            class = other;
        }
    }
    let mut best = (f64::NEG_INFINITY, 0);
    for (place, (cluster, &share)) in clusters.iter().zip(shares).enumerate() {
        if cluster.class == class && share > best.0 {
            best = (share, place);
        }
    }
    (class, best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A third of the rows leads to the same place, and to the same velocity for a row of the stream.
    #[test]
    fn rows_that_stand_for_others_keep_the_time_of_the_stream() {
        let noise = |at: usize| f64::from((at as u32).wrapping_mul(2_654_435_769) >> 16) / 32768.0;
        let rows: Vec<[f64; 1]> = (0..3000)
            .map(|at| [0.001 * at as f64 + noise(at) - 1.0])
            .collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let some: Vec<&[f64]> = rows.iter().step_by(3).copied().collect();
        let begin = ClusterTracks {
            clusters: vec![Cluster {
                class: 0,
                count: 100.0,
                mean: vec![0.0],
                velocity: vec![0.001],
                covariance: vec![0.33],
            }],
            behind: 0.0,
            recent: vec![],
        };
        let (mut whole, mut part) = (begin.clone(), begin);
        let how = Clusters::default();
        how.go_through(&mut whole, &rows);
        part.in_steps_of(3.0);
        how.go_through(&mut part, &some);
        part.in_steps_of(1.0 / 3.0);
        let (one, other) = (&whole.clusters[0], &part.clusters[0]);
        assert!(
            (one.mean[0] - other.mean[0]).abs() < 0.1,
            "{one:?} {other:?}"
        );
        assert!(
            (other.velocity[0] - 0.001).abs() < 2e-4,
            "{one:?} {other:?}"
        );
        assert!((whole.behind - part.behind).abs() < 100.0);
    }
}
