//! Two experiments set against each other, cell by cell and seed by seed: what one changed setting is worth.

use super::store::Store;
use super::table::{ResultTable, Row};
use driftline_models::evaluate::{Interval, paired_difference};

/// One data set and method that both experiments have; per cent and points, over the seeds that both have.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    pub dataset: String,
    pub method: String,
    pub here: Interval,
    pub there: Interval,
    /// Here minus there.
    pub difference: Interval,
}

/// The cells of `here` that `there` has too.
pub fn contrasts(here: &Store, there: &Store) -> Vec<Contrast> {
    let other = ResultTable::of(there);
    let contrast = |row: Row| {
        let there = other.row(&row.dataset, &row.method)?;
        Some(Contrast {
            here: shared(&row, there)?,
            there: shared(there, &row)?,
            difference: paired_difference(&row.values, &there.values)?,
            dataset: row.dataset,
            method: row.method,
        })
    };
    ResultTable::of(here)
        .rows
        .into_iter()
        .filter_map(contrast)
        .collect()
}

/// `row` on the trials that `other` has too.
fn shared(row: &Row, other: &Row) -> Option<Interval> {
    let has = |key: &(u64, u64)| other.values.iter().any(|(known, _)| known == key);
    let values = row.values.iter().filter(|(key, _)| has(key));
    let values: Vec<f64> = values.map(|(_, value)| *value).collect();
    Interval::student_t(&values)
}
