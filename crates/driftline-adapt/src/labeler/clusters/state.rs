//! What is remembered from window to window: the clusters, how long ago they stood where they stand, and the last rows.
//! Without any memory it begins with the labelled source, which is gone through in its order where it is long: a source
//! that drifts itself ends where the stream begins.

use super::follow::follow;
use super::mixture::Cluster;
use super::{Clusters, start::start};
use crate::labeler::nested::{hard, labeled};
use crate::{Context, State};
use driftline_core::data::Shape;
use driftline_core::{Error, Result};
use driftline_drift::RowPoints;
use driftline_models::Classifier;

/// The clusters and what goes with them.
#[derive(Clone, Debug)]
pub(super) struct ClusterTracks {
    pub clusters: Vec<Cluster>,
    /// Rows from the time at which the clusters stand to the last row seen.
    pub behind: f64,
    /// The last rows, one after the other.
    pub recent: Vec<f64>,
}

/// A longer source is gone through in its order after so many rows, or more: at least some of every class.
const FIRST_ROWS: usize = 150;
const OF_A_CLASS: usize = 10;

impl ClusterTracks {
    pub fn look_back(&mut self, rows: &[&[f64]], most: usize) {
        let size = rows.first().map_or(0, |row| row.len());
        self.recent.extend(rows.iter().copied().flatten());
        let old = self.recent.len().saturating_sub(most * size);
        self.recent.drain(..old);
    }

    /// Counts time in steps of so many rows from now on.
    pub fn in_steps_of(&mut self, rows: f64) {
        let velocities = self.clusters.iter_mut().map(|own| &mut own.velocity);
        velocities.flatten().for_each(|velocity| *velocity *= rows);
        self.behind /= rows;
    }

    /// When the last `n` rows came, with the clusters standing at 0.
    pub fn times(&self, n: usize) -> Vec<f64> {
        let ago = |row: usize| self.behind - (n - 1 - row) as f64;
        (0..n).map(ago).collect()
    }

    pub fn state(&self, size: usize) -> Result<State> {
        let k = self.clusters.len();
        let mut state = State::default();
        let mut set = |name: &str, dimensions: &[usize], of: &dyn Fn(&Cluster) -> Vec<f64>| {
            let values = self.clusters.iter().flat_map(of);
            state.set(name, dimensions, values.map(|x| x as f32).collect())
        };
        set("clusters.class", &[k], &|c| vec![c.class as f64])?;
        set("clusters.count", &[k], &|c| vec![c.count])?;
        set("clusters.mean", &[k, size], &|c| c.mean.clone())?;
        set("clusters.velocity", &[k, size], &|c| c.velocity.clone())?;
        set("clusters.covariance", &[k, size, size], &|c| {
            c.covariance.clone()
        })?;
        state.set("clusters.behind", &[1], vec![self.behind as f32])?;
        let recent = self.recent.iter().map(|&x| x as f32).collect();
        state.set("clusters.recent", &[self.recent.len() / size, size], recent)?;
        Ok(state)
    }

    /// Nothing where nothing is remembered.
    pub fn restore(state: &State, size: usize, n_classes: usize) -> Result<Option<Self>> {
        let Some((_, classes)) = state.get("clusters.class") else {
            return Ok(None);
        };
        let k = classes.len();
        let get = |name: &str, each: usize| -> Result<Vec<Vec<f64>>> {
            let values = state.get(name).map_or(&[][..], |(_, values)| values);
            if values.len() != k * each || k == 0 {
                let expected = format!("{each} numbers for each of {k} clusters");
                return Err(Error::mismatch(
                    format!("the array `{name}`"),
                    expected,
                    values.len(),
                ));
            }
            let chunk = |chunk: &[f32]| chunk.iter().map(|&x| f64::from(x)).collect();
            Ok(values.chunks_exact(each).map(chunk).collect())
        };
        let (counts, means) = (get("clusters.count", 1)?, get("clusters.mean", size)?);
        let velocities = get("clusters.velocity", size)?;
        let covariances = get("clusters.covariance", size * size)?;
        let mut clusters = vec![];
        for (place, &class) in classes.iter().enumerate() {
            if class < 0.0 || class as usize >= n_classes {
                let allowed = format!("below {n_classes}");
                return Err(Error::out_of_range("a cluster's class", class, allowed));
            }
            clusters.push(Cluster {
                class: class as usize,
                count: counts[place][0],
                mean: means[place].clone(),
                velocity: velocities[place].clone(),
                covariance: covariances[place].clone(),
            });
        }
        let single = |name: &str| state.get(name).map_or(&[][..], |(_, values)| values);
        let behind = single("clusters.behind").first().copied().unwrap_or(0.0);
        let recent = single("clusters.recent");
        let whole = recent.len() - recent.len() % size;
        Ok(Some(Self {
            clusters,
            behind: f64::from(behind),
            recent: recent[..whole].iter().map(|&x| f64::from(x)).collect(),
        }))
    }
}

impl Clusters {
    /// Where the clusters stand by what is remembered, or else at the end of the source.
    pub(super) fn stand(
        &self,
        ctx: &Context<'_>,
        remembered: &State,
        shape: Shape,
    ) -> Result<ClusterTracks> {
        match ClusterTracks::restore(remembered, shape.size(), ctx.first.n_classes())? {
            Some(tracked) => Ok(tracked),
            None => self.begin(ctx, shape),
        }
    }

    /// From the labelled source, or from the rows that a model of nearest neighbours holds.
    fn begin(&self, ctx: &Context<'_>, shape: Shape) -> Result<ClusterTracks> {
        let source = labeled(ctx)?;
        source.inputs().expect_shape(shape)?;
        let points = RowPoints::of(source.inputs());
        let rows: Vec<&[f64]> = points.iter().collect();
        let labels = hard(&source);
        Ok(self.begin_with(&rows, &labels, source.n_classes()))
    }

    /// From labelled rows in their order.
    pub(super) fn begin_with(
        &self,
        rows: &[&[f64]],
        labels: &[usize],
        n_classes: usize,
    ) -> ClusterTracks {
        let first = first_rows(labels, n_classes);
        let mut clusters = start(&rows[..first], &labels[..first], n_classes);
        let mut stand = (first as f64 - 1.0) / 2.0;
        let mut from = first;
        while from < rows.len() {
            let to = (from + self.rows.get()).min(rows.len());
            let middle = (from + to - 1) as f64 / 2.0;
            let own = Some(&labels[from..to]);
            follow(&mut clusters, &rows[from..to], own, middle - stand, self);
            stand = middle;
            from = to;
        }
        ClusterTracks {
            clusters,
            behind: rows.len() as f64 - 1.0 - stand,
            recent: vec![],
        }
    }
}

/// So many rows have enough of every class to begin with; all, where it takes more than half of them.
fn first_rows(labels: &[usize], n_classes: usize) -> usize {
    let counts = |rows: &[usize]| {
        let mut counts = vec![0_usize; n_classes];
        rows.iter().for_each(|&class| counts[class] += 1);
        counts
    };
    let all = counts(labels);
    let mut first = FIRST_ROWS;
    while 2 * first < labels.len() {
        let own = counts(&labels[..first]);
        let enough = |(own, all): (&usize, &usize)| *own >= OF_A_CLASS.min(*all);
        if own.iter().zip(&all).all(enough) {
            return first;
        }
        first *= 2;
    }
    labels.len()
}
