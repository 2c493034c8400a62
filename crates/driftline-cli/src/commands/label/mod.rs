//! `driftline label`: the rows that a run wants labelled, one by one in the terminal, or as a file to be filled in.

mod prompt;

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use driftline_core::files::write_whole;
use driftline_runs::{AskedLine, GivenLabels, RunFolder, ShownRow, shown, shown_csv};
use serde_json::json;

use self::prompt::Prompt;
use crate::failure::{Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ReadArgs, data, expect_new};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline label run                           row by row, one key per class
  driftline label run --out rows.csv            the same rows as a file: fill in the column `label`
  driftline label run --labels rows.csv         takes the labels that are filled in

Every label is stored at once. The next `driftline step` uses all labels to find the best version. A label is \
a class of the model or `another class`. Where there is no terminal and no file is named, the rows are printed as CSV and the \
exit code is 3.")]
pub struct LabelArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Take labels from this file instead of asking
    #[arg(long, value_name = "FILE")]
    labels: Option<String>,
    /// Column of that file with the labels
    #[arg(long, value_name = "COL", default_value = "label", requires = "labels")]
    label: String,
    /// Write the rows to this CSV file instead of asking
    #[arg(long, value_name = "FILE.csv", conflicts_with = "labels")]
    out: Option<PathBuf>,
    /// Only rows of this window [default: all that wait]
    #[arg(long, value_name = "N", conflicts_with = "labels")]
    window: Option<usize>,
    /// Replace that file if it exists
    #[arg(long, requires = "out")]
    force: bool,
    /// Open every image in the system's image viewer
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    read: ReadArgs,
    /// Print JSON instead of asking
    #[arg(long)]
    json: bool,
}

pub fn run(args: &LabelArgs, verbosity: Verbosity) -> Result {
    if let Some(out) = &args.out {
        expect_new(out, args.force)?;
    }
    if let Some(file) = &args.labels {
        return take(args, file, verbosity);
    }
    let run = RunFolder::read(&args.run)?;
    let mut rows = shown(&run, &args.read.options())?;
    rows.retain(|row| args.window.is_none_or(|window| row.line.window == window));
    if args.json {
        let classes = &run.manifest().classes;
        output::print_json(&json!({ "run": args.run, "classes": classes, "open": rows }))?;
        return Ok(Outcome::of(rows.is_empty()));
    }
    if rows.is_empty() {
        verbosity.say("no row waits for a label");
        return Ok(Outcome::Done);
    }
    let folder = args.run.display();
    let wait = match rows.len() {
        1 => "1 row waits for a label".to_owned(),
        many => format!("{many} rows wait for a label"),
    };
    if let Some(out) = &args.out {
        write_whole(out, &shown_csv(&rows))?;
        let out = out.display();
        verbosity.say(&format!("{wait}: {out}\nnext: fill in its column `label`, then: driftline label {folder} --labels {out}"));
        return Ok(Outcome::CheckFailed);
    }
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return ask(args, &run, &rows, verbosity);
    }
    let text = shown_csv(&rows);
    output::print(&String::from_utf8_lossy(&text))?;
    verbosity.say(&format!("{wait}; there is no terminal to ask in\nnext: fill in the column `label` of these lines in a file, then: driftline label {folder} --labels FILE"));
    Ok(Outcome::CheckFailed)
}

/// Labels from a file.
fn take(args: &LabelArgs, file: &String, verbosity: Verbosity) -> Result {
    let file = data(std::slice::from_ref(file))?;
    let mut run = RunFolder::open(&args.run)?;
    let read = args.read.options();
    let given = GivenLabels::read(&file, &args.label, &run.manifest().classes, &read)?;
    let new = run.label_from(&given)?;
    let open = run.asked()?.open().len();
    if args.json {
        output::print_json(&json!({ "run": args.run, "labels": new, "open": open }))?;
    } else {
        output::print(&format!("{new} labels are new; {open} rows are open\n"))?;
        verbosity.say("the next `driftline step` uses them");
    }
    Ok(Outcome::Done)
}

/// One row after the other. The run is open for writing only while an answer is written.
fn ask(args: &LabelArgs, run: &RunFolder, rows: &[ShownRow], verbosity: Verbosity) -> Result {
    let classes = &run.manifest().classes;
    let mut save = |line: &AskedLine, label: &str| -> Result<()> {
        let mut run = RunFolder::open(&args.run)?;
        let mut asked = run.asked()?;
        let place = (line.window, line.window_row);
        asked.label(&[place], &[label], run.records(), classes)?;
        Ok(run.keep_asked(&asked)?)
    };
    let mut show = |row: &ShownRow| {
        let image = row.columns.iter().find(|(name, _)| name == "image");
        if let Some((_, path)) = image.filter(|_| args.open) {
            open(path);
        }
    };
    let mut prompt = Prompt {
        rows,
        classes,
        save: &mut save,
        show: &mut show,
    };
    let terminal = console::Term::stdout();
    let labelled = prompt.ask(&mut terminal.clone(), &mut terminal.clone())?;
    let left = rows.len() - labelled;
    verbosity.say(&format!(
        "{labelled} labelled, {left} open; the next `driftline step` uses them"
    ));
    Ok(Outcome::Done)
}

/// Hands a file to whatever shows it. If that fails, its path stands there.
fn open(path: &str) {
    let (program, words): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = std::process::Command::new(program);
    let quiet = std::process::Stdio::null;
    let command = command.args(words).arg(path).stdin(quiet());
    let _ = command.stdout(quiet()).stderr(quiet()).spawn();
}
