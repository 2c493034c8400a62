//! Finding columns by name, and what to say when one is not there.

use std::path::Path;

use super::{ColumnChoice, Field};
use driftline_core::Result;
use driftline_core::error::{DataFault, nearest};

/// Where the column `name` stands; `part` says what it is wanted for ("the label").
pub(super) fn find(fields: &[Field], name: &str, part: &str, path: &Path) -> Result<usize> {
    fields
        .iter()
        .position(|field| field.name == name)
        .ok_or_else(|| missing(fields, name, part, path).into())
}

/// Refuses a table that lacks several of the columns that a model takes, all of them in one message.
pub(super) fn expect_features(fields: &[Field], names: &[&str], path: &Path) -> Result<()> {
    let find = |name: &str, same: fn(&str, &str) -> bool| {
        let field = fields.iter().find(|field| same(&field.name, name));
        field.map(|field| &*field.name)
    };
    let is_missing = |name: &&&str| find(name, |a, b| a == b).is_none();
    let missing: Vec<&str> = names.iter().filter(is_missing).copied().collect();
    if missing.len() < 2 {
        return Ok(());
    }
    let other = missing.iter();
    let other: Vec<&str> = other
        .filter_map(|name| find(name, str::eq_ignore_ascii_case))
        .collect();
    let help = match other.is_empty() {
        true => format!("its columns are {}", list(fields.iter().map(|f| &*f.name))),
        false => {
            let other = list(other.into_iter());
            format!("capital and small letters differ: it has {other}")
        }
    };
    let (lacking, all) = (missing.len(), names.len());
    let missing = list(missing.into_iter());
    let message = format!("lacks {lacking} of the {all} columns that the model takes: {missing}");
    Err(DataFault::new(path, message).help(help).into())
}

fn missing(fields: &[Field], name: &str, part: &str, path: &Path) -> DataFault {
    let fault = DataFault::new(path, format!("has no column `{name}` for {part}"));
    if let [only] = fields
        && only.name.contains([',', ';', '\t', '|', ' '])
    {
        let cut: String = only.name.chars().take(60).collect();
        return fault.help(format!(
            "the whole line `{cut}` was read as one column: name the delimiter with {{delimiter}}"
        ));
    }
    match nearest(name, fields.iter().map(|field| &*field.name)) {
        Some(close) => fault.help(format!("did you mean `{close}`?")),
        None => fault.help(format!(
            "its columns are {}",
            list(fields.iter().map(|f| &*f.name))
        )),
    }
}

/// Names for people: all if they are few, else the first and how many more.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let all: Vec<&str> = names.collect();
    let mut text: Vec<String> = all
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    if all.len() > SHOWN {
        text.push(format!("and {} more", all.len() - SHOWN));
    }
    text.join(", ")
}

impl ColumnChoice {
    /// Whether a table has the columns of time and identifiers.
    pub fn expect_in(&self, fields: &[Field], path: &Path) -> Result<()> {
        if let Some(name) = &self.time {
            find(fields, name, "the time", path)?;
        }
        for name in &self.ids {
            find(fields, name, "passing through", path)?;
        }
        Ok(())
    }

    /// Columns that are wanted as text whatever they hold; the label is not among them, because no stream is asked for it.
    pub fn text_columns(&self) -> impl Iterator<Item = &str> {
        let filters = self.filters.iter().map(|filter| &filter.column);
        let named = self.answers.iter().chain(&self.ids).chain(filters);
        named.map(String::as_str)
    }

    /// Whether a column of the source is kept from being a feature.
    pub(super) fn is_no_feature(&self, name: &str) -> bool {
        let named = [&self.label, &self.time, &self.answers];
        named.into_iter().any(|part| part.as_deref() == Some(name))
            || self
                .ids
                .iter()
                .chain(&self.exclude)
                .any(|other| other == name)
            || self.filters.iter().any(|filter| filter.column == name)
    }
}
