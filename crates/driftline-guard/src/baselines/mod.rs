//! The usual estimates of the source model's accuracy without labels, to set beside the scenarios'. Nothing is decided by them.
//!
//! *Calibrated*: the mean of calibrated top probabilities (CBPE). *Threshold*: the share of rows above the confidence that as
//! many held-out rows are above as are right (ATC, Garg et al. 2022). *Difference*: held-out accuracy less what mean
//! confidence has fallen (DoC, Guillory et al. 2021).

mod shares;
mod weighted;

use super::findings::Baselines;
use super::profile::Source;
use driftline_adapt::Context;
use driftline_core::Result;
use driftline_core::data::{Inputs, Probabilities};

/// Of rows of a window, with what the source model says of them.
pub(super) fn estimates(
    source: &Source,
    ctx: &Context<'_>,
    (window, said): (&Inputs, &Probabilities),
) -> Result<Baselines> {
    let here = source.profile.calibration.apply(said);
    let n_classes = source.prior.len();
    let (known, tops) = (tops(&source.held_out, n_classes), tops(&here, n_classes));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mut sorted = known.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let right = source.profile.held_out;
    let wrong = ((1.0 - right) * known.len() as f64).round() as usize;
    let threshold = sorted.get(wrong).copied().unwrap_or(1.0);
    let above = tops.iter().filter(|&&top| top >= threshold).count();
    let fallen = mean(&known) - mean(&tops);
    let weighted = weighted::estimates(source, ctx, window, &here, (&known, &tops))?;
    Ok(Baselines {
        confidence: said.mean_top(),
        calibrated: mean(&tops),
        threshold: above as f64 / tops.len().max(1) as f64,
        difference: (right - fallen).clamp(0.0, 1.0),
        importance: weighted.map(|(importance, _)| importance),
        recalibrated: weighted.map(|(_, recalibrated)| recalibrated),
        shares: shares::estimate(&source.held_out, &source.prior, &here),
    })
}

/// How sure each row is.
fn tops(probabilities: &[f64], n_classes: usize) -> Vec<f64> {
    let rows = probabilities.chunks_exact(n_classes);
    rows.map(|row| row.iter().copied().fold(0.0, f64::max))
        .collect()
}

/// The class that a row is most likely of, the first of them where several are.
fn decided(row: &[f64]) -> usize {
    let likeliest = |best: usize, class: usize| {
        if row[class] > row[best] { class } else { best }
    };
    (0..row.len()).fold(0, likeliest)
}
