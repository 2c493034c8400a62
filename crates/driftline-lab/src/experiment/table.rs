//! Finished trials as a table: one row per data set and method, with intervals, beside the printed number.

use super::expected::ExpectedCell;
use super::store::Store;
use super::trial::Trial;
use driftline_models::evaluate::{Interval, IntervalMethod, paired_difference};

/// The results of one experiment.
#[derive(Clone, Debug)]
pub struct ResultTable {
    pub rows: Vec<Row>,
}

/// One data set and method; accuracies in per cent of the target.
#[derive(Clone, Debug)]
pub struct Row {
    pub dataset: String,
    pub method: String,
    /// With the Student-t interval.
    pub accuracy: Interval,
    /// With the interval as the paper computes it.
    pub paper_style: Interval,
    /// Of the source model on held-out source examples.
    pub held_out_source: Option<Interval>,
    /// The last method of the table minus this one, trial by trial.
    pub behind_last: Option<Interval>,
    pub printed: Option<ExpectedCell>,
    /// Per trial: data seed, seed, accuracy.
    pub values: Vec<((u64, u64), f64)>,
}

impl ResultTable {
    pub fn of(store: &Store) -> Self {
        let manifest = store.manifest();
        let mut rows = Vec::new();
        for dataset in &manifest.datasets {
            let values = |method: &str| -> Vec<((u64, u64), f64)> {
                let value = |trial: &Trial| {
                    let seeds = (trial.data_seed, trial.seed);
                    (seeds, 100.0 * trial.outcome.accuracy)
                };
                store.trials_of(&dataset.name, method).map(value).collect()
            };
            let last = manifest
                .methods
                .last()
                .map(|method| values(&method.name))
                .unwrap_or_default();
            for (index, method) in manifest.methods.iter().enumerate() {
                let values = values(&method.name);
                let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
                let Some(accuracy) = Interval::student_t(&numbers) else {
                    continue;
                };
                let is_last = index + 1 == manifest.methods.len();
                let printed = |cell: &&ExpectedCell| {
                    cell.dataset == dataset.name && cell.method == method.name
                };
                rows.push(Row {
                    dataset: dataset.name.clone(),
                    method: method.name.clone(),
                    accuracy,
                    paper_style: Interval::of(&numbers, IntervalMethod::Paper).unwrap_or(accuracy),
                    held_out_source: held_out(store, &dataset.name, &method.name),
                    behind_last: if is_last {
                        None
                    } else {
                        paired_difference(&last, &values)
                    },
                    printed: manifest.expected.iter().find(printed).cloned(),
                    values,
                });
            }
        }
        Self { rows }
    }

    pub fn row(&self, dataset: &str, method: &str) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.dataset == dataset && row.method == method)
    }
}

fn held_out(store: &Store, dataset: &str, method: &str) -> Option<Interval> {
    let trials = store.trials_of(dataset, method);
    let values: Vec<f64> = trials
        .filter_map(|trial| trial.outcome.held_out_source)
        .map(|v| 100.0 * v)
        .collect();
    Interval::student_t(&values)
}
