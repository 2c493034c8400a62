//! `driftline demo`: the whole way on built-in data, from a labelled source along a stream without labels to a report; with
//! `--paper`, the first row of the paper's table instead.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline_core::Error;
use driftline_core::files::write_whole;
use driftline_core::random::Seed;
use driftline_io::Files;
use driftline_lab::datasets::Plant;
use driftline_lab::experiment::{Check, Expected, Experiment, Scale, Selection, read_text};
use driftline_models::Runtime;
use driftline_report::words;
use driftline_runs::{FileRun, RunFolder, Start};
use serde_json::json;

use super::report::{own_page, write};
use super::run::execute;
use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::machine;
use crate::your_data::watch::Watcher;
use crate::{interrupt, output};

const EXPERIMENT: &str = include_str!("../../experiments/table1-gaussian.toml");
const PRINTED: &str = include_str!("../../experiments/expected/table1.csv");
/// Where results go, if nothing else is said: of the demonstration, and of the paper's table.
const PLACES: [&str; 2] = ["driftline-out/demo", "driftline-out/demo-paper"];
/// The policy that gives an estimate in every window.
const POLICY: &str = "guarded";

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder for the data, the run and its report [default: driftline-out/demo]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run the first row of the paper's Table 1 instead: two Gaussians that move
    #[arg(long)]
    paper: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &DemoArgs, verbosity: Verbosity) -> Result {
    let place = PLACES[usize::from(args.paper)];
    let out = args.out.clone().unwrap_or(place.into());
    if args.paper {
        return paper(&out, args.json, verbosity);
    }
    plant(&out, args.json, verbosity)
}

/// A plant whose sensors drift, as `adapt` would go along it.
fn plant(out: &Path, json: bool, verbosity: Verbosity) -> Result {
    std::fs::create_dir_all(out).map_err(Error::io(out))?;
    let (source, stream) = (out.join("source.csv"), out.join("stream.csv"));
    let drawn = Plant::draw(Seed::new(0));
    write_whole(&source, drawn.source.as_bytes())?;
    write_whole(&stream, drawn.stream.as_bytes())?;
    let runtime = Runtime::all_cores().with_cancel(interrupt::listen());
    let mut adapt = FileRun::new(out.join("run"))
        .policy(POLICY)
        .answers(Plant::LABEL)
        .runtime(runtime);
    adapt.choice.time = Some(Plant::TIME.into());
    // Made anew each time, whatever an earlier version has left.
    adapt.replace = true;
    adapt.environment = machine::environment();
    adapt.command = equivalent(&source, &stream, &adapt.folder);
    let start = Start::source(Plant::LABEL, Files::new([&source])?);
    let watcher = Watcher::new(verbosity);
    let mut run = watcher.end(adapt.run(start, Files::new([&stream])?, &watcher))?;
    let page = run.write_report(&driftline_report::run_html(&run)?)?;
    let verdict = run.verdict()?;
    let folder = run.folder().display().to_string();
    let sentence = verdict.as_ref().map(|own| words::outcome(own, &folder));
    let told = || {
        json!({
            "run": run.folder(), "windows": run.manifest().windows, "verdict": verdict,
            "sentence": sentence, "report": page,
        })
    };
    output::show(json, told, || text(&run, &page, sentence.as_deref()))
}

/// What would do the same on data of your own.
fn equivalent(source: &Path, stream: &Path, run: &Path) -> Vec<String> {
    let [source, stream, run] = [source, stream, run].map(|path| path.display().to_string());
    let (label, time) = (Plant::LABEL, Plant::TIME);
    let words = [
        "driftline",
        "adapt",
        "--source",
        &source,
        "--label",
        label,
        "--stream",
        &stream,
        "--time",
        time,
        "--truth",
        label,
        "--policy",
        POLICY,
        "--out",
        &run,
    ];
    words.map(String::from).into()
}

fn text(run: &RunFolder, page: &Path, sentence: Option<&str>) -> String {
    let mut table = output::table(
        [
            "window",
            "estimated % right (90 %)",
            "true %",
            "unadapted %",
            "decision",
        ],
        &[1, 2, 3],
    );
    let per_cent = |share: f64| format!("{:.1}", 100.0 * share);
    for record in run.records() {
        let estimate = record
            .estimated_accuracy
            .zip(record.estimated_low.zip(record.estimated_high));
        let estimate = estimate.map(|(mean, (low, high))| {
            format!(
                "{} ({:.0} to {:.0})",
                per_cent(mean),
                100.0 * low,
                100.0 * high
            )
        });
        let score = record.score.as_ref();
        let of = |pick: fn(&driftline_runs::Score) -> f64| {
            score.map_or("–".into(), |score| per_cent(pick(score)))
        };
        table.add_row([
            record.window.to_string(),
            estimate.unwrap_or("–".into()),
            of(|score| score.accuracy_after),
            of(|score| score.accuracy_unadapted),
            words::decision(record),
        ]);
    }
    let command = driftline_report::command_line(&run.manifest().command);
    format!(
        "A plant: four drifting sensors, three states (88, 9 and 3 %), one category. 1,500 rows have labels; 4,000 came later. Their true states are used only for the two columns of truth.\n\n{}\n\n{}\n\nreport: {}\n\
         the same on your own data: {command}\n\
         paper:  driftline demo --paper prints the first row of the paper's Table 1\n\
         next:   driftline predict {} --input {} --out predictions.csv\n",
        table.trim_fmt(),
        sentence.unwrap_or_default(),
        page.display(),
        run.folder().display(),
        run.folder().with_file_name("stream.csv").display(),
    )
}

/// The Gaussian row of Table 1.
fn paper(out: &Path, json: bool, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen();
    let expected = Expected::parse(PRINTED)?;
    let plan = Experiment::new(&read_text(EXPERIMENT)?, expected, Scale::Full)?;
    let all = Selection::default();
    let store = [execute(&plan, &all, out, None, None, &cancel, verbosity)?];
    let page = own_page(out)?;
    write(&page, &driftline_report::html(&store, None)?)?;
    let [store] = &store;
    let report = page.display().to_string();
    let text = || {
        format!(
            "{}\n\n{}\n\n{}\n\nreport: {report}\nnext:   driftline reproduce --budget 0s   every table of the paper, beside the printed numbers\n",
            "Two Gaussian classes in 100 dimensions drift until a model trained at the start is useless.",
            output::text_table(store),
            words::experiment(store),
        )
    };
    let rows = || json!({ "rows": output::rows(store), "report": report });
    output::show(json, rows, text)?;
    Ok(Outcome::of(output::all_hold(&Check::all(store))))
}
