//! Following a drift: one loop, and a name and a folder for each of the things that vary. A [`Curriculum`] gives the
//! windows in order, an [`Alignment`] brings their inputs into the model's frame, a [`Labeler`] labels them, a learner
//! learns from that, and a [`Policy`] says what becomes of the result.

mod adaptation;
pub mod alignment;
mod baselines;
mod bridge;
mod candidate;
mod candidates;
mod chain;
mod context;
pub mod curriculum;
mod frame;
pub mod labeler;
mod order;
mod parts;
pub mod policy;
mod registry;
mod resolve;
mod settings;
mod standing;
mod state;
mod version;
mod windows;

pub use adaptation::{Adaptation, Step};
pub use alignment::{Aligned, Alignment};
pub use baselines::baselines;
pub(crate) use baselines::network_baselines;
pub use bridge::{Bridge, Matching, Space};
pub use candidate::{Attempt, Candidate, OptimizerState, StudentStart};
pub use chain::Chain;
pub use context::Context;
pub use curriculum::{
    Accumulate, Curriculum, Generated, Gradual, Ordered, Overlapping, Pooled, SourceOnly, Stage,
    TargetOnly, WindowsSpec,
};
pub use frame::SourceFrame;
pub use labeler::{
    Balanced, Confidence, Filter, Importance, LabelKind, LabelShift, Labeled, Labeler, Labeling,
    MovedSource, NoLabels, PseudoLabeling, Starvation, quantile,
};
pub use order::{DomainOrder, OrderBy, Placed};
pub use parts::{Chosen, Named, Part};
pub use policy::{
    Always, Decision, Estimate, Judgement, Never, Outlook, Policy, Proposal, Prospect,
};
pub use registry::{
    AlignmentParts, CurriculumParts, LabelerParts, ModelParts, PolicyParts, Registry,
};
pub use resolve::MethodPlan;
pub use settings::{SelfTrainingSpec, Settings, TrainingSpec};
pub use standing::{Stand, Standing};
pub use state::State;
pub(crate) use state::StoredState;
pub(crate) use version::StoredVersion;
pub use version::{Archive, Version};
pub use windows::{MemoryWindows, Windows};
