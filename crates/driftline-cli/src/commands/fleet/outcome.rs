//! What a command on a fleet ends with: counts and a row per stream, the page, and an exit code for schedulers.

use clap::Args;
use driftline_fleet::{FleetFolder, Need, StreamRow, Tally, fleet_json};
use driftline_report::words;
use driftline_runs::FailOn;
use serde_json::json;

use super::pages;
use crate::failure::{Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;
use crate::your_data::fail_on::FailOnArgs;

#[derive(Args, Clone, Copy, Debug)]
pub struct OutcomeArgs {
    /// Print only the streams that need attention, one per line, and nothing if there are none, as cron expects
    #[arg(long, conflicts_with = "json")]
    alert: bool,
    /// Print JSON: `streams`, `done`, `failed`, `unfinished`, `held`, `rolled_back`, `doubtful`, and a row for every stream
    #[arg(long)]
    json: bool,
    /// Write the reports of this many streams, those in need first; `fleet export` and `report` make the others
    #[arg(long, value_name = "N", default_value_t = 50)]
    reports: usize,
    #[command(flatten)]
    fail_on: FailOnArgs,
}

/// So many streams in need are named.
const NAMED: usize = 10;

/// Tells how `rows` stand. The page and the tables beside it are of the whole fleet.
pub fn finish(
    fleet: &FleetFolder,
    rows: &[StreamRow],
    args: &OutcomeArgs,
    verbosity: Verbosity,
) -> Result {
    let tally = Tally::of(rows);
    let page = pages::write(fleet, args.reports)?;
    if args.json {
        let mut told = fleet_json(fleet.folder(), rows);
        told["report"] = json!(page);
        output::print_json(&told)?;
    } else if args.alert {
        output::print(&alerts(rows, args.fail_on.fail_on))?;
    } else {
        output::print(&format!(
            "{}{}\n",
            told(tally, rows, args.fail_on.fail_on),
            page.display()
        ))?;
        verbosity.say(&format!(
            "next: driftline fleet step {0} --input FILES, driftline fleet export {0} --key KEY --out RUN",
            fleet.folder().display()
        ));
    }
    Ok(judged(rows, args.fail_on.fail_on))
}

/// 1 if a stream failed, else 3 if one has come to what counts as a failure.
fn judged(rows: &[StreamRow], on: FailOn) -> Outcome {
    if rows.iter().any(|row| row.state == Need::Failed) {
        return Outcome::SomeFailed;
    }
    Outcome::of(!rows.iter().any(|row| row.fails(on)))
}

/// Key, state and why, with tabs between them.
fn alerts(rows: &[StreamRow], on: FailOn) -> String {
    let urgent = rows.iter().filter(|row| row.fails(on));
    let mut urgent: Vec<&StreamRow> = urgent.collect();
    urgent.sort_by_key(|row| row.state);
    urgent.into_iter().map(|row| line(row) + "\n").collect()
}

fn line(row: &StreamRow) -> String {
    let todo = row.action.as_ref().zip(row.step);
    let todo = todo.map(|(action, step)| words::todo(action, step) + ": ");
    let todo = todo.filter(|_| row.error.is_none()).unwrap_or_default();
    let why = row.error.as_ref().or(row.reason.as_ref());
    let why = why.map_or("", |why| &**why).replace(['\n', '\t'], " ");
    format!("{}\t{}\t{todo}{why}", row.key, row.state.name())
}

fn told(tally: Tally, rows: &[StreamRow], on: FailOn) -> String {
    let mut text = driftline_report::fleet_outcome(tally) + "\n";
    let states = Need::ALL.iter().filter_map(|state| {
        let count = rows.iter().filter(|row| row.state == *state).count();
        (count > 0).then(|| format!("{} {count}", state.name()))
    });
    let states: Vec<String> = states.collect();
    if !states.is_empty() {
        text += &format!("  {}\n", states.join(", "));
    }
    let alerts = alerts(rows, on);
    for alert in alerts.lines().take(NAMED) {
        let line = alert.replacen('\t', ": ", 1).replacen('\t', " – ", 1);
        text += &format!("  {line}\n");
    }
    match alerts.lines().count().saturating_sub(NAMED) {
        0 => text,
        more => text + &format!("  and {more} more: --alert lists them all\n"),
    }
}
