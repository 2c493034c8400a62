//! What the clusters say of a window besides its labels: how likely each class is for every row, and how likely the rows
//! are where the clusters were expected and where they have followed them to.

use super::Clusters;
use super::ask::of_classes;
use crate::{Context, State};
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_drift::RowPoints;
use driftline_models::Classifier;

/// A window as the clusters see it.
#[derive(Clone, Debug)]
pub struct ClustersView {
    /// Rows × classes.
    pub posteriors: Vec<f64>,
    /// The mean log-likelihood of a row where the clusters were expected, but for a constant.
    pub before: f64,
    /// That of each row once they have followed.
    pub rows: Vec<f64>,
}

impl ClustersView {
    /// The mean log-likelihood of a row once the clusters have followed.
    pub fn after(&self) -> f64 {
        self.rows.iter().sum::<f64>() / self.rows.len().max(1) as f64
    }

    /// The share of rows that are less likely than this.
    pub fn below(&self, log_likelihood: f64) -> f64 {
        let below = self.rows.iter().filter(|&&log| log < log_likelihood);
        below.count() as f64 / self.rows.len().max(1) as f64
    }
}

impl Clusters {
    /// Follows the window from what is remembered, or from the source sample; with what is to be remembered next, unless that is known.
    pub fn view(
        &self,
        ctx: &Context<'_>,
        remembered: &State,
        window: &Inputs,
        next: Option<&State>,
    ) -> Result<(ClustersView, State)> {
        let from_sample = Context {
            source: ctx.source_sample,
            teacher: ctx.first,
            ..*ctx
        };
        let mut tracked = self.stand(&from_sample, remembered, window.shape())?;
        let (points, n_classes) = (RowPoints::of(window), ctx.first.n_classes());
        let rows: Vec<&[f64]> = points.iter().collect();
        let mut view = ClustersView {
            posteriors: Vec::with_capacity(rows.len() * n_classes),
            before: 0.0,
            rows: Vec::with_capacity(rows.len()),
        };
        for moment in self.go_through(&mut tracked, &rows) {
            view.before += moment.before * moment.rows.len() as f64 / rows.len() as f64;
            let asked = moment.shares(&rows);
            view.rows.extend(asked.totals.iter().map(|all| all.ln()));
            for own in asked.iter() {
                let classes = of_classes(&moment.clusters, own, n_classes);
                view.posteriors.extend(classes);
            }
        }
        let next = match next {
            Some(next) => next.clone(),
            None => self.remember(tracked, &rows, 1.0)?,
        };
        Ok((view, next))
    }
}
