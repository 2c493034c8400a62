//! Why somebody should look at a run that came to its end: schedulers hear of it by an exit code, fleets by a state.

use serde::Serialize;

use super::folder::RunManifest;
use super::record::{DecisionKind, WindowRecord};
use super::verdict::{Newest, RunVerdict};

/// The policy that deploys nothing because it was told to.
const WATCHES: &str = "never";

/// What is to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Attention {
    /// The last window was not deployed, and a few labels would settle whether it should have been.
    Asked,
    /// The last window took the model back to an earlier version.
    TakenBack,
    /// The last window was held, for whatever reason.
    Held,
    /// There are no answers, and the model shows signs of going wrong.
    GoingWrong,
}

impl Attention {
    pub(super) fn of(
        manifest: &RunManifest,
        last: &WindowRecord,
        verdict: RunVerdict,
        newest: Option<&Newest>,
    ) -> Option<Self> {
        let policy = manifest.settings.method.policy.as_ref();
        let watches = policy.is_some_and(|policy| policy.name == WATCHES);
        let asks = last
            .findings
            .get("question")
            .is_some_and(|own| !own.is_null());
        match last.decision {
            _ if watches => None,
            DecisionKind::Hold | DecisionKind::RollBack if asks => Some(Self::Asked),
            DecisionKind::RollBack => Some(Self::TakenBack),
            _ if last.kept_as_it_was() => Some(Self::Held),
            _ if verdict == RunVerdict::Doubtful && newest.is_none() => Some(Self::GoingWrong),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::folder::Origin;
    use crate::settings::RunSettings;

    fn of(policy: &str, record: &WindowRecord, verdict: RunVerdict) -> Option<Attention> {
        let mut method = crate::method::Settings::new();
        method.policy = Some(driftline_adapt::PartSpec::plain(policy));
        let settings = RunSettings::new(0, driftline_io::ColumnChoice::default(), method);
        let manifest = RunManifest::new(String::new(), settings, Origin::Source(vec![]), &[]);
        Attention::of(&manifest, record, verdict, None)
    }

    #[test]
    fn whatever_was_not_deployed_is_told() {
        let record = |decision, distrusted| WindowRecord {
            decision,
            distrusted,
            ..WindowRecord::default()
        };
        let unknown = RunVerdict::Unknown;
        let deployed = record(DecisionKind::Deploy, false);
        assert_eq!(of("guarded", &deployed, unknown), None);
        assert_eq!(
            of("guarded", &deployed, RunVerdict::Doubtful),
            Some(Attention::GoingWrong)
        );
        let held = record(DecisionKind::Hold, false);
        assert_eq!(of("guarded", &held, unknown), Some(Attention::Held));
        assert_eq!(of("never", &held, unknown), None);
        let asking = WindowRecord {
            findings: json!({ "question": { "stake": 0.1 } }),
            ..held
        };
        assert_eq!(of("guarded", &asking, unknown), Some(Attention::Asked));
        let back = record(DecisionKind::RollBack, false);
        assert_eq!(of("guarded", &back, unknown), Some(Attention::TakenBack));
    }
}
