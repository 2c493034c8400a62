//! Classifiers and how they learn. Every model, the library's or yours, implements two traits: [`Classifier`] for what
//! predicts and [`Learner`] for what trains it.

mod any;
mod arrays;
mod augmentation;
mod auto;
mod classifier;
pub mod evaluate;
pub mod frozen;
pub mod hog;
mod kinds;
mod learner;
pub mod linear;
pub mod loss;
pub mod neighbours;
pub mod network;
pub mod onnx;
pub mod optimizer;
mod preset;
mod runtime;
pub mod training;
pub mod trees;
mod validation;

pub use any::{AnyLearner, AnyModel};
pub use arrays::write as write_arrays;
pub use arrays::{Array, Arrays};
pub use augmentation::Augmentation;
pub use auto::{AutoChoice, Blocks};
pub use classifier::{Classifier, Stored};
pub use kinds::ModelKinds;
pub use learner::Learner;
pub use preset::Preset;
pub use runtime::Runtime;
pub use validation::{Validation, validate};
