//! How a command can end: done, a check that did not hold, or an error with a way to mend it.

use std::fmt;

use driftline::Error;

use crate::output;

/// A command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    CheckFailed,
    /// Some of many pieces of work failed; each was told where it happened.
    SomeFailed,
}

impl Outcome {
    pub fn of(holds: bool) -> Self {
        match holds {
            true => Outcome::Done,
            false => Outcome::CheckFailed,
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
    },
    /// The command line asks for something that does not exist.
    Usage {
        message: String,
        help: String,
    },
    ClosedPipe,
}

pub type Result<T = Outcome, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Library(Error::Interrupted) => 130,
            Failure::Library(Error::UnknownName { .. } | Error::SourceMissing) => 2,
            Failure::Usage { .. } => 2,
            Failure::Library(_) | Failure::Told { .. } => 1,
            Failure::ClosedPipe => 0,
        }
    }

    pub fn told(message: impl Into<String>) -> Self {
        Failure::Told {
            message: message.into(),
            help: None,
        }
    }

    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Usage {
            message: message.into(),
            help: help.into(),
        }
    }

    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Told {
            message: message.into(),
            help: Some(help.into()),
        }
    }

    /// The same fault with the place where it was found.
    pub fn at(self, place: impl fmt::Display) -> Self {
        match self {
            Failure::Told { message, help } => Failure::Told {
                message: format!("{place}: {message}"),
                help,
            },
            other => other,
        }
    }

    /// What to do about it, where that is known.
    fn help(&self) -> Option<String> {
        let error = match self {
            Failure::Library(error) => error,
            Failure::Told { help, .. } => return help.clone(),
            Failure::Usage { help, .. } => return Some(help.clone()),
            Failure::ClosedPipe => return None,
        };
        if let Some(advice) = error.help() {
            return Some(output::in_flags(advice));
        }
        let help = match error {
            Error::UnevenWindows { .. } => {
                Some("set the tail to `drop`, `keep` or `merge`, or choose another window size")
            }
            Error::WindowTooLarge { .. } => {
                Some("choose a smaller window, or set the number of windows")
            }
            Error::Starved { .. } => {
                Some("lower the fraction to drop, or set `starvation` to `hold`")
            }
            Error::NotConverged { .. } => Some(
                "raise `max-iterations`, the tolerance, or the L2 penalty; on your own data, exclude columns whose values are far from the source's (--exclude)",
            ),
            Error::Occupied { .. } => Some("choose another folder, or replace it with --force"),
            Error::Foreign { .. } => Some("move it away or rename it, or choose another place"),
            Error::SourceMissing => {
                Some("--replay needs the labelled source: name it with --source and --label")
            }
            Error::Interrupted => Some("run the same command again to resume"),
            Error::Corrupt { message, .. } if message.contains("another plan") => Some(
                "choose a new folder with --out, or remove the old one if you no longer need its results",
            ),
            Error::Corrupt { message, .. } if message.contains("folder of a run is needed") => {
                Some(
                    "`driftline adapt --model FILE --stream FILE --out RUN` makes a run of a model file",
                )
            }
            Error::Corrupt { path, .. } if path.extension().is_some_and(|e| e == "toml") => {
                Some("`driftline schema` prints what an experiment file may hold")
            }
            _ => None,
        };
        help.map(String::from)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Library(error) => write!(f, "error: {error}")?,
            Failure::Told { message, .. } | Failure::Usage { message, .. } => {
                write!(f, "error: {message}")?;
            }
            Failure::ClosedPipe => {}
        }
        match self.help() {
            Some(help) => write!(f, "\n  help: {help}"),
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
