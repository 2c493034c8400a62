//! The program: parses, runs one command, and turns its outcome into an exit code.
//! 0 done · 1 error · 2 usage · 3 ran, but a check did not hold · 130 stopped by Ctrl-C.

mod args;
mod cache;
mod commands;
mod estimate;
mod failure;
mod interrupt;
mod notes;
mod output;
mod parallelism;
mod progress;
mod verbosity;
mod words;
mod your_data;

use std::process::ExitCode;

use args::{Bench, Cli, Command};
use failure::{Failure, Outcome};

fn main() -> ExitCode {
    hide_caught_panics();
    let cli = Cli::read();
    let verbosity = cli.verbosity();
    let outcome = match cli.command {
        Command::Demo(args) => commands::demo::run(&args, verbosity),
        Command::Fit(args) => commands::fit::run(&args, verbosity),
        Command::Adapt(args) => commands::adapt::run(&args, verbosity),
        Command::Step(args) => commands::step::run(&args, verbosity),
        Command::Fleet(args) => commands::fleet::run(&args, verbosity),
        Command::Serve(args) => commands::serve::run(&args, verbosity),
        Command::Follow(args) => commands::follow::run(&args, verbosity),
        Command::Label(args) => commands::label::run(&args, verbosity),
        Command::Score(args) => commands::score::run(&args, verbosity),
        Command::Audit(args) => commands::audit::run(&args, verbosity),
        Command::Watch(args) => commands::watch::run(&args, verbosity),
        Command::Predict(args) => commands::predict::run(&args, verbosity),
        Command::Plan(args) => commands::plan::run(&args),
        Command::Compare(args) => commands::compare::run(&args, verbosity),
        Command::Order(args) => commands::order::run(&args, verbosity),
        Command::Rollback(args) => commands::rollback::run(&args, verbosity),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Export(args) => commands::export::run(&args, verbosity),
        Command::Run(args) => commands::run::run(&args, verbosity),
        Command::Reproduce(args) => commands::reproduce::run(&args, verbosity),
        Command::Join(args) => commands::join::run(&args, verbosity),
        Command::Report(args) => commands::report::run(&args, verbosity),
        Command::Bench {
            what: Bench::Network(args),
        } => commands::bench_network::run(&args),
        Command::Data(args) => commands::data::run(&args, verbosity),
        Command::Theory(args) => commands::theory::run(&args, verbosity),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeFailed) => ExitCode::FAILURE,
        Ok(Outcome::CheckFailed) => ExitCode::from(3),
        // Whoever read our output has seen enough.
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            output::tell(&failure.to_string());
            ExitCode::from(failure.exit_code())
        }
    }
}

/// A panic that a decoder raised over a damaged file is caught and becomes an error: it needs no trace of its own.
fn hide_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !driftline_io::catching_panics() {
            usual(info);
        }
    }));
}
