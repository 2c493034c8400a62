//! `driftline completions`: the completion script of a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::{Outcome, Result};
use crate::output;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "driftline", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}
