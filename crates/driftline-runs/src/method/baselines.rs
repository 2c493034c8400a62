//! What methods for tables are set beside, by the names that tables show: alignments that learn nothing, cautious steps,
//! and the classical baselines. Each says what it changes about the settings of a run.

use serde_json::{Value, json};

use crate::method::settings::Settings;

/// Names and settings; those that learn from the source's own labels need the source at hand.
pub fn baselines() -> Vec<(&'static str, Settings)> {
    let moved = |by: &str| json!({ "labeler": { "moved-source": { "by": by } } });
    let cautious = json!({ "balanced": { "prior-strength": 0.0 } });
    let all: [(&str, Value); 13] = [
        (
            "Realign",
            json!({ "alignment": "standardize", "labeler": "none" }),
        ),
        (
            "Realign by quantiles",
            json!({ "alignment": "quantiles", "labeler": "none" }),
        ),
        (
            "Realign by correlation",
            json!({ "alignment": "correlation", "labeler": "none" }),
        ),
        (
            "Cautious",
            json!({ "labeler": cautious, "self-training": { "replay-share": 0.3 } }),
        ),
        (
            "Realign, cautious",
            json!({
                "alignment": "standardize", "labeler": cautious,
                "self-training": { "replay-share": 0.3 },
            }),
        ),
        (
            "Share inertia",
            json!({ "labeler": { "balanced": { "prior-strength": 0.5 } } }),
        ),
        ("Moved source", moved("quantiles")),
        ("Importance weighting", json!({ "labeler": "importance" })),
        ("Correlation alignment", moved("correlation")),
        (
            "Subspace alignment",
            json!({ "alignment": "subspace", "labeler": { "moved-source": { "by": "subspace" } } }),
        ),
        ("Optimal transport", moved("transport")),
        (
            "Label shift, confusion",
            json!({ "labeler": { "label-shift": { "by": "confusion" } } }),
        ),
        (
            "Label shift, EM",
            json!({ "labeler": { "label-shift": { "by": "em" } } }),
        ),
    ];
    let read = |(name, changes)| {
        let changes = serde_json::from_value(changes).expect("the lines above are settings");
        (name, changes)
    };
    all.into_iter().map(read).collect()
}

/// What networks are set beside besides: how their learner steps (`network/steps.rs` of driftline-models), and settings.
pub fn network_baselines() -> [(&'static str, Value, Settings); 3] {
    let replayed = json!({ "self-training": { "replay": 1.0 } });
    [
        ("Batch-norm adaptation", json!("statistics"), json!({})),
        ("Entropy minimisation", json!("entropy"), json!({})),
        (
            "Domain-adversarial training",
            json!({ "reversal": { "weight": 0.3 } }),
            replayed,
        ),
    ]
    .map(|(name, steps, changes)| {
        let changes = serde_json::from_value(changes).expect("the lines above are settings");
        (name, steps, changes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Registry;

    #[test]
    fn every_baseline_can_be_made() {
        for (name, changes) in baselines() {
            let all = changes.or(&Settings::for_own_data());
            let made = all.resolve(name, &Registry::new(), None);
            assert!(made.is_ok(), "{name}: {:?}", made.err());
        }
    }
}
