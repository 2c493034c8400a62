//! What flows through the library: inputs, labels, domains, streams, examples, and the split between what a
//! method may see (`Task`) and what only the evaluator holds (`AnswerKey`).

mod column_cleaning;
mod coreset;
mod domain;
mod examples;
mod folds;
mod inputs;
mod labels;
mod layout;
mod pool;
mod probabilities;
mod proportion;
mod range;
mod row_order;
mod scaling;
mod shape;
mod stream;
mod task;
pub mod time;
mod windowing;

pub use column_cleaning::{Clip, ColumnCleaning};
pub use domain::{Domain, LabeledDomain};
pub use examples::{Examples, Targets};
pub use folds::Folds;
pub use inputs::Inputs;
pub use labels::Labels;
pub use layout::Layout;
pub use pool::Pool;
pub use probabilities::Probabilities;
pub use probabilities::argmax;
pub use proportion::{Proportion, Z90};
pub use range::{Fraction, NonNegative, Positive};
pub use row_order::{RowOrder, numbered};
pub use scaling::{EncodeOptions, NumberColumn, Scaling, Variation, scaled};
pub use shape::Shape;
pub use stream::Stream;
pub use task::{AnswerKey, Benchmark, Task};
pub use time::{Period, Time};
pub use windowing::{Remainder, Split, Tail, Windowing};
