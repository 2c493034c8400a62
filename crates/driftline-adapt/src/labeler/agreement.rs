//! Agreement: rows to which two labelers give the same class, as the first of them gives them. Each keeps its own
//! memory; where they agree on nothing, the window is held.

use serde::{Deserialize, Serialize};

use super::nested::{ask, nested};
use super::{Labeled, Labeler, Labeling};
use crate::LabelerParts;
use crate::parts::{NamedPart, PartSpec};
use crate::{Context, State};
use driftline_core::data::{Domain, Labels};
use driftline_core::{Error, Result};
use driftline_models::Classifier;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "AgreementSpec", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(with = "AgreementSpec"))]
pub struct Agreement {
    first: NamedPart<dyn Labeler>,
    second: NamedPart<dyn Labeler>,
}

/// As a file says it.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct AgreementSpec {
    /// Its rows are learned from; `clusters` if absent.
    first: PartSpec<LabelerParts>,
    /// `transport` if absent.
    second: PartSpec<LabelerParts>,
}

impl Default for AgreementSpec {
    fn default() -> Self {
        Self {
            first: PartSpec::plain("clusters"),
            second: PartSpec::plain("transport"),
        }
    }
}

impl TryFrom<AgreementSpec> for Agreement {
    type Error = Error;

    fn try_from(spec: AgreementSpec) -> Result<Self> {
        Ok(Self {
            first: nested(&spec.first)?,
            second: nested(&spec.second)?,
        })
    }
}

impl Labeler for Agreement {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let first = ask(&self.first, ctx, window, "first.")?;
        let second = ask(&self.second, ctx, window, "second.")?;
        let mut state = State::default();
        state.join("first.", &first.labeled.state);
        state.join("second.", &second.labeled.state);
        let mut others = vec![None; window.len()];
        for (&row, &class) in second.rows.iter().zip(&second.classes) {
            others[row] = Some(class);
        }
        let agreed: Vec<usize> = (0..first.rows.len())
            .filter(|&at| others[first.rows[at]] == Some(first.classes[at]))
            .collect();
        let classes = agreed.iter().map(|&at| first.classes[at] as u32);
        let labels = Labels::new(classes.collect(), ctx.teacher.n_classes())?;
        let mut labeling = Labeling::kept(window.len(), &labels);
        labeling.held = agreed.is_empty();
        let examples = first.labeled.examples.filter(|_| !agreed.is_empty());
        let mut labeled = Labeled::new(examples.map(|all| all.pick(&agreed)), labeling);
        labeled.kept_rows = Some(agreed.iter().map(|&at| first.rows[at]).collect());
        Ok(labeled.remembering(state))
    }
}
