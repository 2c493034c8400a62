//! The page of a fleet: all streams, those in need first, each with a sparkline and one click away from its own report. The
//! rows are data in the page, and only those in view are drawn, so that ten thousand open as fast as ten.

use driftline_fleet::{FleetManifest, Need, StreamRow, Tally};
use driftline_runs::By;
use minijinja::{Environment, context};
use serde_json::{Value, json};

use crate::numbers::count;
use crate::{Result, chart, words};

/// So many streams are named to readers whose browser runs no scripts.
const NAMED: usize = 100;

/// The page. `reports` says which streams have a page of their own, and where it is.
pub fn fleet_html(
    manifest: &FleetManifest,
    rows: &[StreamRow],
    reports: &dyn Fn(&StreamRow) -> Option<String>,
) -> Result<String> {
    let mut sorted: Vec<&StreamRow> = rows.iter().collect();
    sorted.sort_by(|a, b| {
        order(a)
            .partial_cmp(&order(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let data = sorted.iter().map(|row| compact(row, reports(row)));
    let data: Vec<Value> = data.collect();
    let states = Need::ALL.map(|state| json!({ "name": state.name(), "words": named(state) }));
    let named: Vec<String> = sorted.iter().take(NAMED).map(|row| plain(row)).collect();
    let mut environment = Environment::new();
    environment.add_template("fleet.html", include_str!("fleet.html"))?;
    let page = environment.get_template("fleet.html")?.render(context! {
        outcome => fleet_outcome(Tally::of(rows)),
        style => include_str!("../page/page.css"),
        own_style => include_str!("fleet.css"),
        chart_style => chart::STYLE,
        script => include_str!("fleet.js"),
        version => env!("CARGO_PKG_VERSION"),
        command => crate::run::quoted(&manifest.command),
        by => manifest.by.clone(),
        policy => manifest.settings.method.policy.as_ref().map(|named| named.name.clone()),
        data => script_safe(&json!({ "states": states, "rows": data })),
        named,
        more => rows.len().saturating_sub(NAMED),
    })?;
    Ok(page)
}

/// Need first; within it the least accurate, then the farthest from the source.
fn order(row: &StreamRow) -> (Need, f64, f64) {
    let accuracy = row.in_use.map_or(f64::INFINITY, |own| own.value);
    (row.state, accuracy, -row.drift.unwrap_or(0.0))
}

/// What the script needs of a row, by place instead of by name.
fn compact(row: &StreamRow, report: Option<String>) -> Value {
    let state = Need::ALL.iter().position(|state| *state == row.state);
    let numbers = [row.served, row.unadapted];
    let numbers = numbers.map(|own| own.map(|own| words::with_interval(&own)));
    json!([
        row.key,
        state,
        row.in_use.map(|own| own.value),
        row.in_use.map(|own| own.low),
        row.in_use.map(|own| own.high),
        row.in_use.is_some_and(|own| own.by == By::Answers),
        row.drift,
        row.windows,
        row.rows,
        row.version,
        why(row),
        row.accuracies,
        row.drifts,
        row.decisions,
        report,
        todo(row),
        numbers,
    ])
}

fn named(state: Need) -> String {
    state.name().replace('-', " ")
}

/// What to do, as every other place says it.
fn todo(row: &StreamRow) -> Option<String> {
    let (action, step) = row.action.as_ref().zip(row.step)?;
    Some(words::todo(action, step))
}

/// Pages show names as they are, not in marks of code.
fn why(row: &StreamRow) -> Option<String> {
    let why = row.error.as_ref().or(row.reason.as_ref());
    why.map(|why| why.replace('`', ""))
}

/// Counts that add up: `50 streams: 48 done (5 of them held, 1 doubtful), 2 failed`.
pub fn fleet_outcome(tally: Tally) -> String {
    let some = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let among = [
        some(tally.held, "of them held"),
        some(tally.rolled_back, "rolled back"),
        some(tally.doubtful, "doubtful"),
    ];
    let among: Vec<String> = among.into_iter().flatten().collect();
    let among = match &among[..] {
        [] => String::new(),
        among => format!(" ({})", among.join(", ")),
    };
    let mut parts = vec![format!("{} done{among}", tally.done)];
    parts.push(format!("{} failed", tally.failed));
    parts.extend(some(tally.unfinished, "unfinished"));
    format!("{}: {}", count(tally.streams, "stream"), parts.join(", "))
}

fn plain(row: &StreamRow) -> String {
    let why = why(row).map_or(String::new(), |why| format!(": {why}"));
    let todo = todo(row).map_or(String::new(), |todo| format!(", {todo}"));
    format!("{} – {}{todo}{why}", row.key, named(row.state))
}

/// JSON that can stand in a script element whatever the keys are.
fn script_safe(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
