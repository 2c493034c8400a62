//! What flows through the library: inputs, labels, domains, streams, examples, and the split between what a
//! method may see (`Task`) and what only the evaluator holds (`AnswerKey`).

mod coreset;
mod domain;
mod examples;
mod folds;
mod hygiene;
mod inputs;
mod labels;
mod pool;
mod probabilities;
mod proportion;
mod range;
mod scaling;
mod shape;
mod stream;
mod task;
pub(crate) mod time;
mod windowing;

pub use domain::{Domain, LabeledDomain};
pub use examples::{Examples, Targets};
pub use folds::Folds;
pub use hygiene::{Clip, Hygiene};
pub(crate) use hygiene::{hardly_varies, is_few};
pub use inputs::Inputs;
pub use labels::Labels;
pub use pool::Pool;
pub use probabilities::Probabilities;
pub(crate) use probabilities::argmax;
pub use proportion::{Proportion, Z90};
pub use range::{Fraction, NonNegative, Positive};
pub(crate) use scaling::Moments;
pub use scaling::Scaling;
pub use shape::Shape;
pub use stream::Stream;
pub use task::{AnswerKey, Benchmark, Task};
pub use time::{Period, Time};
pub use windowing::{Remainder, Split, Tail, Windowing};
