//! Watches a fleet from outside: progress and clocks live there, not here.

use super::row::StreamRow;
use driftline_runs::ModelFile;

pub trait FleetWatch: Sync {
    /// The shared source model was trained.
    fn fitted(&self, _source: &ModelFile) {}
    /// So many streams in all, of which so many were found finished.
    fn begin(&self, _streams: usize, _finished: usize) {}
    /// A stream is being worked on; several are at the same time.
    fn started(&self, _key: &str) {}
    /// It came to its end, or failed.
    fn ended(&self, _row: &StreamRow) {}
}

/// Nobody is watching.
impl FleetWatch for () {}
