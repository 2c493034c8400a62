//! A teacher's labels for an unlabelled domain, and the record of what was kept of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Filter};
use crate::data::{Domain, Examples, Targets};
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

/// What a teacher made of a domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Labeling {
    pub seen: usize,
    pub kept: usize,
    /// How many examples of each class were kept.
    pub class_counts: Vec<usize>,
    /// No training took place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

impl Labeling {
    /// The class of all kept examples, if only one is left.
    pub fn only_class(&self) -> Option<u32> {
        let class = self.class_counts.iter().position(|&count| count > 0)?;
        (self.class_counts[class] == self.kept).then_some(class as u32)
    }
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

    /// Labels `domain` with `teacher`, leaving out the least confident examples. `None` where the window is to be held.
    pub fn label(
        &self,
        teacher: &dyn Classifier,
        domain: &Domain,
    ) -> Result<(Option<Examples>, Labeling)> {
        if domain.is_empty() {
            return Err(Error::empty("the domain to be labelled"));
        }
        let (labels, probabilities) = teacher.assess(&domain.inputs)?;
        let confidences: Vec<f32> = probabilities
            .iter()
            .map(|p| self.confidence.of(p))
            .collect();
        let kept = self.filter.kept(&confidences, &labels);
        let labels = labels.pick(&kept);
        let mut labeling = Labeling {
            seen: domain.len(),
            kept: kept.len(),
            class_counts: labels.counts(),
            held: false,
        };
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
        if labeling.held {
            return Ok((None, labeling));
        }
        let targets = match self.kind {
            LabelKind::Hard => Targets::Hard(labels),
            LabelKind::Soft => Targets::Soft(probabilities.pick(&kept)),
        };
        let examples = Examples::new(domain.inputs.pick(&kept), targets)?;
        Ok((Some(examples), labeling))
    }
}
