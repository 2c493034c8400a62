//! What stands in the way of a first run on a messy source: identifiers, dates, decimal commas and missing values, told in
//! one message with the settings that mend all of it. One thing alone is told where it is met, with row and column.

use std::collections::BTreeSet;
use std::path::Path;

use super::doubts::{counts_rows, decimal_comma};
use super::statistics::{Pieces, has_missing, is_empty};
use crate::columns::list;
use crate::selection::cell_text;
use crate::time::{parse_moment_in, year_is_last};
use crate::{ColumnChoice, Field, Kind, ReadOptions};
use driftline_core::Result;
use driftline_core::error::DataFault;
use driftline_core::hint::Setting;

/// Fewer different dates may be categories.
const MANY_DATES: usize = 20;

pub(super) struct Troubles<'a> {
    choice: &'a ColumnChoice,
    options: &'a ReadOptions,
    rows: usize,
    /// Columns that identify the rows; whether one has too many texts to be taken as categories all the same.
    ids: Vec<(String, bool)>,
    /// Columns that number the rows: told with the rest, while alone they are noted.
    counters: Vec<String>,
    /// Columns of dates, each with one of them.
    dates: Vec<(String, String)>,
    commas: Vec<String>,
    missing: Vec<String>,
}

impl<'a> Troubles<'a> {
    pub fn new(choice: &'a ColumnChoice, options: &'a ReadOptions, rows: usize) -> Self {
        Self {
            choice,
            options,
            rows,
            ids: vec![],
            counters: vec![],
            dates: vec![],
            commas: vec![],
            missing: vec![],
        }
    }

    /// Looks at a column that would be a feature.
    pub fn see(&mut self, field: &Field, pieces: &Pieces) {
        let name = || field.name.clone();
        if !self.choice.impute && has_missing(pieces) && !is_empty(pieces) {
            self.missing.push(name());
        }
        if self.choice.categories.contains(&field.name) {
            return;
        }
        if counts_rows(pieces) {
            self.counters.push(name());
        }
        if field.kind != Kind::Text {
            return;
        }
        if decimal_comma(pieces).is_some() {
            self.commas.push(name());
            return;
        }
        let most = self.options.limits.categories;
        let mut texts = BTreeSet::new();
        let mut moments = true;
        for (column, rows) in pieces {
            for text in rows.iter().filter_map(|&row| cell_text(column, row)) {
                moments &= self.is_moment(&text);
                if moments || texts.len() <= most.max(self.rows) {
                    texts.insert(text);
                }
            }
        }
        if moments && texts.len() > MANY_DATES {
            let first = texts.pop_first().unwrap_or_default();
            self.dates.push((name(), first));
        } else if texts.len() > most || (texts.len() > 2 && 2 * texts.len() > self.rows) {
            self.ids.push((name(), texts.len() > most));
        }
    }

    fn is_moment(&self, text: &str) -> bool {
        let read = parse_moment_in(text, self.choice.dates).is_some();
        read || (self.choice.dates.is_none() && year_is_last(text))
    }

    /// All of it in one message, where it is more than one thing or dates.
    pub fn refuse(self, path: &Path) -> Result<()> {
        let hard = [
            self.ids.iter().any(|(_, too_many)| *too_many),
            !self.dates.is_empty(),
            !self.commas.is_empty(),
            !self.missing.is_empty(),
        ];
        let kinds = hard.iter().filter(|kind| **kind).count();
        let soft = self.ids.iter().any(|(_, too_many)| !too_many);
        if kinds == 0 || (kinds == 1 && !soft && self.dates.is_empty()) {
            return Ok(());
        }
        let mut told = vec![];
        let mut additions = vec![];
        let names = |all: &[String]| list(all.iter().map(String::as_str));
        let ids = self.ids.iter().map(|(name, _)| name);
        let all: Vec<String> = ids.chain(&self.counters).cloned().collect();
        if !all.is_empty() {
            told.push(format!(
                "{} {} the rows (nearly every value differs)",
                names(&all),
                if all.len() == 1 {
                    "identifies"
                } else {
                    "identify"
                }
            ));
            additions.extend(all.into_iter().map(|name| (Setting::Id, Some(name))));
        }
        let mut order = self.choice.time.is_none();
        for (name, date) in &self.dates {
            told.push(format!("`{name}` holds dates such as {date}"));
            let setting = match std::mem::take(&mut order) {
                true => Setting::Time,
                false => Setting::Exclude,
            };
            additions.push((setting, Some(name.clone())));
        }
        let undecided =
            |(_, date): &(String, String)| parse_moment_in(date, self.choice.dates).is_none();
        if self.dates.iter().any(undecided) {
            told.push("the dates do not show whether day or month comes first".into());
            additions.push((Setting::Dates, Some("day-first".into())));
        }
        if !self.commas.is_empty() {
            let have = if self.commas.len() == 1 {
                "has"
            } else {
                "have"
            };
            told.push(format!("{} {have} decimal commas", names(&self.commas)));
            additions.push((Setting::Decimal, Some(",".into())));
        }
        if !self.missing.is_empty() {
            told.push(format!("values are missing in {}", names(&self.missing)));
            additions.push((Setting::Impute, None));
        }
        let words: Vec<String> = additions
            .iter()
            .map(|(setting, value)| {
                let value = value
                    .as_ref()
                    .map_or(String::new(), |value| format!(" {value}"));
                format!("{{{}}}{value}", setting.name())
            })
            .collect();
        let message = format!("is not ready to learn from: {}", told.join("; "));
        Err(DataFault::new(path, message)
            .help(format!("add {}", words.join(" ")))
            .adding(additions)
            .into())
    }
}
