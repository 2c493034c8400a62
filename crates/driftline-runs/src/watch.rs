//! Watches an operation from outside: progress, notes and clocks live there, not here.

use super::model_file::ModelFile;
use super::record::WindowRecord;
use driftline_adapt::Version;
use driftline_io::Notes;

pub trait Watch: Sync {
    /// The source model was trained.
    fn fitted(&self, _source: &ModelFile) {}
    /// So many windows in all, of which so many were found finished.
    fn begin(&self, _windows: usize, _finished: usize) {}
    /// Things that were handled in the stream as a whole.
    fn noted(&self, _notes: &Notes) {}
    /// A window is finished; it is stored while the next one is worked on.
    fn window(&self, _record: &WindowRecord, _windows: usize) {}
    /// What a candidate has come to at the end of the stream.
    fn reached(&self, _candidate: &str, _seed: u64, _last: &Version) {}
    /// A candidate was scored with a seed.
    fn compared(&self, _candidate: &str, _seed: u64) {}
}

/// Nobody is watching.
impl Watch for () {}
