//! The command line as written.

use clap::{Args, Parser, Subcommand};

use crate::commands;
use crate::verbosity::Verbosity;

/// Keeps a classifier accurate while its data drift, without new labels.
#[derive(Debug, Parser)]
#[command(
    name = "driftline",
    version,
    propagate_version = true,
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
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Show more progress
    #[arg(long, short, global = true)]
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
    /// Adapt to many streams at once, each with a run of its own
    Fleet(Box<commands::fleet::FleetArgs>),
    /// Serve predictions of a run or a fleet over HTTP
    Serve(commands::serve::ServeArgs),
    /// Score a window of a run by labels that came late; learn from them if asked to
    Score(commands::score::ScoreArgs),
    /// Name the rows whose labels would settle which of two versions is better
    Audit(commands::audit::AuditArgs),
    /// Label the rows that a run asks about, in the terminal or in a file
    Label(commands::label::LabelArgs),
    /// Predict the class and probabilities of every row of a table
    Predict(commands::predict::PredictArgs),
    /// Look at source and stream: which windows suit the drift
    Plan(commands::plan::PlanArgs),
    /// Compare all methods on your stream
    Compare(commands::compare::CompareArgs),
    /// Order domains that have no time by their drift from the source
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

impl Cli {
    pub fn verbosity(&self) -> Verbosity {
        match (self.verbosity.quiet, self.verbosity.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
