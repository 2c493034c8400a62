//! The program: parses, runs one command, and turns its outcome into an exit code.
//! 0 done · 1 error · 2 usage · 3 ran, but a check did not hold · 130 stopped by Ctrl-C.

mod args;
mod assumptions;
mod cache;
mod commands;
mod estimate;
mod failure;
mod interrupt;
mod output;
mod own;
mod progress;
mod report;
mod theory_page;
mod theory_pictures;

use std::process::ExitCode;

use clap::Parser;

use args::{Bench, Cli, Command};
use failure::{Failure, Outcome};

fn main() -> ExitCode {
    hide_caught_panics();
    let cli = Cli::parse();
    let talk = cli.talk();
    let outcome = match cli.command {
        Command::Demo(args) => commands::demo::run(&args, talk),
        Command::Fit(args) => commands::fit::run(&args, talk),
        Command::Adapt(args) => commands::adapt::run(&args, talk),
        Command::Step(args) => commands::step::run(&args, talk),
        Command::Predict(args) => commands::predict::run(&args, talk),
        Command::Compare(args) => commands::compare::run(&args, talk),
        Command::Rollback(args) => commands::rollback::run(&args, talk),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Run(args) => commands::run::run(&args, talk),
        Command::Reproduce(args) => commands::reproduce::run(&args, talk),
        Command::Join(args) => commands::join::run(&args, talk),
        Command::Report(args) => commands::report::run(&args, talk),
        Command::Bench {
            what: Bench::Network(args),
        } => commands::bench_network::run(&args),
        Command::Data(args) => commands::data::run(&args, talk),
        Command::Theory(args) => commands::theory::run(&args, talk),
        Command::Schema => commands::schema::run(),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man => commands::man::run(),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(3),
        // Whoever read our output has seen enough.
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            output::tell(&format!("{failure}"));
            ExitCode::from(failure.exit_code())
        }
    }
}

/// A panic that a decoder raised over a damaged file is caught and becomes an error: it needs no trace of its own.
fn hide_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !driftline::reading::is_guarded() {
            usual(info);
        }
    }));
}
