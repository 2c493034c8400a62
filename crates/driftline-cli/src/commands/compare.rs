//! `driftline compare`: every method on the user's own stream, with intervals over rows and seeds.

use std::path::Path;

use clap::Args;
use driftline_models::evaluate::Interval;
use driftline_runs::{Compare, Comparison, Recommendation};
use serde_json::json;

use crate::commands::adapt::{AlongArgs, RowsArgs};
use crate::failure::{Failure, Result};
use crate::output;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::data;
use crate::your_data::watch::Watcher;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline compare --source s.csv --label y --stream t.csv --window 200 --truth y
  driftline compare --model model.safetensors --stream t.parquet --truth y --seeds 10 --json

Source does not adapt. Target ST self-trains on the last window, All ST on the whole stream, each for as many steps as \
there are windows. Gradual ST takes one window after another, Accumulate each together with all before it. --baselines adds \
what `docs/methods.md` describes. The stream must fit into memory. Nothing learns from the true classes.")]
pub struct CompareArgs {
    #[command(flatten)]
    along: AlongArgs,
    /// Number of seeds, starting at --seed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Also compare alignments, cautious steps and the classical baselines (networks: batch-norm adaptation, entropy minimisation and domain-adversarial training too); tables only, needs --source
    #[arg(long)]
    baselines: bool,
    #[command(flatten)]
    rows: RowsArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &CompareArgs, verbosity: Verbosity) -> Result {
    if args.along.stream.truth.is_none() {
        return Err(Failure::usage(
            "comparing methods needs the true classes",
            "name the column of the stream with the true classes: --truth COL",
        ));
    }
    args.along.method.expect_no_labels_file()?;
    let adapt = args.along.adapt(Path::new(""), &args.rows)?;
    let first = args.rows.compute.seed;
    let seeds = (0..args.seeds).map(|i| first.wrapping_add(i)).collect();
    let mut compare = Compare::new(adapt, seeds);
    if args.baselines {
        compare = compare.with_baselines();
    }
    let start = args.along.start.start()?;
    let stream = data(&args.along.stream.stream)?;
    let watcher = Watcher::new(verbosity);
    let comparison = watcher.end(compare.run(start, stream, &watcher))?;
    output::show(args.json, || json!(comparison), || text(&comparison))
}

fn text(comparison: &Comparison) -> String {
    let head = [
        "method",
        "last window %",
        "whole stream %",
        "while serving %",
    ];
    let mut table = output::table(head, &[1, 2, 3]);
    let show = |interval: &Interval| {
        let half_width = interval.half_width.map(|half| 100.0 * half);
        output::plus_minus(100.0 * interval.mean, half_width)
    };
    for method in &comparison.methods {
        table.add_row([
            method.method.to_owned(),
            method.last_window.as_ref().map_or("–".into(), show),
            show(&method.whole_stream),
            method.while_serving.as_ref().map_or("–".into(), show),
        ]);
    }
    let seeds = match comparison.seeds.len() {
        1 => "one seed".to_owned(),
        seeds => format!("{seeds} seeds"),
    };
    let mut text = format!(
        "{} rows in {} windows, {seeds}; ± is the 90 % interval over rows and seeds.\n{}\nLast window and whole \
         stream: accuracy of the final model. While serving: accuracy on each window before adapting to it.\n",
        comparison.rows,
        comparison.windows,
        table.trim_fmt()
    );
    if comparison.seeds_alike {
        text += "Two seeds gave the same predictions, because this model does not depend on its seed. No more were run, and ± comes from the rows alone.\n";
    }
    match &comparison.recommendation {
        Some(advice) => text + &recommended(advice),
        None => text,
    }
}

/// One sentence to act on.
fn recommended(advice: &Recommendation) -> String {
    let method = &advice.method;
    let gain = format!(
        "{:+.1} points over the unadapted model while serving",
        100.0 * advice.gain
    );
    match (advice.clear, advice.flags.as_deref()) {
        (false, _) => format!(
            "Recommended: keep the unadapted model. No method is clearly better ({method}: {gain}).\n"
        ),
        (true, Some("")) => {
            format!("Recommended: {method}, as `driftline adapt` does by itself ({gain}).\n")
        }
        (true, Some(flags)) => {
            format!("Recommended: {method}, by `driftline adapt` with {flags} ({gain}).\n")
        }
        (true, None) => {
            format!("Recommended: {method} ({gain}); docs/methods.md says how it is set.\n")
        }
    }
}
