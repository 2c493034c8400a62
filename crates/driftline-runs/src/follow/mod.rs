//! A run that follows live rows: what was answered or fed is written to a log in the run folder, cut into windows, and adapted
//! to as `step` would. No HTTP and no clock here; `driftline serve --follow` and `driftline follow` share it.

mod columns;
mod cut;
mod entry;
mod follower;
mod ids;
mod late;
mod log;
mod reader;
mod recover;
mod segment;
mod window_files;

pub use columns::{LineColumns, Lines};
pub use cut::Cut;
pub use entry::LoggedLabel;
pub use follower::{Closed, Follower, Turn};
pub use log::{Appended, Fsync, LogOptions, LogState, Recovered, RowLog};
pub(crate) use log::{FOLDERS as LIVE_FOLDERS, is_of_log as is_live};
use window_files::LIVE;

/// The folder of the log in a run's folder.
const LOG: &str = "log";
