//! The practitioner's operations: fit a labelled source, adapt along a stream, step to the next window, predict, roll
//! back, inspect, compare, export. Each is a small type or function; the program's commands are thin around them.

mod adapt;
mod bundle;
mod compare;
mod digest;
mod fit;
mod inspect;
mod measure;
mod model_choice;
pub mod onnx;
mod plan;
mod predict;
mod predictions;
mod radius;
pub mod run;
mod settings;
mod stages;
mod step;
mod summary;
mod validation;
mod walk;
mod watch;
mod window;

pub use adapt::{Adapt, Data, Start};
pub use bundle::{Bundle, MODEL_FORMAT, SourceRecord};
pub use compare::{Compare, Comparison, MethodScore, Scores};
pub use digest::InputDigest;
pub use fit::Fit;
pub use inspect::{ColumnView, Inspection, ModelView, RunView, TableView, inspect};
pub use measure::{Measured, Models, measure};
pub use model_choice::ModelChoice;
pub use plan::{Plan, Survey, plan};
pub use predict::{Predicted, predict};
pub use predictions::{CLASS, Format, probability_column};
pub use run::{Manifest, RunFolder};
pub use settings::{AdaptSettings, Method, Windows};
pub use step::{Stepped, step};
pub use summary::{AccuracySummary, Signs, Summary, Verdict};
pub use validation::Validation;
pub use walk::Walk;
pub use watch::Watch;
pub use window::{ClassScore, Place, Score, Shares, WindowRecord};
