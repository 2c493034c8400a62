//! The one error type of the library: every message names the value found and what was allowed.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::hint::{Hint, Setting};
use crate::names;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{name} is {value}, but must be {allowed}")]
    OutOfRange {
        name: String,
        value: String,
        allowed: String,
    },
    #[error("{what} is empty")]
    Empty { what: String },
    #[error("{what} should have {expected}, but has {found}")]
    Mismatch {
        what: String,
        expected: String,
        found: String,
    },
    #[error("{what} holds {value} in row {row}, column {column}; every value must be finite")]
    NotFinite {
        what: String,
        row: usize,
        column: usize,
        value: f32,
    },
    #[error("row {row} has label {label}, but there are only {n_classes} classes (0 to {})", n_classes - 1)]
    UnknownLabel {
        row: usize,
        label: u32,
        n_classes: usize,
    },
    #[error("all {n} source examples have label {class}; at least two classes are needed")]
    OneClass { class: u32, n: usize },
    #[error("a window of {window} examples is larger than the stream, which has {examples}")]
    WindowTooLarge { window: usize, examples: usize },
    #[error(
        "windows of {window} do not divide a stream of {examples}: {rest} would be left over, and the tail policy is `forbid`"
    )]
    UnevenWindows {
        window: usize,
        examples: usize,
        rest: usize,
    },
    #[error(
        "window boundaries must rise strictly from above 0 to at most {examples}, but {value} follows {previous}"
    )]
    BadBoundaries {
        examples: usize,
        previous: usize,
        value: usize,
    },
    #[error("the confidence filter left {kept} of {seen} examples{}", one_class(*class))]
    Starved {
        seen: usize,
        kept: usize,
        class: Option<u32>,
    },
    #[error(
        "the first teacher is not a model of the student's kind, so the student cannot start from it; use `scratch` or `scratch-then-teacher`"
    )]
    NoWarmStart,
    #[error("this needs the labelled source, but only a model was given")]
    SourceMissing,
    #[error(
        "the solver stopped after {iterations} iterations with a gradient of {gradient:e}, above the tolerance {tolerance:e}"
    )]
    NotConverged {
        iterations: usize,
        gradient: f64,
        tolerance: f64,
    },
    #[error("{what} cannot be {how}")]
    NotSupported { what: String, how: String },
    #[error("{what} needs the feature `{feature}`, which this build of driftline lacks")]
    MissingFeature { what: String, feature: &'static str },
    #[error("there is no {what} `{name}`; known are {known}{hint}")]
    UnknownName {
        what: String,
        name: String,
        known: String,
        hint: String,
    },
    /// What somebody else's part (a model, a labeler, a policy, a reader) reports.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    #[error("training diverged: weights became infinite or not a number; try a smaller rate")]
    Diverged,
    #[error("layer {index} (`{layer}`) {message}")]
    Layer {
        index: usize,
        layer: &'static str,
        message: String,
    },
    /// A fault in an experiment file; `field` is its path in the file (`methods[1].drop`).
    #[error("{}{message}", field_prefix(field))]
    Experiment { field: String, message: String },
    #[error("stopped before the end; finished work is kept")]
    Interrupted,
    #[error("there is no data set `{name}`; known are {known}")]
    UnknownDataset { name: String, known: String },
    #[error("{name} is not in the cache folder {}; run `{command}`", folder.display())]
    DatasetMissing {
        name: String,
        folder: PathBuf,
        command: String,
    },
    /// A place that results would be written to, and that holds something else.
    #[error("{} {what}", path.display())]
    Occupied { path: PathBuf, what: String },
    /// A file that results would replace, and that somebody else has written.
    #[error("{} was not written by driftline, so it is not replaced", path.display())]
    Foreign { path: PathBuf },
    #[error(
        "{} is not finished: {finished} of {planned} windows; the command that began it goes on with it",
        path.display()
    )]
    Unfinished {
        path: PathBuf,
        finished: usize,
        planned: usize,
    },
    #[error("{} is being written to by another process", path.display())]
    Busy { path: PathBuf },
    /// A fault in a stored file that must not be guessed away.
    #[error("{}: {message}", path.display())]
    Corrupt { path: PathBuf, message: String },
    /// A fault in the user's own data, with its place and what to do about it.
    #[error(transparent)]
    Data(#[from] Box<DataFault>),
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// What is wrong where in a file that is being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFault {
    pub path: PathBuf,
    /// The data row, from 1.
    pub row: Option<u64>,
    pub column: Option<String>,
    pub message: String,
    /// How to mend it.
    pub help: Option<Hint>,
    /// Settings that, added to those there were, mend it: each with its value, where it has one.
    pub additions: Vec<(Setting, Option<String>)>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Attaches the path to an input or output error.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io {
            path: path.as_ref().to_path_buf(),
            source,
        }
    }

    /// A fault in the file `path`; `message` follows its name.
    /// Whether there is no more room to write to, which is nobody's fault who asked.
    pub fn is_full_disk(&self) -> bool {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let full = |kind| matches!(kind, StorageFull | QuotaExceeded | FileTooLarge);
        matches!(self, Error::Io { source, .. } if full(source.kind()))
    }

    pub fn corrupt(path: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Error::Corrupt {
            path: path.as_ref().to_path_buf(),
            message: message.into(),
        }
    }

    /// A setting that makes no sense; `field` is its place in the file, or empty where the file as a whole is meant.
    pub fn experiment(field: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Experiment {
            field: field.into(),
            message: message.into(),
        }
    }

    /// What to do about it, where the error carries that.
    pub fn help(&self) -> Option<&Hint> {
        match self {
            Error::Data(fault) => fault.help.as_ref(),
            _ => None,
        }
    }

    pub fn out_of_range(
        name: impl Into<String>,
        value: impl ToString,
        allowed: impl Into<String>,
    ) -> Self {
        Error::OutOfRange {
            name: name.into(),
            value: value.to_string(),
            allowed: allowed.into(),
        }
    }

    pub fn mismatch(
        what: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Error::Mismatch {
            what: what.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    /// A name that stands for nothing, with the known ones and the one that was probably meant.
    pub fn unknown_name(what: &str, name: &str, known: &[&str]) -> Self {
        let known: Vec<&str> = known.iter().map(|name| names::shown(name)).collect();
        let hint = nearest(name, known.iter().copied());
        Error::UnknownName {
            what: what.into(),
            name: name.into(),
            known: known.join(", "),
            hint: hint.map_or(String::new(), |name| format!("; did you mean `{name}`?")),
        }
    }

    pub fn empty(what: impl Into<String>) -> Self {
        Error::Empty { what: what.into() }
    }
}

impl DataFault {
    /// A fault of the whole file; `message` follows its name.
    pub fn new(path: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Self {
            path: path.as_ref().to_path_buf(),
            row: None,
            column: None,
            message: message.into(),
            help: None,
            additions: vec![],
        }
    }

    pub fn adding(self, additions: Vec<(Setting, Option<String>)>) -> Self {
        Self { additions, ..self }
    }

    pub fn row(self, row: u64) -> Self {
        Self {
            row: Some(row),
            ..self
        }
    }

    pub fn column(self, name: impl Into<String>) -> Self {
        Self {
            column: Some(name.into()),
            ..self
        }
    }

    pub fn help(self, help: impl Into<Hint>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

impl std::error::Error for DataFault {}

/// "prices.csv: row 3, column `age`: `x` is not a number".
impl fmt::Display for DataFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match (self.row, &self.column) {
            (Some(row), Some(column)) => write!(f, "row {row}, column `{column}`: ")?,
            (Some(row), None) => write!(f, "row {row}: ")?,
            (None, Some(column)) => write!(f, "column `{column}`: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)
    }
}

impl From<DataFault> for Error {
    fn from(fault: DataFault) -> Self {
        Error::Data(Box::new(fault))
    }
}

/// The most similar of `names`, if one is similar enough to have been meant. Capital and small letters count as the same.
pub fn nearest<'a>(found: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let found = found.to_lowercase();
    names
        .map(|name| (strsim::jaro_winkler(&found, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn one_class(class: Option<u32>) -> String {
    class.map_or(String::new(), |class| format!(", all of class {class}"))
}

fn field_prefix(field: &str) -> String {
    if field.is_empty() || field == "." {
        String::new()
    } else {
        format!("`{field}`: ")
    }
}
