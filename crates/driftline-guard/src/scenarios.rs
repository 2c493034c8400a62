//! Labelled worlds: rows of the source moved so that they look like the window, one world for each explanation of the
//! drift, and how well each fits: within three times the noise of the energy distance, or 85 % of the drift explained.

use driftline_adapt::Context;
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain};
use driftline_core::random::Seed;
use driftline_drift::{
    Distance, MOST_COLUMNS, MapKind, RowPoints, Standardizer, class_shares, energy_distance,
    noise_floor,
};
use driftline_models::Classifier;
use rand::RngExt;

const NOISE: f64 = 3.0;
const UNEXPLAINED: f64 = 0.15;

/// Source rows that look like a window.
pub(super) struct Moved {
    pub name: &'static str,
    pub rows: LabeledDomain,
    /// Its distance from the window.
    pub distance: f64,
    pub fits: bool,
}

/// All worlds of a window. `model` is a source model that has not seen `rows`.
pub(super) fn moved(
    ctx: &Context<'_>,
    frame: &Standardizer,
    rows: &LabeledDomain,
    model: &dyn Classifier,
    window: &Inputs,
) -> Result<(Distance, Vec<Moved>)> {
    let seed = ctx.seed.named("worlds");
    let (own, points) = (frame.points(rows.inputs()), frame.points(window));
    let distance = energy_distance(&own, &points, seed);
    let noise = noise_floor(&points, own.len(), points.len(), seed.named("window"));
    let noise = noise.max(noise_floor(
        &own,
        own.len(),
        points.len(),
        seed.named("source"),
    ));
    let drift = Distance { distance, noise };
    let bound = (NOISE * noise).max(UNEXPLAINED * distance);
    let mut worlds = Vec::new();
    let mut add = |name, rows: LabeledDomain, own: &RowPoints| {
        let distance = energy_distance(own, &points, seed);
        worlds.push(Moved {
            name,
            rows,
            distance,
            fits: distance <= bound,
        });
    };
    let picked = reweighted(rows, model, window, seed.named("shares"))?;
    add("class-shares", rows.pick(&picked), &own.pick(&picked));
    for kind in MapKind::ALL {
        let name = match kind {
            MapKind::Scale => "scale",
            MapKind::Quantiles => "quantiles",
            MapKind::Transport if own.size() > MOST_COLUMNS => continue,
            MapKind::Transport => "transport",
        };
        let there = kind.apply(&own, &points);
        let inputs = frame.inputs(&there, rows.inputs())?;
        add(
            name,
            LabeledDomain::new(inputs, rows.labels().clone())?,
            &there,
        );
    }
    Ok((drift, worlds))
}

/// Rows drawn so that the classes have the window's shares.
fn reweighted(
    rows: &LabeledDomain,
    model: &dyn Classifier,
    window: &Inputs,
    seed: Seed,
) -> Result<Vec<usize>> {
    let counts = rows.labels().counts();
    let n = rows.len() as f64;
    let prior: Vec<f64> = counts.iter().map(|&count| count as f64 / n).collect();
    let probabilities = model.probabilities(window)?;
    let shares = class_shares(probabilities.iter(), &prior);
    let weight = |row: usize| {
        let class = rows.labels().as_slice()[row] as usize;
        shares[class] / prior[class].max(1e-3)
    };
    let mut sum = 0.0;
    let ladder: Vec<f64> = (0..rows.len())
        .map(|row| {
            sum += weight(row);
            sum
        })
        .collect();
    let mut draw = seed.generator();
    let picked = (0..rows.len()).map(|_| {
        let at = draw.random::<f64>() * sum;
        ladder
            .partition_point(|&step| step < at)
            .min(rows.len() - 1)
    });
    Ok(picked.collect())
}
