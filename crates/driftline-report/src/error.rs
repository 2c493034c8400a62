//! Why a page could not be made.

use std::fmt;

/// A fault of the results, or of the page itself.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The results cannot be read.
    Library(driftline::Error),
    /// The template cannot be filled: a bug in this crate.
    Template(minijinja::Error),
}

/// Shorthand for results with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Library(error) => error.fmt(f),
            Error::Template(error) => write!(f, "cannot make the report: {error:#}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Library(error) => Some(error),
            Error::Template(error) => Some(error),
        }
    }
}

impl From<driftline::Error> for Error {
    fn from(error: driftline::Error) -> Self {
        Error::Library(error)
    }
}

impl From<minijinja::Error> for Error {
    fn from(error: minijinja::Error) -> Self {
        Error::Template(error)
    }
}
