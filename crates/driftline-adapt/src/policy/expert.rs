//! Somebody who knows the class of a row, and is asked about a few: a person, a laboratory, or in trials the truth itself. A
//! policy sees the answers to what it asked, and nothing else.

use std::fmt;

use driftline_core::Result;

/// Answers questions about the rows of the window that is being decided about.
pub trait Expert: Send + Sync + fmt::Debug {
    /// The class of each of these rows, by its place in the window; none where it is not known, or not one of the source's.
    fn label(&self, rows: &[usize]) -> Result<Vec<Option<u32>>>;
}
