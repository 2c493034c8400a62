//! Arguments that several commands take, as written, and what they mean for the library.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use driftline_core::Cancel;
use driftline_core::data::ColumnCleaning;
use driftline_io::{Colour, ColumnChoice, DateOrder, Files, ReadOptions, RowFilter, TextEncoding};
use driftline_models::Runtime;

use super::headings::{DATA, OUTPUT, place};
use crate::failure::{Failure, Result};

/// How missing values are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Impute {
    /// The source's mean, or its most frequent category
    Mean,
    /// The same for numbers, with a second input that is 1 where the value was missing; for text, no category
    Mark,
}

/// Which rows and columns, and how files are read.
#[derive(Args, Clone, Debug)]
pub struct TableArgs {
    /// Use only rows where COL is VALUE; repeat a column to allow several values
    #[arg(long = "where", value_name = "COL=VALUE", value_parser = parse_filter, help_heading = DATA, hide_short_help = true)]
    filters: Vec<RowFilter>,
    /// Ignore this column; may be repeated
    #[arg(long, value_name = "COL", help_heading = DATA)]
    exclude: Vec<String>,
    /// Treat this numeric column as categories; may be repeated
    #[arg(long, value_name = "COL", help_heading = DATA, hide_short_help = true)]
    category: Vec<String>,
    /// Fill missing values from the source: mean or mark
    ///
    /// Without it they are refused. A number becomes the source's mean, a text its most frequent category; `mark` also tells
    /// the model where values were missing, in an extra input.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "mean", hide_possible_values = true, display_order = place::IMPUTE)]
    impute: Option<Impute>,
    #[command(flatten)]
    read: ReadArgs,
}

/// How files are read, where it is not to be detected.
#[derive(Args, Clone, Debug)]
pub struct ReadArgs {
    /// Field delimiter of CSV files [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter, help_heading = DATA, hide_short_help = true)]
    delimiter: Option<u8>,
    /// Decimal sign in CSV files: . or , [default: .]
    ///
    /// The default is the model's or the run's, where there is one.
    #[arg(long, value_name = "CHAR", value_parser = ["." , ","], hide_possible_values = true, help_heading = DATA)]
    decimal: Option<String>,
    /// Text encoding of CSV files: utf-8 or cp1252 [default: detected]
    ///
    /// cp1252 covers Latin-1. A file that is not UTF-8 is read as cp1252, with a note.
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true, help_heading = DATA, hide_short_help = true)]
    encoding: Option<EncodingArg>,
    /// CSV files have no header line
    #[arg(long, help_heading = DATA, hide_short_help = true)]
    no_header: bool,
    /// Resize images to this size [default: all must have the size of the first]
    #[arg(long, value_name = "HEIGHTxWIDTH", value_parser = parse_size, help_heading = DATA, hide_short_help = true)]
    image_size: Option<(u32, u32)>,
    /// Read images in grey or in colour [default: like the first one]
    #[arg(long, value_enum, value_name = "COLOUR", help_heading = DATA, hide_short_help = true)]
    image_colour: Option<ColourArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EncodingArg {
    #[value(name = "utf-8", alias = "utf8")]
    Utf8,
    #[value(name = "cp1252", aliases = ["latin-1", "latin1", "iso-8859-1", "windows-1252"])]
    Cp1252,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DatesArg {
    DayFirst,
    MonthFirst,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ColourArg {
    Grey,
    Rgb,
}

/// What is done about columns that hardly vary and values that are far out.
#[derive(Args, Clone, Copy, Debug)]
pub struct CleaningArgs {
    /// Keep columns of which fewer than 2 % of the source's rows differ from the median [default: leave them out]
    #[arg(long, help_heading = DATA, hide_short_help = true)]
    keep_constant_columns: bool,
    /// Do not clip scaled numbers [default: to ±4 in the source and ±8 in a stream]
    #[arg(long, help_heading = DATA, hide_short_help = true)]
    no_clip: bool,
}

impl CleaningArgs {
    /// What the flags make of `given`; nothing where neither says anything.
    pub fn cleaning(self, given: Option<ColumnCleaning>) -> Option<ColumnCleaning> {
        if !self.keep_constant_columns && !self.no_clip {
            return given;
        }
        let given = given.unwrap_or_default();
        Some(ColumnCleaning {
            drop: given.drop && !self.keep_constant_columns,
            clip: given.clip && !self.no_clip,
        })
    }
}

/// Where randomness and threads come from.
#[derive(Args, Clone, Copy, Debug)]
pub struct ComputeArgs {
    /// Random seed: same seed, same bytes
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = OUTPUT, hide_short_help = true)]
    pub seed: u64,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadArgs {
    /// Number of threads; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = OUTPUT, hide_short_help = true)]
    threads: Option<NonZeroUsize>,
}

/// The stream and its columns.
#[derive(Args, Clone, Debug)]
pub struct StreamArgs {
    /// Stream files in time order, or patterns
    ///
    /// Quote patterns: 'stream-*.csv'.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", display_order = place::STREAM)]
    pub stream: Vec<String>,
    /// Column that orders the stream [default: file order]
    ///
    /// ISO 8601 (2015-03-01T12:00), day.month.year (01.03.2015), seconds since 1970, whole numbers or years.
    #[arg(long, value_name = "COL", display_order = place::TIME)]
    pub time: Option<String>,
    /// Column that names rows; may be repeated
    ///
    /// It is not a feature, and is passed through to the predictions.
    #[arg(long, value_name = "COL", display_order = place::ID)]
    pub id: Vec<String>,
    /// Column with the true classes, for scoring only
    ///
    /// Nothing learns from it, except from the few rows that --labels-per-window asks for.
    #[arg(long, alias = "answers", value_name = "COL", help_heading = DATA)]
    pub truth: Option<String>,
    /// How dates such as 05/06/2024 are read: day-first or month-first
    ///
    /// Dates with points are read day first by default; dates with slashes need this flag.
    #[arg(long, value_enum, value_name = "ORDER", hide_possible_values = true, help_heading = DATA, hide_short_help = true)]
    dates: Option<DatesArg>,
}

impl TableArgs {
    /// The columns and rows, without label, time, answers and identifiers.
    pub fn choice(&self) -> ColumnChoice {
        self.chosen(ColumnChoice::default())
    }

    /// The same, added to what was chosen elsewhere.
    pub fn chosen(&self, other: ColumnChoice) -> ColumnChoice {
        ColumnChoice {
            exclude: self.exclude.clone(),
            categories: self.category.clone(),
            filters: self.filters.clone(),
            decimal_comma: self.read.decimal_comma(),
            impute: self.impute.is_some(),
            mark_missing: self.impute == Some(Impute::Mark),
            ..other
        }
    }

    pub fn read_options(&self) -> ReadOptions {
        self.read.options()
    }
}

impl ReadArgs {
    /// Whether decimals have a comma, where that is said.
    fn decimal_comma(&self) -> Option<bool> {
        self.decimal.as_deref().map(|sign| sign == ",")
    }

    pub fn options(&self) -> ReadOptions {
        let mut options = ReadOptions {
            delimiter: self.delimiter,
            decimal_comma: self.decimal_comma() == Some(true),
            encoding: self.encoding.map(|encoding| match encoding {
                EncodingArg::Utf8 => TextEncoding::Utf8,
                EncodingArg::Cp1252 => TextEncoding::Cp1252,
            }),
            header: self.no_header.then_some(false),
            ..ReadOptions::default()
        };
        options.images.size = self.image_size;
        options.images.colour = self.image_colour.map(|colour| match colour {
            ColourArg::Grey => Colour::Grey,
            ColourArg::Rgb => Colour::Rgb,
        });
        options
    }
}

impl ThreadArgs {
    /// This many threads for everything, stopped by `cancel`.
    pub fn runtime(self, cancel: Cancel) -> Runtime {
        let runtime = Runtime::all_cores().with_cancel(cancel);
        match self.threads {
            Some(threads) => runtime.with_threads(threads),
            None => runtime,
        }
    }
}

impl StreamArgs {
    /// The columns of the stream; those that are no features in it are none in the source either.
    pub fn choice(&self, table: &TableArgs) -> ColumnChoice {
        ColumnChoice {
            time: self.time.clone(),
            answers: self.truth.clone(),
            ids: self.id.clone(),
            dates: self.dates.map(|order| match order {
                DatesArg::DayFirst => DateOrder::DayFirst,
                DatesArg::MonthFirst => DateOrder::MonthFirst,
            }),
            ..table.choice()
        }
    }
}

/// Files by paths and patterns, in the order given.
pub fn data(patterns: &[String]) -> Result<Files> {
    Ok(Files::new(patterns)?)
}

/// Refuses an output that exists, unless told to replace it, or that has no folder to be in.
pub fn expect_new(path: &std::path::Path, force: bool) -> Result<()> {
    if path.exists() && !force {
        return Err(Failure::with_help(
            format!("{} exists already", path.display()),
            "choose another name, or replace it with --force",
        ));
    }
    // Told before the work, not after it.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder.is_some_and(|folder| !folder.is_dir()) {
        true => Err(Failure::with_help(
            format!("the folder of {} does not exist", path.display()),
            "create the folder first, or choose another path",
        )),
        false => Ok(()),
    }
}

