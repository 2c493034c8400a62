//! A trained model in a sentence.

use driftline::models::Validation;
use driftline::runs::Bundle;

use crate::numbers::per_cent;

/// `trained linear on 200 rows of 4 numbers (…), 3 classes: accuracy 88.5 % on 40 held-out rows (90 % interval …)`
pub fn fitted(bundle: &Bundle) -> String {
    let source = &bundle.source;
    format!(
        "trained {} on {} rows of {} ({}), {} classes: {}",
        source.model,
        source.rows,
        bundle.encoding.shape(),
        source.detected,
        bundle.classes().len(),
        source.validation.as_ref().map_or_else(
            || "too few rows to hold any out, so accuracy is unknown".into(),
            held_out
        )
    )
}

/// The accuracy on rows that training did not see.
pub fn held_out(validation: &Validation) -> String {
    format!(
        "accuracy {} % on {} held-out rows (90 % interval {}–{})",
        per_cent(validation.accuracy),
        validation.n,
        per_cent(validation.low),
        per_cent(validation.high)
    )
}
