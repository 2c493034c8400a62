//! The command line as written.

use clap::{Args, Parser, Subcommand};

use crate::commands;
use crate::progress::Talk;

/// Keeps a classifier accurate while its data drift, without new labels.
#[derive(Debug, Parser)]
#[command(
    name = "driftline",
    version,
    propagate_version = true,
    before_long_help = "Examples:
  driftline demo                                   the main job on built-in data, with a report
  driftline run experiments/table2-gaussian.toml   run an experiment file, resume if it was stopped
  driftline report driftline-out/table2-gaussian   tables and pictures of a finished run"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    verbosity: Verbosity,
}

#[derive(Debug, Args)]
struct Verbosity {
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
    /// Run experiment files; a second call goes on where the first stopped
    Run(commands::run::RunArgs),
    /// Fill every table of the paper; finished trials are found, the rest are run
    Reproduce(commands::reproduce::ReproduceArgs),
    /// Join the folders of a run that was split by --shard
    Join(commands::join::JoinArgs),
    /// Write the tables and pictures of a finished run
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
    pub fn talk(&self) -> Talk {
        match (self.verbosity.quiet, self.verbosity.verbose) {
            (true, _) => Talk::Quiet,
            (_, true) => Talk::Verbose,
            _ => Talk::Normal,
        }
    }
}
