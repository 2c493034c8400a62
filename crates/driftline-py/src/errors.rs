//! The library's errors as Python's: the kind that a caller would expect to catch, with place and help in the message.

use driftline_core::Error;
use driftline_core::hint::Setting;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyNotImplementedError, PyOSError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

/// An exception that was raised in Python below us, on its way back up.
#[derive(Debug)]
pub struct Raised(pub PyErr);

impl std::fmt::Display for Raised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Raised {}

/// For code that the library calls.
pub fn raised(error: PyErr) -> Error {
    Error::Other(Box::new(Raised(error)))
}

pub fn told(error: Error) -> PyErr {
    let error = match error {
        Error::Other(other) => match other.downcast::<Raised>() {
            Ok(raised) => return raised.0,
            Err(other) => Error::Other(other),
        },
        other => other,
    };
    let message = message(&error);
    match &error {
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
        Error::NotSupported { .. } | Error::MissingFeature { .. } => {
            PyNotImplementedError::new_err(message)
        }
        Error::Occupied { .. } | Error::Foreign { .. } => PyFileExistsError::new_err(message),
        Error::DatasetMissing { .. } => PyFileNotFoundError::new_err(message),
        Error::Io { source, .. } => match source.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            _ => PyOSError::new_err(message),
        },
        Error::Busy { .. } => PyOSError::new_err(message),
        Error::SourceMissing
        | Error::Unfinished { .. }
        | Error::Diverged
        | Error::NotConverged { .. } => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// The words, without the name of a file that is none, and with the help in Python's terms.
fn message(error: &Error) -> String {
    let text = error.to_string();
    let text = match text.strip_prefix("memory: ") {
        // What is said of a file begins with its name, and a table has none.
        Some(said) if said.starts_with("has ") || said.starts_with("lacks ") => {
            &format!("the table {said}")
        }
        Some(said) => said,
        None => &text,
    };
    match error.help() {
        Some(help) => format!("{text}\nhelp: {}", help.words(argument)),
        None => text.to_owned(),
    }
}

/// What the estimator calls a setting, or what a user of arrays does instead.
fn argument(setting: Setting) -> String {
    let argument = match setting {
        Setting::Category => "`categories`",
        Setting::Every | Setting::Window | Setting::Windows => "`window`",
        Setting::Exclude => "`exclude`",
        Setting::Id => "a frame of its own, and leave it out with `exclude`",
        Setting::Impute => "`impute`",
        Setting::KeepConstantColumns => "`settings={\"column-cleaning\": {\"drop\": False}}`",
        Setting::Label => "`y`",
        Setting::Source => "`fit`",
        Setting::Tail => "`tail`",
        Setting::Time => "`time`",
        Setting::Answers => "`y`",
        Setting::Where => "the rows that you pass",
        Setting::ImageSize => "images of one size:",
        Setting::Decimal | Setting::Delimiter => "the reader that makes the frame:",
        other => return format!("`{}`", other.name().replace('-', "_")),
    };
    argument.to_owned()
}

/// JSON that says something else than it should.
pub fn wrong(what: &str) -> impl FnOnce(serde_json::Error) -> PyErr {
    let what = what.to_owned();
    move |error| PyValueError::new_err(format!("{what}: {}", in_python(&error.to_string())))
}

/// What Rust calls the types of values, and what Python does.
const TYPES: [(&str, &str); 16] = [
    ("floating point ", "float "),
    ("integer ", "int "),
    ("boolean ", "bool "),
    ("string ", "str "),
    ("a sequence", "a list"),
    ("sequence", "list"),
    ("a map", "a dict"),
    ("map", "dict"),
    ("a boolean", "True or False"),
    ("null", "None"),
    ("unit", "None"),
    ("u64", "a whole number from 0"),
    ("usize", "a whole number from 0"),
    ("f64", "a number"),
    ("f32", "a number"),
    ("a string", "a str"),
];

/// The message without its place in a text that nobody has written, and with Python's names for types.
fn in_python(text: &str) -> String {
    let text = text.split(" at line ").next().unwrap_or(text);
    let (found, expected) = text.split_once(", expected ").unwrap_or((text, ""));
    let renamed = |part: &str| {
        let by = |(rust, _): &&(&str, &str)| {
            part.strip_prefix(rust)
                .is_some_and(|rest| rust.ends_with(' ') || !rest.starts_with(char::is_alphanumeric))
        };
        match TYPES.iter().find(by) {
            Some((rust, python)) => format!("{python}{}", &part[rust.len()..]),
            None if part.starts_with("struct ") || part.starts_with("internally tagged") => {
                "a dict".into()
            }
            None if part.contains(" enum ") || part.starts_with("enum ") => {
                "a name or a dict".into()
            }
            None => part.to_owned(),
        }
    };
    let found = match found.split_once("invalid type: ") {
        Some((before, what)) => format!("{before}invalid type: {}", renamed(what)),
        None => found.to_owned(),
    };
    match expected {
        "" => found,
        expected => format!("{found}, expected {}", renamed(expected)),
    }
}

pub fn reported(error: driftline_report::Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
