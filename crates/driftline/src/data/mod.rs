//! What flows through the library: inputs, labels, domains, streams, examples, and the split between what a
//! method may see (`Task`) and what only the evaluator holds (`AnswerKey`).

mod domain;
mod examples;
mod inputs;
mod labels;
mod pool;
mod probabilities;
mod range;
mod shape;
mod stream;
mod task;
mod windowing;

pub use domain::{Domain, LabeledDomain};
pub use examples::{Examples, Targets};
pub use inputs::Inputs;
pub use labels::Labels;
pub use pool::Pool;
pub use probabilities::Probabilities;
pub use range::{Fraction, NonNegative, Positive};
pub use shape::Shape;
pub use stream::Stream;
pub use task::{AnswerKey, Benchmark, Task};
pub use windowing::{Remainder, Split, Tail, Windowing};
