//! The program `driftline`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod cache;
mod commands;
mod output;

#[derive(Parser)]
#[command(name = "driftline", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Data(commands::data::DataArgs),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Data(args) => commands::data::run(&args),
    };
    result.unwrap_or_else(|report| {
        eprintln!("{report:?}");
        ExitCode::FAILURE
    })
}
