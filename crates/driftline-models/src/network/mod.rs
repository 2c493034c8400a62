//! A small neural-network library: an [`Architecture`] is data, a [`Blueprint`] knows every shape, a program knows buffers
//! and fused steps, kernels know registers. Same seed, same bytes, for any number of threads.

mod architecture;
mod domain_head;
mod ensemble;
mod file;
mod group;
mod inference;
mod inputs;
pub(crate) mod kernels;
pub mod layers;
mod learner;
mod limits;
mod model;
mod phases;
mod program;
mod spec;
mod steps;
mod trainer;
mod variation;

pub use architecture::{Architecture, Blueprint};
pub use ensemble::{Ensemble, EnsembleLearner, EnsembleSpec};
pub use kernels::{Isa, peak};
pub use learner::NetworkLearner;
pub use model::{NamedTensor, Network};
pub use spec::{ArchitectureSpec, NetworkSpec};
pub use steps::Steps;
