//! The paper's condition where it can be checked: for two classes and a linear score, how far the window before must be
//! moved to become this one (W∞), against the margin 1/‖w‖ of the model. Theorem 3.2 speaks of steps below the margin.

use super::findings::MarginCondition;
use super::profile::seed;
use driftline_adapt::Context;
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_drift::draw;
use driftline_drift::transport::{Cloud, w_infinity};
use driftline_models::Classifier;

/// Rows a side.
const ROWS: usize = 100;

/// `None` where the theory does not apply.
pub(super) fn step(ctx: &Context<'_>, window: &Inputs) -> Result<Option<MarginCondition>> {
    let (Some(model), Some(last)) = (ctx.first.margin(), ctx.previous) else {
        return Ok(None);
    };
    let rows = ROWS.min(window.len()).min(last.inputs.len());
    let cloud = |inputs: &Inputs| {
        let some = draw(inputs.len(), rows, seed().named("margin"));
        Cloud::from_inputs(&inputs.pick(&some))
    };
    let distance = w_infinity(&cloud(&last.inputs)?, &cloud(window)?, seed())?;
    let margin = 1.0 / model.norm();
    Ok(margin.is_finite().then_some(MarginCondition {
        w_infinity: distance.value,
        margin,
        holds: distance.value < margin,
    }))
}
