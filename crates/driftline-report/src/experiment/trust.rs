//! The table of an experiment that asks whether a policy may be trusted.

use driftline_lab::experiment::{Store, TrustRow};

use crate::numbers::fixed;
use crate::page::Grid;

/// `None` where there is nothing to judge.
pub fn grid(store: &Store) -> Option<Grid> {
    let title = "The policy beside its candidates, stream by stream";
    let head = "Stream|Unadapted|Guarded|Serving|Gain|Balanced gain|Best candidate|Its gain|Kept %|\
                Windows with a number %|Off by|Intervals that cover %|Off by more than 15 %";
    let mut grid = Grid::new(title, 1, head);
    let points = |share: f64| fixed(100.0 * share, 1);
    let gain = |share: f64| format!("{:+.1}", 100.0 * share);
    let whole = |share: f64| fixed(100.0 * share, 0);
    let none = || "–".to_owned();
    for row in TrustRow::of(store) {
        let best = row.best.as_ref();
        let estimates = row.estimates();
        grid.rows.push(vec![
            row.dataset.clone(),
            points(row.unadapted),
            points(row.guarded),
            points(row.serving),
            gain(row.gain()),
            gain(row.balanced_gain()),
            best.map_or_else(none, |best| best.0.clone()),
            best.map_or_else(none, |best| gain(best.1)),
            row.kept().map_or_else(none, whole),
            whole(row.measured()),
            estimates.map_or_else(none, |all| points(all.0)),
            estimates.map_or_else(none, |all| whole(all.1)),
            estimates.map_or_else(none, |all| points(all.2)),
        ]);
    }
    grid.if_any()
}
