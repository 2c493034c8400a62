//! Following a drift: one loop, and a name and a folder for each of the things that vary. A [`Curriculum`] gives the
//! windows in order, an [`Alignment`] brings their inputs into the model's frame, a [`Labeler`] labels them, a learner
//! learns from that, and a [`Policy`] says what becomes of the result.

pub mod alignment;
mod bridge;
mod built_in;
pub mod candidate;
pub mod chain;
mod context;
pub mod curriculum;
mod engine;
pub mod labeler;
mod order;
pub mod parts;
pub mod policy;
mod source_stats;
mod state;
pub mod version;
mod windows;

pub use alignment::{Aligned, Alignment};
pub use bridge::{Bridge, Matching, Space};
pub use built_in::{AlignmentParts, CurriculumParts, LabelerParts, Make, find, make};
pub use candidate::{Attempt, Candidate, Made, OptimizerState, StudentStart};
pub use chain::Chain;
pub use context::Context;
pub use curriculum::{
    Accumulate, Curriculum, Goat, Gradual, Ordered, Overlapping, Pooled, SourceOnly, Stage,
    TargetOnly, WindowsSpec,
};
pub use engine::{After, ChainState, EachStep, Engine, ResumeState, Sink, Stages, Step};
pub use labeler::{
    Balanced, Confidence, Filter, Importance, LabelKind, LabelShift, Labeled, Labeler, Labeling,
    MovedSource, NoLabels, OnEmptyWindow, PseudoLabeling, quantile,
};
pub use order::{DomainOrder, OrderBy, Placed};
pub use parts::{NamedPart, Part, PartKind, PartSpec, checked};
pub use policy::{
    Always, AskedRow, Decision, Estimate, Expert, Forecast, LabelledRow, Never, Policy,
    PolicyOutcome, Proposal, Prospect,
};
pub use source_stats::SourceStats;
pub use state::State;
pub use state::StoredState;
pub use version::StoredVersion;
pub use version::{Archive, Version};
pub use windows::{MemoryWindows, Windows};
