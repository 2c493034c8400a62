//! How much the program says beside its results.

use crate::output;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

impl Verbosity {
    /// One line on standard error, unless asked to be quiet.
    pub fn say(self, line: &str) {
        if self != Verbosity::Quiet {
            output::tell(line);
        }
    }
}
