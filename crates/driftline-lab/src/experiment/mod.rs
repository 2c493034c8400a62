//! Experiments: a TOML file says what (`Spec`), an `Experiment` is what it means with all numbers resolved, trials run, a
//! store keeps every finished one, and tables summarise them. A researcher's own method runs through the same door
//! (`CustomMethod`).

mod arrival;
mod beside;
mod check;
mod contrast;
mod dataset;
mod expected;
mod identity;
mod leak;
mod memo;
mod method;
mod read;
mod rehearsed;
mod resolve;
mod resolved;
mod resources;
mod runner;
mod scored;
mod spec;
mod store;
mod table;
mod trial;
mod trust;
mod work;

pub use check::{Check, CheckVerdict};
pub use contrast::{Contrast, contrasts};
pub use dataset::{Dataset, RawData};
pub use expected::{Expected, ExpectedCell};
pub use identity::ENGINE_REVISION;
pub use leak::Leak;
pub use memo::Memo;
pub use method::{CustomMethod, Observation};
pub use read::{read_file, read_settings, read_text};
pub use rehearsed::Rehearsed;
pub use resolved::{Experiment, ExperimentDataset, ExperimentMethod, Scale, Selection, Shard};
pub use resources::Resources;
pub use runner::{Batch, BatchPart, Observer, Runner, run_trial};
pub use scored::{Scored, ScoredOn};
pub use spec::{ContrastSpec, Spec};
#[cfg(feature = "schema")]
pub use spec::{schema, settings_schema};
pub use store::{ExperimentManifest, NamedSettings, Store, StoreWarning};
pub use table::{ResultTable, Row};
pub use trial::{Outcome, PolicyRecord, StageOutcome, Trial, TrialKey};
pub use trust::TrustRow;
pub use work::Sizes;
