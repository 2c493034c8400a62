//! Following a drift: one loop, and a name and a folder for each of the things that vary. A [`Curriculum`] gives the
//! windows in order, an [`Alignment`] brings their inputs into the model's frame, a [`Labeler`] labels them, a learner
//! learns from that, and a [`Policy`] says what becomes of the result.

mod adaptation;
pub mod alignment;
mod candidate;
pub mod curriculum;
pub mod labeler;
mod parts;
pub mod policy;
mod registry;
mod resolve;
mod settings;
mod version;
mod windows;

pub use adaptation::{Adaptation, Context, Step};
pub use alignment::{Aligned, Alignment};
pub use candidate::{Candidate, OptimizerState, StudentStart};
pub use curriculum::{
    Accumulate, Curriculum, Gradual, Pooled, SourceOnly, Stage, TargetOnly, WindowsSpec,
};
pub use labeler::{
    Confidence, Filter, LabelKind, Labeled, Labeler, Labeling, PseudoLabeling, Starvation, quantile,
};
pub use parts::{Chosen, Named, Part};
pub use policy::{Decision, Policy, Proposal};
pub use registry::{
    AlignmentParts, CurriculumParts, LabelerParts, ModelParts, PolicyParts, Registry,
};
pub use resolve::MethodPlan;
pub use settings::{SelfTrainingSpec, Settings, TrainingSpec};
pub use version::{Archive, State, Version};
pub use windows::{MemoryWindows, Windows};
