//! How a window gets its labels. One file each; the paper's, the teacher's own decisions, is `teacher`.

mod agreement;
mod asked;
mod auto;
mod balanced;
mod clusters;
mod confidence;
mod cores;
mod filter;
mod importance;
mod inertia;
mod label_shift;
mod mixture;
mod moved_source;
mod nested;
mod none;
mod teacher;
mod transport;

pub use agreement::Agreement;
pub use asked::AskedLabels;
pub use auto::AutoLabeler;
pub use balanced::Balanced;
pub use clusters::Clusters;
pub use clusters::{ClustersKnown, ClustersView};
pub use confidence::Confidence;
pub use cores::Cores;
pub use filter::{Filter, quantile};
pub use importance::Importance;
pub use inertia::ShareInertia;
pub use label_shift::{LabelShift, ShareEstimate};
pub use mixture::MixtureLabels;
pub use moved_source::{Move, MovedSource};
pub use none::NoLabels;
pub use teacher::{LabelKind, OnEmptyWindow, PseudoLabeling};
pub use transport::Transport;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::parts::Part;
use super::state::State;
use driftline_core::Result;
use driftline_core::data::{Domain, Examples, Labels, Probabilities};
use driftline_models::AnyModel;

/// A rule that labels a window whose inputs are in the model's frame.
pub trait Labeler: Part {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled>;

    /// Whether it can label inputs of so many numbers. A policy leaves out candidates that cannot.
    fn suits(&self, _columns: usize) -> bool {
        true
    }

    /// The clusters that it follows where this is the first model.
    fn clusters(&self, _first: &AnyModel) -> Option<Clusters> {
        None
    }

    /// Whether it follows clouds row by row: beside other candidates it gets some rows of a large window only.
    fn takes_long(&self) -> bool {
        false
    }

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
    /// Nothing is to be learned, and yet a version is proposed: the model as it is, under the new alignment.
    pub keeps_model: bool,
    pub labeling: Labeling,
    /// What the teacher thinks of every row, where it was asked: nobody has to ask it again.
    pub assessed: Option<(Labels, Probabilities)>,
    /// The rows of the window that `examples` are of; all of them where nothing is said.
    pub kept_rows: Option<Vec<usize>>,
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
    /// Domains that were made up and learned from before the window itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generated: usize,
    /// Which window of the stream it was, where they were not taken in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Labeled {
    pub fn new(examples: Option<Examples>, labeling: Labeling) -> Self {
        Self {
            examples,
            keeps_model: false,
            labeling,
            assessed: None,
            kept_rows: None,
            state: State::default(),
        }
    }

    /// It was made of these rows of a window of `seen`.
    pub(super) fn of_rows(&mut self, rows: &[usize], seen: usize) {
        self.labeling.seen = seen;
        self.assessed = None;
        let kept = self.kept_rows.take();
        self.kept_rows = Some(kept.map_or(rows.to_vec(), |kept| {
            kept.iter().map(|&place| rows[place]).collect()
        }));
    }

    /// Examples of the source with its true labels: nothing of the window, of `seen` rows, is labelled.
    pub fn of_source(seen: usize, examples: Examples) -> Self {
        let labeling = Labeling::nothing(seen, examples.n_classes());
        Self::new(Some(examples), labeling)
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
            kept: labels.len(),
            class_counts: labels.counts(),
            ..Self::nothing(seen, 0)
        }
    }

    /// Of `seen` rows none was labelled.
    pub fn nothing(seen: usize, n_classes: usize) -> Self {
        Self {
            seen,
            kept: 0,
            class_counts: vec![0; n_classes],
            held: false,
            generated: 0,
            place: None,
        }
    }

    /// The class of all kept examples, if only one is left.
    pub fn only_class(&self) -> Option<u32> {
        let class = self.class_counts.iter().position(|&count| count > 0)?;
        (self.class_counts[class] == self.kept).then_some(class as u32)
    }
}
