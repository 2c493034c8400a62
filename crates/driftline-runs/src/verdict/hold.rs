//! The outcome of the newest step, and what ends it where the model was kept as it was.

use serde::{Deserialize, Serialize};

use super::action::Action;
use crate::folder::RunManifest;
use crate::record::{DecisionKind, WindowRecord};

/// The policy that deploys nothing because it was told to.
const WATCHES: &str = "never";

/// The newest step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LastStep {
    pub kind: StepKind,
    /// As the policy said it.
    pub why: Option<String>,
    /// What ends a hold; empty where nothing was held.
    pub ends: Vec<WayOut>,
}

/// Its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Deployed,
    Held,
    /// An earlier version was taken up again.
    TakenBack,
    /// The policy deploys nothing, as it was told.
    Watched,
}

/// Something that ends a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WayOut {
    /// Labels of the rows that the run has named: the next step decides by them.
    Label,
    /// Labels of rows that an audit names.
    Audit,
    /// A version that learns from these labels now.
    Learn,
    /// A new source model, from newer labelled rows.
    Refit,
    /// The policy that deploys every step.
    Always,
    /// Windows with more rows.
    MoreRows,
    /// A filter that leaves more rows to learn from.
    DropLess,
    /// A run that keeps rows of its source to judge by.
    SourceSample,
}

impl StepKind {
    pub(super) fn of(manifest: &RunManifest, last: &WindowRecord) -> Self {
        let policy = manifest.settings.method.policy.as_ref();
        match last.decision {
            _ if policy.is_some_and(|policy| policy.name == WATCHES) => Self::Watched,
            DecisionKind::RollBack => Self::TakenBack,
            _ if last.kept_as_it_was() => Self::Held,
            _ => Self::Deployed,
        }
    }
}

impl LastStep {
    pub(super) fn of(kind: StepKind, last: &WindowRecord, action: &Action) -> Self {
        let stays = matches!(kind, StepKind::Held | StepKind::TakenBack);
        let ends = if stays {
            ways_out(last, action)
        } else {
            vec![]
        };
        Self {
            kind,
            why: last.reason.clone(),
            ends,
        }
    }
}

fn ways_out(last: &WindowRecord, action: &Action) -> Vec<WayOut> {
    use WayOut::{Always, Audit, DropLess, Label, Learn, MoreRows, Refit, SourceSample};
    // The filter left nothing, or one class.
    if last.held {
        return vec![DropLess, MoreRows];
    }
    // Nothing was judged: it had too few rows, or nothing to judge by.
    if last.estimate_unadapted.is_none() && last.findings.is_null() {
        return match last.distrusted {
            true => vec![SourceSample, Always],
            false => vec![MoreRows],
        };
    }
    let named = matches!(action, Action::Label { named: true, .. });
    vec![if named { Label } else { Audit }, Learn, Refit, Always]
}
