//! How a window gets its labels. One file each; the paper's, the teacher's own decisions, is `teacher`.

mod confidence;
mod filter;
mod teacher;

pub use confidence::Confidence;
pub use filter::{Filter, quantile};
pub use teacher::{LabelKind, PseudoLabeling, Starvation};

use serde::{Deserialize, Serialize};

use super::adaptation::Context;
use super::parts::Part;
use super::version::State;
use crate::Result;
use crate::data::{Domain, Examples, Labels, Probabilities};

/// A rule that labels a window whose inputs are in the model's frame.
pub trait Labeler: Part {
    fn label(&self, now: &Context<'_>, window: &Domain) -> Result<Labeled>;

    /// How it stands in an experiment's identity, where that is not under its own name.
    fn as_pseudo_labeling(&self) -> Option<PseudoLabeling> {
        None
    }
}

/// What a labeler made of a window.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Labeled {
    /// What to learn from; `None` where too little is left.
    pub examples: Option<Examples>,
    pub labeling: Labeling,
    /// What the teacher thinks of every row, where it was asked: nobody has to ask it again.
    pub assessed: Option<(Labels, Probabilities)>,
    /// What to remember for the next window.
    pub state: State,
}

/// The record of what was kept of a window.
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

impl Labeled {
    pub fn new(examples: Option<Examples>, labeling: Labeling) -> Self {
        Self {
            examples,
            labeling,
            assessed: None,
            state: State::default(),
        }
    }

    /// With something to remember.
    pub fn remembering(self, state: State) -> Self {
        Self { state, ..self }
    }
}

impl Labeling {
    /// Of `seen` rows these labels were kept, and are learned from.
    pub fn kept(seen: usize, labels: &Labels) -> Self {
        Self {
            seen,
            kept: labels.len(),
            class_counts: labels.counts(),
            held: false,
        }
    }

    /// The class of all kept examples, if only one is left.
    pub fn only_class(&self) -> Option<u32> {
        let class = self.class_counts.iter().position(|&count| count > 0)?;
        (self.class_counts[class] == self.kept).then_some(class as u32)
    }
}
