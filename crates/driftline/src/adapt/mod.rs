//! Gradual self-training: pseudo-label, filter, retrain, repeat, over domains in the order a curriculum gives.

mod confidence;
mod curriculum;
mod filter;
mod pseudo_labels;
mod self_training;

pub use confidence::Confidence;
pub use curriculum::{Accumulate, Curriculum, Gradual, Pooled, SourceOnly, Stages, TargetOnly};
pub use filter::{Filter, quantile};
pub use pseudo_labels::{LabelKind, Labeling, PseudoLabeling, Starvation};
pub use self_training::{Adaptation, OptimizerState, Replay, SelfTraining, Step, StudentStart};
