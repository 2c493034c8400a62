//! The paper's labels: the teacher's own decisions, less those that it is least sure of.

use serde::{Deserialize, Serialize};

use super::{Confidence, Filter, Labeled, Labeler, Labeling, ShareInertia};
use crate::Context;
use driftline_core::data::{Domain, Examples, Labels, Probabilities, Targets};
use driftline_core::{Error, Result};
use driftline_models::Classifier;

/// Whether the student learns the teacher's decision or its probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LabelKind {
    Hard,
    Soft,
}

/// What happens when the filter leaves nothing, or examples of one class only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnEmptyWindow {
    /// Stop with an error.
    Fail,
    /// Keep the student as it is, record it, go on.
    Hold,
    /// Learn from one class as the paper's code does, and record it; an empty window is held.
    Proceed,
}

/// How a domain is labelled and filtered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct PseudoLabeling {
    pub kind: LabelKind,
    pub confidence: Confidence,
    pub filter: Filter,
    #[serde(rename = "starvation", alias = "on-empty-window")]
    #[cfg_attr(feature = "schema", schemars(rename = "on-empty-window"))]
    pub on_empty_window: OnEmptyWindow,
    /// How far the labels' shares may move; as the teacher has them if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_inertia: Option<ShareInertia>,
}

impl PseudoLabeling {
    /// The paper's: hard labels, the least confident fraction by max p − min p dropped.
    pub fn paper(drop: driftline_core::data::Fraction) -> Self {
        Self {
            kind: LabelKind::Hard,
            confidence: Confidence::Spread,
            filter: Filter::DropFraction(drop),
            on_empty_window: OnEmptyWindow::Proceed,
            share_inertia: None,
        }
    }

    /// Labels `domain` with `teacher` as it decides, without inertia, leaving out the least confident examples.
    pub fn of(&self, teacher: &dyn Classifier, domain: &Domain) -> Result<Labeled> {
        let assessed = assessed(teacher, domain)?;
        // A margin model does not decide by its probabilities.
        let labeled = self.kept(domain, &assessed.0, &assessed.1)?;
        Ok(Labeled {
            assessed: Some(assessed),
            ..labeled
        })
    }

    /// The same with the labels' shares held.
    fn held(&self, inertia: ShareInertia, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let assessed = assessed(&ctx.teacher.model, window)?;
        let moved = inertia.moved(ctx, &assessed.1)?;
        let labeled = self.kept(window, &moved.argmax(), &moved)?;
        Ok(Labeled {
            assessed: Some(assessed),
            state: inertia.memory(&moved)?,
            ..labeled
        })
    }

    /// What the filter leaves of rows that are labelled so.
    fn kept(
        &self,
        domain: &Domain,
        labels: &Labels,
        probabilities: &Probabilities,
    ) -> Result<Labeled> {
        let confidences: Vec<f32> = probabilities
            .iter()
            .map(|p| self.confidence.of(p))
            .collect();
        let kept = self.filter.kept(&confidences, labels);
        let kept_labels = labels.pick(&kept);
        let mut labeling = Labeling::kept(domain.len(), &kept_labels);
        if kept.is_empty() || labeling.only_class().is_some() {
            match self.on_empty_window {
                OnEmptyWindow::Fail => {
                    return Err(Error::Starved {
                        seen: labeling.seen,
                        kept: labeling.kept,
                        class: labeling.only_class(),
                    });
                }
                OnEmptyWindow::Hold => labeling.held = true,
                OnEmptyWindow::Proceed => labeling.held = kept.is_empty(),
            }
        }
        let mut examples = None;
        if !labeling.held {
            let targets = match self.kind {
                LabelKind::Hard => Targets::Hard(kept_labels),
                LabelKind::Soft => Targets::Soft(probabilities.pick(&kept)),
            };
            examples = Some(Examples::new(domain.inputs.pick(&kept), targets)?);
        }
        Ok(Labeled {
            kept_rows: Some(kept),
            ..Labeled::new(examples, labeling)
        })
    }
}

impl Labeler for PseudoLabeling {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        match self.share_inertia {
            None => self.of(&ctx.teacher.model, window),
            Some(inertia) => self.held(inertia, ctx, window),
        }
    }

    fn as_pseudo_labeling(&self) -> Option<PseudoLabeling> {
        Some(*self)
    }
}

fn assessed(teacher: &dyn Classifier, domain: &Domain) -> Result<(Labels, Probabilities)> {
    if domain.is_empty() {
        return Err(Error::empty("the domain to be labelled"));
    }
    teacher.assess(&domain.inputs)
}
