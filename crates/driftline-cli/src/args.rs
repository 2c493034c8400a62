//! The command line as written.

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands;
use crate::verbosity::Verbosity;
use crate::your_data::headings::OUTPUT;

/// Behind whatever a command has of its own.
const LAST: usize = 1000;

/// Keeps a classifier accurate while its data drift, without new labels.
#[derive(Debug, Parser)]
#[command(
    name = "driftline",
    version,
    before_long_help = "Examples:
  driftline demo                                   try it on built-in data, with a report
  driftline adapt --source s.csv --label y --stream t.csv --out run
                                                   adapt to your own data, with a report
  driftline run experiments/table2-gaussian.toml   run an experiment file, or resume it
  driftline report driftline-out/table2-gaussian   tables and charts of a finished run"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    verbosity: VerbosityArgs,
}

#[derive(Debug, Args)]
struct VerbosityArgs {
    /// Print results and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = OUTPUT, display_order = LAST)]
    quiet: bool,
    /// Say more, such as why a window was held
    #[arg(long, short, global = true, help_heading = OUTPUT, display_order = LAST)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Try adaptation on built-in data; no download needed
    Demo(commands::demo::DemoArgs),
    /// Train a model on your labelled source
    Fit(commands::fit::FitArgs),
    /// Adapt a model along your stream, window by window; run it again to resume
    Adapt(commands::adapt::AdaptArgs),
    /// Adapt a run to one more window
    Step(commands::step::StepArgs),
    /// Adapt to many streams at once, one run for each
    Fleet(Box<commands::fleet::FleetArgs>),
    /// Serve predictions of a run or a fleet over HTTP
    Serve(Box<commands::serve::ServeArgs>),
    /// Adapt a run to rows from standard input, window by window
    Follow(commands::follow::FollowArgs),
    /// Score a window of a run with late labels, and optionally learn from them
    Score(commands::score::ScoreArgs),
    /// Select the rows to label to find out which of two versions is better
    Audit(commands::audit::AuditArgs),
    /// Label the rows that a run asks about, in the terminal or by file
    Label(commands::label::LabelArgs),
    /// Predict the class and probabilities of every row of a table
    Predict(commands::predict::PredictArgs),
    /// Find the window size that suits the drift of your stream
    Plan(commands::plan::PlanArgs),
    /// Compare all methods on your stream
    Compare(commands::compare::CompareArgs),
    /// Order domains without times by their drift from the source
    Order(commands::order::OrderArgs),
    /// Switch to another version of a run; nothing is deleted
    Rollback(commands::rollback::RollbackArgs),
    /// Show what a table, a model or a run holds
    Inspect(commands::inspect::InspectArgs),
    /// Export a model as ONNX
    Export(commands::export::ExportArgs),
    /// Run experiment files; run again to resume
    Run(commands::run::RunArgs),
    /// Reproduce every table of the paper; finished trials are reused, the rest are run
    Reproduce(commands::reproduce::ReproduceArgs),
    /// Join the folders of a run that was split by --shard
    Join(commands::join::JoinArgs),
    /// Write a report with the tables and charts of experiments, or of runs on your own data
    Report(commands::report::ReportArgs),
    /// Serve the report of a run on this machine, live
    Watch(commands::watch::WatchArgs),
    /// Benchmark this machine
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Fetch, list, describe, export and check data sets
    Data(commands::data::DataArgs),
    /// Check every statement of the paper's theory; exit code 3 if one does not hold
    Theory(commands::theory::TheoryArgs),
    /// Print the JSON schema of experiment files
    Schema(commands::schema::SchemaArgs),
    /// Print a completion script for your shell
    Completions(commands::completions::CompletionsArgs),
    /// Print the manual page
    Man(commands::man::ManArgs),
}

#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Train and predict with the paper's conv net
    Network(commands::bench_network::BenchNetworkArgs),
}

/// What the commands are for, in the order in which people need them.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Use",
        &[
            "demo", "adapt", "step", "predict", "rollback", "fit", "export",
        ],
    ),
    (
        "Look",
        &[
            "plan", "inspect", "report", "compare", "audit", "label", "score", "watch",
        ],
    ),
    (
        "Operate",
        &[
            "fleet",
            "serve",
            "follow",
            "order",
            "completions",
            "man",
            "help",
        ],
    ),
    (
        "Research",
        &[
            "run",
            "reproduce",
            "join",
            "theory",
            "data",
            "bench",
            "schema",
        ],
    ),
];

/// The command line with its commands in groups.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    let groups = groups(&command);
    command = command.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ));
    command
}

/// A heading for each group, and a line for each command.
fn groups(command: &clap::Command) -> String {
    let about = |name: &str| match command.find_subcommand(name) {
        Some(own) => own.get_about().map(ToString::to_string),
        // Made by the parser, and not there yet.
        None if name == "help" => Some("Print help of a command".into()),
        None => None,
    };
    let group = |(heading, names): &(&str, &[&str])| {
        let lines = names.iter();
        let lines = lines.filter_map(|name| Some(format!("  {name:<11}  {}\n", about(name)?)));
        format!("{heading}:\n{}\n", lines.collect::<String>())
    };
    GROUPS.iter().map(group).collect()
}

impl Cli {
    /// What the command line says; a fault in it ends the program.
    pub fn read() -> Self {
        let read = command().try_get_matches();
        let read = read.and_then(|matches| Cli::from_arg_matches(&matches));
        read.unwrap_or_else(|error| error.exit())
    }

    pub fn verbosity(&self) -> Verbosity {
        match (self.verbosity.quiet, self.verbosity.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        for own in command.get_subcommands() {
            let places = GROUPS.iter().flat_map(|(_, names)| names.iter());
            let count = places.filter(|name| **name == own.get_name()).count();
            assert_eq!(count, 1, "{}", own.get_name());
        }
    }
}
