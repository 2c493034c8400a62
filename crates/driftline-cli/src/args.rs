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
  driftline demo                                   the main job on built-in data, with a report
  driftline adapt --source s.csv --label y --stream t.csv --out run
                                                   follow your own data, with a report
  driftline run experiments/table2-gaussian.toml   run an experiment file, resume if it was stopped
  driftline report driftline-out/table2-gaussian   tables and pictures of a finished run"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    verbosity: VerbosityArgs,
}

#[derive(Debug, Args)]
struct VerbosityArgs {
    /// No progress, only results and errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more while working
    #[arg(long, short, global = true)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the main job on built-in data: no download needed
    Demo(commands::demo::DemoArgs),
    /// Train a model on your labelled source
    Fit(commands::fit::FitArgs),
    /// Adapt a model along your stream, window by window; a second call goes on where the first stopped
    Adapt(commands::adapt::AdaptArgs),
    /// Adapt a run to one more window
    Step(commands::step::StepArgs),
    /// Class and probabilities for every row of a table
    Predict(commands::predict::PredictArgs),
    /// Set all methods side by side on your stream
    Compare(commands::compare::CompareArgs),
    /// Use another version of a run; nothing is deleted
    Rollback(commands::rollback::RollbackArgs),
    /// Say what a table, a model or a run holds
    Inspect(commands::inspect::InspectArgs),
    /// Write a model as ONNX
    Export(commands::export::ExportArgs),
    /// Run experiment files; a second call goes on where the first stopped
    Run(commands::run::RunArgs),
    /// Fill every table of the paper; finished trials are found, the rest are run
    Reproduce(commands::reproduce::ReproduceArgs),
    /// Join the folders of a run that was split by --shard
    Join(commands::join::JoinArgs),
    /// Write the tables and pictures of finished experiments, or of a run on your own data
    Report(commands::report::ReportArgs),
    /// Measure the speed of this machine's kernels
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Obtain, list, describe and check data sets
    Data(commands::data::DataArgs),
    /// Compute every statement of the paper's theory; exit 3 if one does not hold
    Theory(commands::theory::TheoryArgs),
    /// Print the JSON schema of experiment files
    Schema,
    /// Print the completion script of a shell
    Completions(commands::completions::CompletionsArgs),
    /// Print the manual page
    Man,
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
