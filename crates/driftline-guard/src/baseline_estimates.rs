//! The usual estimates of a model's accuracy without labels, to set beside those of the rehearsal; all of the source model.
//! *Calibrated*: mean confidence, less what it was off on rows held out. *Threshold*: the share of rows above the confidence
//! that as many held-out rows are above as are right (Garg et al. 2022).

use super::findings::BaselineEstimates;
use driftline_core::Result;
use driftline_core::data::{LabeledDomain, Probabilities};
use driftline_models::Classifier;

/// `trained` is a source model that has not seen `rows`; `here` is what the one that serves says of the window.
pub(super) fn estimates(
    trained: &dyn Classifier,
    rows: &LabeledDomain,
    here: &Probabilities,
) -> Result<BaselineEstimates> {
    let (decided, held_out) = trained.assess(rows.inputs())?;
    let right = decided.agreement(rows.labels()).estimate().unwrap_or(0.0);
    let tops = |probabilities: &Probabilities| -> Vec<f64> {
        let top = |row: &[f32]| row.iter().copied().fold(0.0, f32::max);
        probabilities
            .iter()
            .map(|row| f64::from(top(row)))
            .collect()
    };
    let mut known = tops(&held_out);
    known.sort_unstable_by(f64::total_cmp);
    let wrong = ((1.0 - right) * known.len() as f64).round() as usize;
    let threshold = known.get(wrong).copied().unwrap_or(1.0);
    let confident = tops(here).iter().filter(|&&top| top >= threshold).count();
    let calibrated = here.mean_top() - (held_out.mean_top() - right);
    Ok(BaselineEstimates {
        confidence: here.mean_top(),
        calibrated: calibrated.clamp(0.0, 1.0),
        threshold: confident as f64 / here.len().max(1) as f64,
    })
}
