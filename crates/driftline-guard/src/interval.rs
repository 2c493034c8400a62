//! Estimates of accuracy from the scores of a choice in every world.

use super::choice::{Choice, Scenario};
use super::score::Score;
use driftline_adapt::policy::Estimate;

/// The range over the worlds, widened by what `window` and `rows` rows can tell.
pub(super) fn interval(
    worlds: &[Scenario],
    choice: Choice,
    window: usize,
    rows: usize,
    known: bool,
) -> Option<Estimate> {
    let all = worlds.iter().map(|world| choice.of(&world.scores));
    let of = |each: &dyn Fn(&Score) -> Option<f64>| {
        let values: Vec<f64> = all.clone().filter_map(each).collect();
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (low, high) = values
            .iter()
            .fold((1.0, 0.0), |(low, high): (f64, f64), &v| {
                (low.min(v), high.max(v))
            });
        // The mixture looks at the window's own rows; moved sources have rows of their own.
        let rows = if known { window } else { rows };
        let variance =
            mean * (1.0 - mean) * (1.0 / window.max(1) as f64 + 1.0 / rows.max(1) as f64);
        let wide = 1.645 * variance.sqrt() + 0.03;
        Some([mean, (low - wide).max(0.0), (high + wide).min(1.0)])
    };
    let [accuracy, low, high] = of(&|score| Some(score.accuracy))?;
    let mut estimate = Estimate::new(accuracy, low, high);
    estimate.balanced = of(&|score| Some(score.balanced));
    let classes = all.clone().next().map_or(0, |score| score.recalls.len());
    estimate.recalls = (0..classes)
        .map(|class| of(&|score| score.recalls[class]))
        .collect();
    Some(estimate)
}
