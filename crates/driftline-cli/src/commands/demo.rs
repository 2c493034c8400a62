//! `driftline demo`: adaptation on built-in data, from nothing to a report.

use std::path::PathBuf;

use clap::Args;
use driftline::experiment::{Check, CheckVerdict, Expected, Plan, Scale, Selection, read_text};
use driftline_report::words;
use serde_json::{Value, json};

use super::run::execute;
use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::{interrupt, output};

const EXPERIMENT: &str = include_str!("../../experiments/table1-gaussian.toml");
const PRINTED: &str = include_str!("../../experiments/expected/table1.csv");

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder for the results and report.html
    #[arg(long, value_name = "DIR", default_value = "driftline-out/demo")]
    out: PathBuf,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &DemoArgs, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen();
    let plan = Plan::new(
        &read_text(EXPERIMENT)?,
        Expected::parse(PRINTED)?,
        Scale::Full,
    )?;
    let store = execute(
        &plan,
        &Selection::default(),
        &args.out,
        None,
        None,
        &cancel,
        verbosity,
    )?;
    let page = super::report::own_page(&args.out)?;
    let store = [store];
    super::report::write(&page, &driftline_report::html(&store, None)?)?;
    let [store] = &store;
    if args.json {
        output::print_json(
            &json!({ "rows": output::rows(store), "report": Value::String(page.display().to_string()) }),
        )?;
    } else {
        output::print(&format!(
            "{}\n\n{}\n\n{}\n\nreport: {}\nnext:   driftline run experiments/table2-gaussian.toml\n",
            "Two Gaussian classes in 100 dimensions drift until a model trained at the start is useless at the end.",
            output::text_table(store),
            words::experiment(store),
            page.display(),
        ))?;
    }
    let checks = Check::all(store);
    let holds = checks
        .iter()
        .all(|check| check.verdict != CheckVerdict::Fails);
    Ok(Outcome::of(holds))
}
