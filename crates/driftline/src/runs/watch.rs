//! Watches an operation from outside: progress, notes, clocks and Ctrl-C live there, not here.

use super::bundle::Bundle;
use super::window::WindowRecord;
use crate::reading::Notes;

pub trait Watch: Sync {
    /// The source model was trained.
    fn fitted(&self, _source: &Bundle) {}
    /// So many windows in all, of which so many were found finished.
    fn begin(&self, _windows: usize, _finished: usize) {}
    /// Things that were handled in the stream as a whole.
    fn noted(&self, _notes: &Notes) {}
    /// A window is finished and safely stored.
    fn window(&self, _record: &WindowRecord, _windows: usize) {}
    /// Asked between windows and batches; true ends with [`Error::Interrupted`](crate::Error::Interrupted).
    fn should_stop(&self) -> bool {
        false
    }
}

/// Nobody is watching.
impl Watch for () {}
