//! What one window did, on one line.

use driftline_runs::{DecisionKind, WindowRecord};

use crate::numbers::{fixed, per_cent};

/// `held`, `taken back`, the candidate that was deployed, or how many rows were learned from.
pub fn decision(record: &WindowRecord) -> String {
    match (record.held, record.decision, &record.candidate) {
        (true, ..) | (_, DecisionKind::Hold, _) => "held".into(),
        (_, DecisionKind::RollBack, _) => "taken back".into(),
        // The method of the run needs no naming.
        (_, DecisionKind::Deploy, Some(name)) if name != "plain" => format!("{name} deployed"),
        _ => format!("{} of {} used", record.kept, record.seen),
    }
}

/// Why it was decided so, where that was said; a line of its own for those who want to know.
pub fn why(record: &WindowRecord) -> Option<String> {
    let starved = record
        .held
        .then_some("the filter left nothing, or one class, to learn from");
    let why = record.reason.as_deref().or(starved)?;
    Some(format!("  window {}: {why}", record.window))
}

/// `windows`: how many there are, as far as is known.
pub fn window(record: &WindowRecord, windows: usize) -> String {
    let decision = decision(record);
    let estimate = record.estimated_accuracy.map_or(String::new(), |estimate| {
        format!(", estimated accuracy {} %", per_cent(estimate))
    });
    let accuracy = record.score.as_ref().map_or(String::new(), |score| {
        format!(
            ", accuracy {} → {} % (unadapted {})",
            per_cent(score.accuracy_before),
            per_cent(score.accuracy_after),
            per_cent(score.accuracy_unadapted)
        )
    });
    format!(
        "window {}/{}: {decision}, {} % changed vs last, confidence {}{estimate}{accuracy}",
        record.window,
        windows.max(record.window),
        per_cent(record.disagreement),
        fixed(record.confidence_after, 2)
    )
}
