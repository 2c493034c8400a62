//! Accuracies of many trials as curves: by self-training step, by window, and along the stream.

use driftline_lab::experiment::{Outcome, StageOutcome, Store, Trial};

use crate::chart::lines::Point;

/// The curve of each trial: x and per cent.
pub type Singles = Vec<Vec<(f64, f64)>>;

/// The trials of one cell of the table.
pub fn trials<'a>(
    store: &'a Store,
    dataset: &'a str,
    method: &'a str,
) -> impl Iterator<Item = &'a Trial> {
    store
        .trials()
        .filter(move |trial| trial.dataset == dataset && trial.method == method)
}

/// What a trial looks like as a curve.
pub type Curve = fn(&Outcome) -> Vec<(f64, f64)>;

pub fn singles(store: &Store, dataset: &str, method: &str, curve: Curve) -> Singles {
    let curves = trials(store, dataset, method).map(|trial| curve(&trial.outcome));
    curves.filter(|curve| !curve.is_empty()).collect()
}

/// On the target, after each step; 0 is the source model.
pub fn by_step(outcome: &Outcome) -> Vec<(f64, f64)> {
    by_stage(outcome, 0, |stage| Some(stage.target))
}

/// On the window just learned from.
pub fn on_window(outcome: &Outcome) -> Vec<(f64, f64)> {
    by_stage(outcome, 0, |stage| stage.window)
}

/// On the window that comes next, by the same count: the model after step t on window t + 1.
pub fn on_next_window(outcome: &Outcome) -> Vec<(f64, f64)> {
    by_stage(outcome, 1, |stage| stage.next_window)
}

/// Where the stages have a value; the first of them is number `first`.
fn by_stage(
    outcome: &Outcome,
    first: usize,
    value: fn(&StageOutcome) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let stages = outcome.stages.iter().enumerate();
    stages
        .filter_map(|(t, stage)| Some(((t + first) as f64, 100.0 * value(stage)?)))
        .collect()
}

/// Of the final model, at the middle of each part of the stream; 0 is its beginning, 1 its end.
pub fn along_stream(outcome: &Outcome) -> Vec<(f64, f64)> {
    let parts = outcome.along_stream.len() as f64;
    let values = outcome.along_stream.iter().enumerate();
    values
        .map(|(part, value)| ((part as f64 + 0.5) / parts, 100.0 * value))
        .collect()
}

/// Mean, lowest and highest at every x that occurs.
pub fn summary(singles: &Singles) -> Vec<Point> {
    let mut all: Vec<(f64, f64)> = singles.iter().flatten().copied().collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.chunk_by(|a, b| a.0 == b.0)
        .map(|here| {
            let values = || here.iter().map(|(_, value)| *value);
            let mean = values().sum::<f64>() / here.len() as f64;
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            Point::new(here[0].0, mean, low, high)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_of_unequal_length_are_summed_up_where_they_exist() {
        let singles = vec![vec![(0.0, 10.0), (1.0, 20.0)], vec![(0.0, 30.0)]];
        let points = summary(&singles);
        assert_eq!(points.len(), 2);
        assert_eq!(
            (points[0].mean, points[0].low, points[0].high),
            (20.0, 10.0, 30.0)
        );
        assert_eq!(
            (points[1].mean, points[1].low, points[1].high),
            (20.0, 20.0, 20.0)
        );
        assert!(summary(&Vec::new()).is_empty());
    }
}
