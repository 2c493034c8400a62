//! Flags of whatever follows live rows: where windows end, what is kept and how surely, and how it is adapted.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use driftline_core::Cancel;
use driftline_core::data::{Period, Tail, Windowing};
use driftline_models::Runtime;
use driftline_runs::{Cut, Fsync, LineColumns, LogOptions, Recovered, RowLog, RunFolder};

use crate::failure::{Failure, Result};
use crate::your_data::arguments::parse_count;
use crate::your_data::headings::FOLLOW;

/// Bytes that are kept unless something else is said.
const KEPT: u64 = 1 << 30;
/// Less than this holds no window.
const LEAST_KEPT: u64 = 1 << 16;

#[derive(Args, Clone, Debug)]
pub struct FollowingArgs {
    /// Rows per window [default: as in the run]
    #[arg(long, value_name = "N", value_parser = parse_count, conflicts_with = "every", help_heading = FOLLOW)]
    window: Option<NonZeroUsize>,
    /// One window per period of the rows' times, such as PT1H; it ends when a row of a later one comes
    #[arg(long, value_name = "PERIOD", value_parser = parse_period, help_heading = FOLLOW)]
    every: Option<Period>,
    /// Bytes of rows to keep, such as 500M or 2G: the oldest windows are let go [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = FOLLOW)]
    keep: Option<u64>,
    /// When rows are made safe from a power cut: always, window or never [default: window]
    ///
    /// A row that was acknowledged survives the death of the process in any case. A power cut or a crash of the system it
    /// survives only with `always`, which waits for the disk before every answer; with `window`, once its window is full.
    #[arg(long, value_enum, value_name = "WHEN", hide_possible_values = true, help_heading = FOLLOW)]
    fsync: Option<SyncArg>,
    /// Number of threads that adapt, beside those that answer [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = FOLLOW)]
    adapt_threads: Option<NonZeroUsize>,
    /// Also train on labels that come late; otherwise they score and correct estimates
    #[arg(long, help_heading = FOLLOW)]
    learn: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SyncArg {
    Always,
    Window,
    Never,
}

/// A log that was opened, and how it is cut into windows.
pub struct Opened {
    pub log: Arc<Mutex<RowLog>>,
    pub recovered: Recovered,
    pub cut: Cut,
}

impl Opened {
    pub fn columns(&self) -> LineColumns {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.columns().clone()
    }
}

impl FollowingArgs {
    /// The first of these flags that was given.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            ("--window", self.window.is_some()),
            ("--every", self.every.is_some()),
            ("--keep", self.keep.is_some()),
            ("--fsync", self.fsync.is_some()),
            ("--adapt-threads", self.adapt_threads.is_some()),
            ("--learn", self.learn),
        ];
        all.into_iter()
            .find_map(|(name, given)| given.then_some(name))
    }

    /// Opens the log of the run.
    pub fn open(&self, folder: &Path) -> Result<Opened> {
        let run = RunFolder::read(folder)?;
        let (finished, planned) = (run.manifest().windows, run.manifest().planned);
        if finished < planned {
            return Err(driftline_core::Error::Unfinished {
                path: folder.into(),
                finished,
                planned,
            }
            .into());
        }
        let by_rows = self.window.map(|rows| Windowing::Size(rows, Tail::Keep));
        let asked = by_rows.or(self.every.map(Windowing::Every));
        let options = LogOptions {
            sync: match self.fsync {
                Some(SyncArg::Always) => Fsync::Always,
                None | Some(SyncArg::Window) => Fsync::Window,
                Some(SyncArg::Never) => Fsync::Never,
            },
            keep: self.keep.unwrap_or(KEPT),
        };
        let cut = Cut::of(&run, asked.as_ref())?;
        let (log, recovered) = RowLog::open(folder, options).map_err(|error| match error {
            driftline_core::Error::Busy { path } => Failure::with_help(
                format!("{} is being written to by another process", path.display()),
                "one process follows a run: end the other one, or feed its rows to it",
            ),
            error => error.into(),
        })?;
        Ok(Opened {
            log: Arc::new(Mutex::new(log)),
            recovered,
            cut,
        })
    }

    pub fn learns(&self) -> bool {
        self.learn
    }

    pub fn runtime(&self, cancel: Cancel) -> Runtime {
        let threads = self.adapt_threads.unwrap_or(NonZeroUsize::MIN);
        Runtime::default().with_threads(threads).with_cancel(cancel)
    }
}

/// What was found in the log, in words.
pub fn found(recovered: &Recovered) -> Vec<String> {
    let torn = recovered.torn.as_ref().map(|(path, bytes)| {
        format!(
            "note: the last record of {} was unfinished: {bytes} bytes were cut off, none of which was acknowledged",
            path.display()
        )
    });
    let waiting =
        (recovered.waiting > 0).then(|| format!("{} rows wait in the log", recovered.waiting));
    torn.into_iter().chain(waiting).collect()
}

fn parse_period(text: &str) -> Result<Period, String> {
    text.parse()
        .map_err(|error: driftline_core::Error| error.to_string())
}

fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.trim_end_matches(['K', 'M', 'G', 'T']) {
        digits if digits.len() + 1 >= text.len() => (digits, &text[digits.len()..]),
        _ => (text, ""),
    };
    let unit: u64 = match unit {
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => 1,
    };
    let size = digits.parse::<u64>().ok();
    let size = size.and_then(|size| size.checked_mul(unit));
    size.filter(|size| *size >= LEAST_KEPT)
        .ok_or_else(|| "expected a number of bytes of at least 64K, such as 500M or 2G".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("100000"), Ok(100_000));
        assert_eq!(parse_size("64K"), Ok(65_536));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        for wrong in ["", "G", "1", "2GG", "-1G", "1.5G", "99999999999T"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
