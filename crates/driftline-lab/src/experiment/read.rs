//! Reading an experiment file, with errors that say where and, for a misspelt name, what was probably meant.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::expected::Expected;
use super::spec::Spec;
use driftline_core::error::nearest;
use driftline_core::{Error, Result};
use driftline_runs::method::Settings;

/// Reads a specification and the printed numbers it refers to. Files that it names lie relative to its folder.
pub fn read_file(path: &Path) -> Result<(Spec, Expected)> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    let at_path = |error: Error| Error::corrupt(path, error.to_string());
    let mut spec = read_text(&text).map_err(at_path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    for dataset in &mut spec.datasets {
        dataset.data.relative_to(folder);
    }
    let expected = match &spec.expected {
        None => Expected::default(),
        Some(name) => {
            let path = folder.join(name);
            let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
            Expected::parse(&text).map_err(|error| Error::corrupt(&path, error.to_string()))?
        }
    };
    Ok((spec, expected))
}

/// Reads a file of settings for your own data: what a method of an experiment file can say, at the top.
pub fn read_settings(path: &Path) -> Result<Settings> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    parse(&text).map_err(|error| Error::corrupt(path, error.to_string()))
}

/// Reads a specification from text.
pub fn read_text(text: &str) -> Result<Spec> {
    parse(text)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let place = error.span().map_or(String::new(), |span| {
            let before = &text[..span.start.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            format!("line {line}, column {column}: ")
        });
        let message = error.message();
        Error::experiment("", format!("{place}{message}{}", suggestion(message)))
    })
}

/// A message such as "unknown field `epoch`, expected one of `epochs`, `batch-size`" names what was found first and
/// what was allowed after it.
fn suggestion(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let Some((found, allowed)) = quoted.split_first() else {
        return String::new();
    };
    if !message.starts_with("unknown") {
        return String::new();
    }
    nearest(found, allowed.iter().copied())
        .map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}
