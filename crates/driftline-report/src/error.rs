//! Why a page could not be made.

/// A fault of the results, or of the page itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The results cannot be read.
    #[error(transparent)]
    Library(#[from] driftline_core::Error),
    /// The template cannot be filled: a bug in this crate.
    #[error("cannot make the report: {0:#}")]
    Template(#[from] minijinja::Error),
}

/// Shorthand for results with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
