//! `driftline man`: the manual page, with a section for every command.

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::{Outcome, Result};
use crate::output;

pub fn run() -> Result {
    let mut program = Cli::command();
    program.build();
    let mut page = Vec::new();
    let written = Man::new(program.clone()).render(&mut page).and_then(|()| {
        program
            .get_subcommands()
            .try_for_each(|command| Man::new(command.clone()).render(&mut page))
    });
    written.map_err(driftline::Error::io("the manual page"))?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Done)
}
