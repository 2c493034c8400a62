//! The candidates that policies may name: each says what it changes about the settings of a run, and leaves the rest as it
//! is. *Hold* is no candidate: it is what becomes of a window when none is deployed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::method::settings::Settings;

/// One line each.
pub(super) fn built_in() -> BTreeMap<String, Settings> {
    let candidates: [(&str, Value); 12] = [
        // The method of the run as it is.
        ("plain", json!({})),
        // The model as it is, behind the window's own mean and deviation.
        (
            "realign",
            json!({ "alignment": "standardize", "labeler": "none" }),
        ),
        // The least confident tenth of each class is left out, and the source is replayed.
        (
            "cautious",
            json!({ "self-training": { "filter": { "class-balanced": 0.1 }, "replay-share": 0.3 } }),
        ),
        (
            "realign-cautious",
            json!({
                "alignment": "standardize",
                "self-training": { "filter": { "class-balanced": 0.1 }, "replay-share": 0.3 },
            }),
        ),
        // The source's own labels, each class with the weight of its share in the window.
        ("label-shift", json!({ "labeler": "label-shift" })),
        // Cautious, and the shares of the classes are drawn half-way back to the source's.
        (
            "inertia",
            json!({
                "labeler": { "balanced": { "prior-strength": 0.5 } },
                "self-training": { "replay-share": 0.3 },
            }),
        ),
        // The method of the run with a linear model: it follows turns that trees cannot.
        ("linear", json!({ "model": "linear" })),
        (
            "linear-realign",
            json!({ "model": "linear", "alignment": "standardize", "labeler": "none" }),
        ),
        // The labels that were asked for, beside the source.
        (
            "asked",
            json!({ "labeler": "asked", "self-training": { "replay": 1.0 } }),
        ),
        // Labels of a mixture of the classes that follows the stream.
        ("mixture", json!({ "labeler": "mixture" })),
        // Clusters that are followed, or labels carried by pairing windows; students hold the last window's rows.
        (
            "clusters",
            json!({ "labeler": "clusters", "model": { "knn": { "k": 5 } } }),
        ),
        (
            "transport",
            json!({ "labeler": "transport", "model": { "knn": { "k": 5 } } }),
        ),
    ];
    let read = |(name, changes): (&str, Value)| {
        let changes = serde_json::from_value(changes).expect("the lines above are settings");
        (name.to_owned(), changes)
    };
    candidates.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use crate::method::{Registry, Settings};

    #[test]
    fn every_candidate_can_be_made() {
        let registry = Registry::new();
        for name in registry.candidates() {
            let own = registry.candidate(name).unwrap().clone();
            let all = own.or(&Settings::for_own_data());
            let made = all.resolve(name, &registry, None);
            assert!(made.is_ok(), "{name}: {:?}", made.err());
        }
        let unknown = registry.candidate("plane").unwrap_err().to_string();
        assert!(unknown.contains("no candidate `plane`"), "{unknown}");
    }
}
