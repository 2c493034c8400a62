//! Cautious labels of the teacher: predicted class shares are brought back to the source's (`inertia.rs`); then the least
//! confident share of *each* predicted class is dropped, so that an unsure class does not vanish.

use serde::{Deserialize, Serialize};

use super::ShareInertia;
use super::{Confidence, Filter, LabelKind, Labeled, Labeler, OnEmptyWindow, PseudoLabeling};
use crate::Context;
use driftline_core::Result;
use driftline_core::data::{Domain, Fraction};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Balanced {
    /// The share of each predicted class that is not learned from: its least confident rows.
    pub drop: Fraction,
    pub confidence: Confidence,
    /// How far predicted class shares are brought back to the source's: 0 not at all, 1 wholly. Short for
    /// `share-inertia.source`.
    pub prior_strength: Fraction,
    /// Another way to hold the shares, in place of `prior-strength`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_inertia: Option<ShareInertia>,
    pub labels: LabelKind,
    /// What to do when one class is left.
    #[serde(rename = "starvation", alias = "on-empty-window")]
    #[cfg_attr(feature = "schema", schemars(rename = "on-empty-window"))]
    pub on_empty_window: OnEmptyWindow,
}

impl Default for Balanced {
    fn default() -> Self {
        let known = "constants are in range";
        Self {
            drop: Fraction::new(0.1).expect(known),
            confidence: Confidence::Spread,
            prior_strength: Fraction::new(1.0).expect(known),
            share_inertia: None,
            labels: LabelKind::Hard,
            on_empty_window: OnEmptyWindow::Hold,
        }
    }
}

impl Labeler for Balanced {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let prior = Some(self.prior_strength).filter(|strength| strength.get() > 0.0);
        let teacher = PseudoLabeling {
            kind: self.labels,
            confidence: self.confidence,
            filter: Filter::ClassBalanced(self.drop),
            on_empty_window: self.on_empty_window,
            share_inertia: self.share_inertia.or(prior.map(ShareInertia::Source)),
        };
        teacher.label(ctx, window)
    }
}
