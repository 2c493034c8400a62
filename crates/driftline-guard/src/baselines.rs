//! The usual estimates of the source model's accuracy without labels, to set beside the scenarios'.
//!
//! *Calibrated*: the mean of calibrated top probabilities (CBPE). *Threshold*: the share of rows above the confidence that as
//! many held-out rows are above as are right (ATC, Garg et al. 2022). *Difference*: held-out accuracy less what mean
//! confidence has fallen (DoC, Guillory et al. 2021).

use super::findings::Baselines;
use super::profile::Source;
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_models::Classifier;

pub(super) fn estimates(
    source: &Source,
    model: &dyn Classifier,
    window: &Inputs,
) -> Result<Baselines> {
    let n_classes = source.prior.len();
    let tops = |all: &[f64]| -> Vec<f64> {
        let rows = all.chunks_exact(n_classes);
        rows.map(|row| row.iter().copied().fold(0.0, f64::max))
            .collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let here = tops(&source.said(model, window)?);
    let mut known = tops(&source.held_out);
    known.sort_unstable_by(f64::total_cmp);
    let right = source.profile.held_out;
    let wrong = ((1.0 - right) * known.len() as f64).round() as usize;
    let threshold = known.get(wrong).copied().unwrap_or(1.0);
    let above = here.iter().filter(|&&top| top >= threshold).count();
    let fallen = mean(&known) - mean(&here);
    Ok(Baselines {
        confidence: model.probabilities(window)?.mean_top(),
        calibrated: mean(&here),
        threshold: above as f64 / here.len().max(1) as f64,
        difference: (right - fallen).clamp(0.0, 1.0),
    })
}
