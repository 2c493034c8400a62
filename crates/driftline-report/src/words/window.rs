//! What one window did, on one line.

use driftline::runs::WindowRecord;

use crate::numbers::{fixed, per_cent};

/// `windows`: how many there are, as far as is known.
pub fn window(record: &WindowRecord, windows: usize) -> String {
    let fate = match record.held {
        true => "held".into(),
        false => format!("{} of {} kept", record.kept, record.seen),
    };
    let accuracy = record.score.as_ref().map_or(String::new(), |score| {
        format!(
            ", accuracy {} → {} % (unadapted {})",
            per_cent(score.accuracy_before),
            per_cent(score.accuracy_after),
            per_cent(score.accuracy_unadapted)
        )
    });
    format!(
        "window {}/{}: {fate}, {} % relabelled, confidence {}{accuracy}",
        record.window,
        windows.max(record.window),
        per_cent(record.disagreement),
        fixed(record.confidence_after, 2)
    )
}
