//! Two experiments set against each other, cell by cell and seed by seed: what one changed setting is worth.

use super::store::Store;
use super::table::Table;
use crate::evaluate::{Interval, paired_difference};

/// One data set and method that both experiments have; per cent and points.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    pub dataset: String,
    pub method: String,
    pub here: Interval,
    pub there: Interval,
    /// Here minus there, over the seeds that both have.
    pub difference: Interval,
}

/// The cells of `here` that `there` has too.
pub fn contrasts(here: &Store, there: &Store) -> Vec<Contrast> {
    let other = Table::of(there);
    let contrast = |row: super::table::Row| {
        let there = other.row(&row.dataset, &row.method)?;
        Some(Contrast {
            here: row.accuracy,
            there: there.accuracy,
            difference: paired_difference(&row.values, &there.values)?,
            dataset: row.dataset,
            method: row.method,
        })
    };
    Table::of(here)
        .rows
        .into_iter()
        .filter_map(contrast)
        .collect()
}
