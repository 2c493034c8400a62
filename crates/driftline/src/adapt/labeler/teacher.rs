//! The paper's labels: the teacher's own decisions, less those that it is least sure of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Filter, Labeled, Labeler, Labeling};
use crate::adapt::Context;
use crate::data::{Domain, Examples, Labels, Probabilities, Targets};
use crate::models::Classifier;
use crate::{Error, Result};

/// Whether the student learns the teacher's decision or its probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LabelKind {
    Hard,
    Soft,
}

/// What happens when the filter leaves nothing, or examples of one class only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Starvation {
    /// Stop with an error.
    Fail,
    /// Keep the student as it is, record it, go on.
    Hold,
    /// Learn from one class as the paper's code does, and record it; an empty window is held.
    Proceed,
}

/// How a domain is labelled and filtered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct PseudoLabeling {
    pub kind: LabelKind,
    pub confidence: Confidence,
    pub filter: Filter,
    pub starvation: Starvation,
}

impl PseudoLabeling {
    /// The paper's: hard labels, the least confident fraction by max p − min p dropped.
    pub fn paper(drop: crate::data::Fraction) -> Self {
        Self {
            kind: LabelKind::Hard,
            confidence: Confidence::Spread,
            filter: Filter::DropFraction(drop),
            starvation: Starvation::Proceed,
        }
    }

    /// Labels `domain` with `teacher`, leaving out the least confident examples.
    pub fn of(&self, teacher: &dyn Classifier, domain: &Domain) -> Result<Labeled> {
        if domain.is_empty() {
            return Err(Error::empty("the domain to be labelled"));
        }
        let (labels, probabilities) = teacher.assess(&domain.inputs)?;
        let labeled = self.kept(domain, &labels, &probabilities)?;
        Ok(Labeled {
            assessed: Some((labels, probabilities)),
            ..labeled
        })
    }

    /// What the filter leaves of rows that are labelled so.
    pub(super) fn kept(
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
            match self.starvation {
                Starvation::Fail => {
                    return Err(Error::Starved {
                        seen: labeling.seen,
                        kept: labeling.kept,
                        class: labeling.only_class(),
                    });
                }
                Starvation::Hold => labeling.held = true,
                Starvation::Proceed => labeling.held = kept.is_empty(),
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
    fn label(&self, now: &Context<'_>, window: &Domain) -> Result<Labeled> {
        self.of(&now.teacher.model, window)
    }

    fn as_pseudo_labeling(&self) -> Option<PseudoLabeling> {
        Some(*self)
    }
}
