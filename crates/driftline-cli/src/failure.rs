//! How a command can end: done, a check that did not hold, or an error with a way to mend it.

use std::fmt;

use driftline_core::Error;

use crate::output;
use crate::your_data::machine;

/// A command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    CheckFailed,
    /// Some of many pieces of work failed; each was told where it happened.
    #[cfg_attr(not(feature = "fleet"), expect(dead_code))]
    SomeFailed,
}

impl Outcome {
    pub fn of(holds: bool) -> Self {
        if holds {
            Outcome::Done
        } else {
            Outcome::CheckFailed
        }
    }
}

/// A command that did not.
#[derive(Debug)]
pub enum Failure {
    Library(Error),
    /// A fault outside the library, with what to do about it where that is known.
    Told {
        message: String,
        help: Option<String>,
        /// Whether the command line asks for something that does not exist.
        usage: bool,
    },
    ClosedPipe,
}

pub type Result<T = Outcome, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Library(Error::Interrupted) => 130,
            Failure::Library(
                Error::UnknownName { .. } | Error::SourceMissing | Error::MissingFeature { .. },
            ) => 2,
            Failure::Told { usage: true, .. } => 2,
            Failure::Library(_) | Failure::Told { .. } => 1,
            Failure::ClosedPipe => 0,
        }
    }

    fn new(message: impl Into<String>, help: Option<String>, usage: bool) -> Self {
        let message = message.into();
        Failure::Told {
            message,
            help,
            usage,
        }
    }

    pub fn told(message: impl Into<String>) -> Self {
        Self::new(message, None, false)
    }

    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(message, Some(help.into()), true)
    }

    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(message, Some(help.into()), false)
    }

    /// The same fault with the place where it was found.
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        if let Failure::Told { message, .. } = &mut self {
            *message = format!("{place}: {message}");
        }
        self
    }

    /// The command with what it lacked, where the fault says what that is.
    fn corrected(&self) -> Option<String> {
        let Failure::Library(Error::Data(fault)) = self else {
            return None;
        };
        if fault.additions.is_empty() {
            return None;
        }
        let mut words = machine::command();
        for (setting, value) in &fault.additions {
            words.push(format!("--{}", output::flag(*setting)));
            words.extend(value.clone());
        }
        Some(driftline_report::command_line(&words))
    }

    /// What to do about it, where that is known.
    fn help(&self) -> Option<String> {
        match self {
            Failure::Library(error) => match error.help() {
                Some(advice) => Some(output::in_flags(advice)),
                None => help(error).map(String::from),
            },
            Failure::Told { help, .. } => help.clone(),
            Failure::ClosedPipe => None,
        }
    }
}

/// What the program can say about an error that the library has no advice for.
fn help(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::UnevenWindows { .. } => {
            "set the tail to `drop`, `keep` or `merge`, or choose another window size"
        }
        Error::WindowTooLarge { .. } => "choose a smaller window, or set the number of windows",
        Error::Starved { .. } => "lower the fraction to drop, or set `on-empty-window` to `hold`",
        Error::NotConverged { .. } => {
            "raise `max-iterations`, the tolerance, or the L2 penalty; on your own data, exclude columns whose values are far from the source's (--exclude)"
        }
        Error::Occupied { .. } => "choose another folder, or replace it with --force",
        Error::Foreign { .. } => "move it away or rename it, or choose another place",
        Error::SourceMissing => {
            "--replay needs the labelled source: name it with --source and --label"
        }
        Error::MissingFeature { .. } => {
            "`cargo install --path crates/driftline-cli --features full` installs a program with every feature; `cargo run --release --features full` makes and runs one"
        }
        Error::Interrupted => "run the same command again to resume",
        Error::Corrupt { message, .. } if message.contains("another plan") => {
            "choose a new folder with --out, or remove the old one if you no longer need its results"
        }
        Error::Corrupt { message, .. }
            if message.starts_with("is a file")
                && message.contains("folder of a run is needed") =>
        {
            "make a run from a model file with `driftline adapt --model FILE --stream FILE --out RUN`"
        }
        Error::Corrupt { message, .. } if message.contains("is not a driftline model") => {
            "a model file comes from `driftline fit`, a run folder from `driftline adapt`; tables are given with --input, --source or --stream"
        }
        Error::Corrupt { message, .. } if message.contains("folder of a run is needed") => {
            "make one with `driftline adapt --source FILE --label COL --stream FILE --out RUN`"
        }
        Error::Corrupt { path, .. } if path.extension().is_some_and(|e| e == "toml") => {
            "`driftline schema` prints what an experiment file may hold"
        }
        _ => return None,
    })
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Library(error) => write!(f, "error: {error}")?,
            Failure::Told { message, .. } => write!(f, "error: {message}")?,
            Failure::ClosedPipe => {}
        }
        if let Some(help) = self.help() {
            write!(f, "\n  help: {help}")?;
        }
        match self.corrected() {
            Some(command) => write!(f, "\n  try:  {command}"),
            None => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

impl From<driftline_report::Error> for Failure {
    fn from(error: driftline_report::Error) -> Self {
        match error {
            driftline_report::Error::Library(error) => Failure::Library(error),
            other => Failure::told(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_feature_says_how_to_get_it() {
        let failure = Failure::from(Error::MissingFeature {
            what: "`driftline serve`".into(),
            feature: "serve",
        });
        assert_eq!(failure.exit_code(), 2);
        let said = failure.to_string();
        let expected = "error: `driftline serve` needs the feature `serve`, which this build of driftline lacks\n  help: \
                        `cargo install --path crates/driftline-cli --features full` installs";
        assert!(said.starts_with(expected), "{said}");
    }
}
