//! `driftline reproduce`: every table of the paper from the files built in. Finished trials are found, the rest are run
//! from one queue, seed 0 of every cell first; it can be stopped and resumed at any moment.

mod blocks;
mod document;
mod library;
mod run_unfinished;
mod selected_experiments;
mod shipped;
mod tables;
mod verify;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use driftline_lab::experiment::Store;

use crate::cache::CacheArgs;
use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::{interrupt, output};
use library::Library;
use selected_experiments::SelectedExperiment;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline reproduce                          all tables, or the rest of them
  driftline reproduce --table 1 --budget 30m   Table 1, for half an hour
  driftline reproduce --budget 0s              show what is finished, run nothing
  driftline reproduce --verify                 run any finished trial again and compare
  driftline reproduce --verify --dataset Gaussian --method Source --seeds 3   that one")]
pub struct ReproduceArgs {
    /// Only this table: 1 to 5, mixing, more-epochs, further, …; may be repeated
    #[arg(long, value_name = "NAME")]
    table: Vec<String>,
    /// Only this data set; may be repeated
    #[arg(long, value_name = "NAME")]
    dataset: Vec<String>,
    /// Only this method; may be repeated
    #[arg(long, value_name = "NAME")]
    method: Vec<String>,
    /// Run these training seeds instead of the files'
    #[arg(long, value_delimiter = ',', value_name = "0,1,…")]
    seeds: Option<Vec<u64>>,
    /// Trials to run at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Start no trial after this time, such as 30m or 2h; those running are finished
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<Duration>,
    /// Folder of the results, with one folder for each experiment
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Write every chart of these experiments to this folder, as SVG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Update the tables and charts of this Markdown document; may be repeated
    #[arg(long, value_name = "FILE")]
    fill: Vec<PathBuf>,
    /// Print the tables as JSON
    #[arg(long)]
    json: bool,
    /// Run nothing new, but repeat one finished trial: any of at most two minutes, or what --table, --dataset, --method and
    /// --seeds leave; exit code 3 if it differs or nothing could be repeated
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    cache: CacheArgs,
}

pub fn run(args: &ReproduceArgs, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen();
    let selected = selected_experiments::select(args)?;
    let mut verified = None;
    let stores = if args.verify {
        let stores = selected_experiments::views(&selected)?;
        verified = Some(verify::verify(&selected, &stores, &cancel, verbosity)?);
        stores
    } else {
        let (memo, budget) = (args.cache.memo(verbosity), args.budget);
        run_unfinished::run(
            &selected,
            args.jobs,
            budget,
            memo.as_ref(),
            &cancel,
            verbosity,
        )?
    };
    let cache = args.cache.open().ok();
    let library = Library::open(&args.out, cache.as_ref())?;
    for document in &args.fill {
        document::fill(document, &library, verbosity)?;
    }
    if let Some(folder) = &args.figures {
        super::report::write_figures(folder, &stores, cache.as_ref())?;
    }
    let shown: Vec<(&SelectedExperiment, &Store)> = selected.iter().zip(&stores).collect();
    let tables = tables::collect(&shown, &library)?;
    if args.json {
        let mut json = tables::json(&tables);
        if let Some(verified) = &verified {
            json["verified"] = verified.json();
        }
        output::print_json(&json)?;
    } else if let Some(verified) = &verified {
        output::print(&format!("{verified}\n"))?;
    } else {
        output::print(&tables::text(&tables))?;
    }
    let holds = match &verified {
        Some(verified) => verified.holds(),
        None => output::all_hold(tables.iter().flat_map(|t| &t.checks)),
    };
    Ok(Outcome::of(holds))
}

/// `90s`, `30m`, `2h`, or several in a row: `1h30m`.
fn parse_time(text: &str) -> std::result::Result<Duration, String> {
    let expected = "expected a time such as 90s, 30m, 2h or 1h30m";
    let mut seconds: u64 = 0;
    let mut digits = String::new();
    for letter in text.chars() {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        let unit: u64 = match letter {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return Err(expected.into()),
        };
        let number: u64 = digits.parse().map_err(|_| expected)?;
        let part = number.checked_mul(unit).ok_or(expected)?;
        seconds = seconds.checked_add(part).ok_or(expected)?;
        digits.clear();
    }
    match (text.is_empty(), digits.is_empty()) {
        (false, true) => Ok(Duration::from_secs(seconds)),
        _ => Err(expected.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_nonsense_is_not() {
        for (text, seconds) in [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("0s", 0)] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "30", "m", "1d", "-1s", "99999999999999999999h", "1h 3m"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
