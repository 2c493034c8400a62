//! `driftline man`: the manual page, with a section for every command.

use clap::{Args, CommandFactory};
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::{Outcome, Result};
use crate::output;

#[derive(Debug, Args)]
pub struct ManArgs {}

pub fn run(_: &ManArgs) -> Result {
    let mut program = Cli::command();
    program.build();
    let mut page = Vec::new();
    let written = Man::new(program.clone()).render(&mut page).and_then(|()| {
        program
            .get_subcommands()
            .try_for_each(|command| Man::new(command.clone()).render(&mut page))
    });
    written.map_err(driftline_core::Error::io("the manual page"))?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Done)
}
