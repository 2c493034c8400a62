//! `driftline demo`: adaptation on built-in data, from nothing to a report.

use std::path::PathBuf;

use clap::Args;
use driftline_lab::experiment::{Check, Expected, Experiment, Scale, Selection, read_text};
use driftline_report::words;
use serde_json::json;

use super::report::{own_page, write};
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
    let expected = Expected::parse(PRINTED)?;
    let plan = Experiment::new(&read_text(EXPERIMENT)?, expected, Scale::Full)?;
    let (all, out) = (Selection::default(), &args.out);
    let store = [execute(&plan, &all, out, None, None, &cancel, verbosity)?];
    let page = own_page(out)?;
    write(&page, &driftline_report::html(&store, None)?)?;
    let [store] = &store;
    let report = page.display().to_string();
    let text = || {
        format!(
            "{}\n\n{}\n\n{}\n\nreport: {report}\nnext:   driftline run experiments/table2-gaussian.toml\n",
            "Two Gaussian classes in 100 dimensions drift until a model trained at the start is useless at the end.",
            output::text_table(store),
            words::experiment(store),
        )
    };
    let rows = || json!({ "rows": output::rows(store), "report": report });
    output::show(args.json, rows, text)?;
    Ok(Outcome::of(output::all_hold(&Check::all(store))))
}
