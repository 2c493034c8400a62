//! How a method is said: the vocabulary of settings, the registry of parts by name, and the candidates and baselines that
//! are built in. [`Settings::resolve`] makes a [`Method`] of it, every number fixed.

mod baselines;
mod candidates;
mod layer;
mod registry;
mod resolve;
mod settings;

pub use baselines::{baselines, network_baselines};
pub use registry::{ModelParts, PolicyParts, Registry};
pub use resolve::Method;
pub use settings::{SelfTrainingSpec, Settings, TrainingSpec};
