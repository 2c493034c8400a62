//! Results on standard output: tables for people, JSON for programs. Words beside them on standard error.

use std::io::{ErrorKind, Write};

use comfy_table::{CellAlignment, Table, presets};
use driftline_core::hint::{Hint, Setting};
use driftline_lab::experiment::{
    Check, CheckVerdict, ExpectedCell, ResultTable, Row, Store, StoreWarning,
};
use driftline_models::evaluate::Interval;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome, Result};

/// Prints `text`; a reader that has closed the pipe is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(driftline_core::Error::io("standard output")(error).into()),
    }
}

/// One line on standard error. Work goes on where nobody reads it any more.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The library's advice, its settings written as flags.
pub fn in_flags(advice: &Hint) -> String {
    advice.words(|setting| format!("--{}", flag(setting)))
}

/// The flag of a setting; the true classes have another name here.
pub fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::Answers => "truth",
        other => other.name(),
    }
}

pub fn print_json(value: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(value).expect("JSON values can be printed");
    print(&(text + "\n"))
}

/// JSON for programs, or text for people, as `--json` says; then the command is done.
pub fn show(
    json: bool,
    value: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Result<Outcome> {
    if json {
        print_json(&value())?;
    } else {
        print(&text())?;
    }
    Ok(Outcome::Done)
}

/// A table without lines. The columns in `right` hold numbers.
pub fn table<const N: usize>(head: [&str; N], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(head);
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// One data set and method of a table, finished or not.
#[derive(Clone, Debug)]
pub struct Cell {
    pub dataset: String,
    pub method: String,
    /// `None` where no trial is finished.
    pub row: Option<Row>,
    pub printed: Option<ExpectedCell>,
}

impl Cell {
    fn of(row: Row) -> Self {
        Self {
            dataset: row.dataset.clone(),
            method: row.method.clone(),
            printed: row.printed.clone(),
            row: Some(row),
        }
    }

    pub fn json(&self) -> Value {
        let accuracy = self.row.as_ref().map(|row| row.accuracy);
        json!({
            "dataset": self.dataset,
            "method": self.method,
            "mean": accuracy.map(|a| rounded(a.mean)),
            "half_width": accuracy.and_then(|a| a.half_width).map(rounded),
            "n": accuracy.map_or(0, |a| a.n),
            "paper": self.printed.as_ref().map(|cell| cell.mean),
            "paper_half_width": self.printed.as_ref().and_then(|cell| cell.half_width),
        })
    }
}

/// The rows of an experiment as programs want them.
pub fn rows(store: &Store) -> Value {
    let rows = ResultTable::of(store).rows.into_iter();
    rows.map(|row| Cell::of(row).json()).collect()
}

/// Whether no check fails.
pub fn all_hold<'a>(checks: impl IntoIterator<Item = &'a Check>) -> bool {
    let mut checks = checks.into_iter();
    checks.all(|check| check.verdict != CheckVerdict::Fails)
}

pub fn checks(checks: &[Check]) -> Value {
    let check = |check: &Check| json!({ "claim": check.claim, "found": check.found, "holds": holds(check.verdict) });
    checks.iter().map(check).collect()
}

/// Lines that could not be read; `then` says how their trials are handled.
pub fn warn_of_lines(store: &Store, then: &str) {
    for StoreWarning::UnreadableLine { path, line } in &store.warnings {
        let path = path.display();
        tell(&format!(
            "warning: {path}: line {line} cannot be read{then}"
        ));
    }
}

fn holds(verdict: CheckVerdict) -> Option<bool> {
    match verdict {
        CheckVerdict::Holds => Some(true),
        CheckVerdict::Fails => Some(false),
        CheckVerdict::Open => None,
    }
}

/// Accuracies are counted on a thousand examples or so: four digits after the point are plenty.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The rows of an experiment as people want them.
pub fn text_table(store: &Store) -> String {
    let rows = ResultTable::of(store).rows.into_iter();
    grid(&rows.map(Cell::of).collect::<Vec<_>>())
}

pub fn grid(cells: &[Cell]) -> String {
    let accuracy = "accuracy % (90 % interval)";
    let head = ["data", "method", accuracy, "n", "held-out source", "paper"];
    let mut table = table(head, &[2, 3, 4, 5]);
    for cell in cells {
        let printed = cell.printed.as_ref();
        let printed = printed.map_or("–".into(), |cell| plus_minus(cell.mean, cell.half_width));
        let row = cell.row.as_ref();
        let held_out = row.and_then(|row| row.held_out_source);
        table.add_row([
            cell.dataset.clone(),
            cell.method.clone(),
            row.map_or("–".into(), |row| with_interval(&row.accuracy)),
            row.map_or(0, |row| row.accuracy.n).to_string(),
            held_out.map_or("–".into(), |interval| format!("{:.1}", interval.mean)),
            printed,
        ]);
    }
    table.trim_fmt()
}

pub fn with_interval(interval: &Interval) -> String {
    plus_minus(interval.mean, interval.half_width)
}

pub fn plus_minus(mean: f64, half_width: Option<f64>) -> String {
    match half_width {
        Some(half_width) => format!("{mean:.1} ± {half_width:.1}"),
        None => format!("{mean:.1}"),
    }
}

/// A difference: with its sign, and no minus before nothing.
pub fn signed_with_interval(interval: &Interval) -> String {
    let text = with_interval(interval);
    match text.strip_prefix("-0.0") {
        Some(rest) => format!("0.0{rest}"),
        None if interval.mean >= 0.05 => format!("+{text}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_unless_they_are_nothing() {
        let signed = |mean| {
            signed_with_interval(&Interval {
                mean,
                half_width: Some(0.5),
                n: 2,
            })
        };
        assert_eq!(signed(1.0), "+1.0 ± 0.5");
        assert_eq!(signed(-1.0), "-1.0 ± 0.5");
        assert_eq!(signed(-0.04), "0.0 ± 0.5");
        assert_eq!(signed(0.04), "0.0 ± 0.5");
    }
}
