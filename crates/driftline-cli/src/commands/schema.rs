//! `driftline schema`: what an experiment file may hold, for editors and checkers.

use crate::failure::{Outcome, Result};
use crate::output;

pub fn run() -> Result {
    let schema = serde_json::to_value(driftline::experiment::schema()).expect("a schema is JSON");
    output::print_json(&schema)?;
    Ok(Outcome::Done)
}