/// A number of rows, windows, epochs or threads.
pub fn parse_count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "expected a whole number above 0".into())
}

fn parse_filter(text: &str) -> Result<RowFilter, String> {
    let parts = text
        .split_once('=')
        .filter(|(column, _)| !column.is_empty());
    let (column, value) = parts.ok_or("expected COL=VALUE, such as session=1")?;
    Ok(RowFilter {
        column: column.into(),
        value: value.into(),
    })
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "\\t" || text == "tab" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'"' => Ok(*byte),
        _ => Err("expected one character such as ; or , or tab".into()),
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(['x', '×']);
    let sizes = parts.and_then(|(h, w)| Some((h.parse().ok()?, w.parse().ok()?)));
    sizes
        .filter(|(h, w)| (1..=4096).contains(h) && (1..=4096).contains(w))
        .ok_or("expected HEIGHTxWIDTH, such as 28x28, each from 1 to 4096".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_as_written() {
        let filter = parse_filter("a=b=c").unwrap();
        assert_eq!((&*filter.column, &*filter.value), ("a", "b=c"));
        assert!(
            parse_count("0").is_err() && parse_count("-3").is_err() && parse_count("3").is_ok()
        );
        assert!(parse_filter("ab").is_err() && parse_filter("=b").is_err());
        assert_eq!(parse_delimiter(";"), Ok(b';'));
        assert_eq!(parse_delimiter("tab"), Ok(b'\t'));
        assert!(parse_delimiter("ab").is_err() && parse_delimiter("x").is_err());
        assert_eq!(parse_size("28x32"), Ok((28, 32)));
        assert!(parse_size("0x3").is_err() && parse_size("28").is_err());
    }
}
