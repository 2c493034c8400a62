//! `driftline schema`: what an experiment file may hold, for editors and checkers.

use clap::Args;

use crate::failure::{Outcome, Result};
use crate::output;

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The schema of `adapt --settings` files instead of experiment files
    #[arg(long)]
    settings: bool,
}

pub fn run(args: &SchemaArgs) -> Result {
    let schema = if args.settings {
        driftline_lab::experiment::settings_schema()
    } else {
        driftline_lab::experiment::schema()
    };
    output::print_json(&serde_json::to_value(schema).expect("a schema is JSON"))?;
    Ok(Outcome::Done)
}
