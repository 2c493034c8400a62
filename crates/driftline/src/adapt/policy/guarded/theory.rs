//! The paper's condition where it can be checked: for two classes and a linear score, how far the window before must be
//! moved to become this one (W∞), against the margin 1/‖w‖ of the model. Theorem 3.2 speaks of steps below the margin.

use serde_json::{Value, json};

use super::evidence;
use crate::Result;
use crate::adapt::Context;
use crate::data::Inputs;
use crate::drift::draw;
use crate::models::Classifier;
use crate::transport::{Cloud, w_infinity};

/// Rows a side.
const ROWS: usize = 100;

/// `None` where the theory does not apply.
pub(super) fn step(now: &Context<'_>, window: &Inputs) -> Result<Option<Value>> {
    let (Some(model), Some(last)) = (now.first.margin(), now.previous) else {
        return Ok(None);
    };
    let rows = ROWS.min(window.len()).min(last.inputs.len());
    let cloud = |inputs: &Inputs| {
        let some = draw(inputs.len(), rows, evidence::seed().named("margin"));
        Cloud::from_inputs(&inputs.pick(&some))
    };
    let distance = w_infinity(&cloud(&last.inputs)?, &cloud(window)?, evidence::seed())?;
    let margin = 1.0 / model.norm();
    Ok(margin.is_finite().then(|| {
        json!({ "w_infinity": distance.value, "margin": margin, "holds": distance.value < margin })
    }))
}
