//! Runs: one model on its way along one stream, from files into a folder or from arrays in memory. Fit a labelled source,
//! adapt, step to the next window, predict, roll back, inspect, compare, export; the program's commands are thin around
//! these.

mod adapter;
mod advice;
mod asked;
mod chains_file;
mod column_drift;
mod column_view;
mod compare;
mod expert;
mod export;
mod file_run;
mod findings;
mod fit;
mod folder;
mod follow;
mod importance;
mod inspect;
mod late;
mod measure;
pub mod method;
mod model_file;
mod moved;
mod order;
mod predict;
mod predictions;
mod preview;
mod recommendation;
mod record;
mod same_run;
mod score_later;
mod session;
mod settings;
mod step;
mod stream;
mod verdict;
mod walk;
mod watch;

pub use adapter::{Adapter, AdapterBuilder, Prediction, Reader};
pub use advice::Advice;
pub use asked::{
    ASKED, AskedLine, AskedRecord, AskedRows, GivenLabels, OTHER_CLASS, ShownRow, TakenLabel,
    shown, shown_csv, to_csv as asked_csv,
};
pub use chains_file::chains_name;
pub use chains_file::{from_bytes as resume_state_from_bytes, to_bytes as resume_state_to_bytes};
pub use column_drift::{Bins, ColumnDrift};
pub use compare::{Compare, Comparison, METHODS, MethodScore, Scores};
pub use export::{coarse, onnx};
pub use file_run::Ready;
pub use file_run::{FileRun, Start, is_run};
pub use findings::{Alarm, Explanation, Findings, Question};
pub use fit::limited;
pub use fit::{Fit, Prepared};
pub use folder::{
    FileState, Origin, RUN_FORMAT, RunFolder, RunManifest, checkpoint_name, predictions_name,
};
pub use folder::{line, memory_name, window_of};
pub use follow::{
    Appended, Closed, Cut, Follower, Fsync, LineColumns, Lines, LogOptions, LogState,
};
pub use follow::{LoggedLabel, Recovered, RowLog, Turn};
pub use inspect::{ColumnView, Inspection, ModelView, RunView, TableView, inspect};
pub use late::{Asked, Audit, Audited, LabelFile, LateScore, learn, score};
pub use measure::{Measured, measure};
pub use model_file::{MODEL_FORMAT, ModelFile, SourceRecord};
pub use order::{FindOrder, FoundOrder, OrderedDomain};
pub use predict::{Predict, Predicted, predict};
pub use predictions::{ANSWER, CLASS, CLASS_UNADAPTED, Format, probability_column};
pub use predictions::{Sink, WindowTable};
pub use preview::{Preview, SourcePreview};
pub use recommendation::Recommendation;
pub use record::{
    Checksum, ClassScore, DecisionKind, Importance, Moved, Place, Score, Serving, Shares,
    WindowRecord,
};
pub use same_run::compare as differences_between;
pub use session::{Session, Stopped};
pub use settings::RunSettings;
pub use step::{Stepped, step, step_with};
pub use step::{by_itself, refuse_source, step_choice};
pub use stream::FileWindows;
pub use verdict::{
    AccuracySummary, Action, Basis, By, ENOUGH_ANSWERS, Effect, FailOn, LastStep, Newest, Quantity,
    Reason, RollBack, Signs, StepKind, Task, Verdict, WayOut,
};
pub use walk::Keep;
pub use watch::Watch;
