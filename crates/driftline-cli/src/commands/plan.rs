//! `driftline plan`: advice before anything is adapted.

use std::sync::OnceLock;
use std::time::Instant;

use clap::Args;
use driftline::adapt::{Outlook, Prospect};
use driftline::runs::{Adapt, PlanAhead, Watch};
use serde_json::json;

use crate::estimate::readable;
use crate::failure::{Outcome, Result};
use crate::your_data::arguments::{ComputeArgs, StreamArgs, TableArgs, data};
use crate::your_data::method::{MethodArgs, WindowArgs};
use crate::your_data::start::StartArgs;
use crate::{interrupt, output};

/// Multiplications a second that one core is taken to do, where nothing was timed.
const SPEED: f64 = 3e10;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline plan --source s.csv --label y --stream t.csv
  driftline plan --source digits/source --label label --stream digits/stream --json

How fast the stream drifts is measured against how far apart the classes are, for windows of several sizes. For tables the \
source is then moved along the stream and every method tried on it, where the classes are known. Nothing learns from the \
stream.")]
pub struct PlanArgs {
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    stream: StreamArgs,
    #[command(flatten)]
    windows: WindowArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// When the rehearsal began.
#[derive(Default)]
struct Clock(OnceLock<Instant>);

impl Watch for Clock {
    fn begin(&self, _windows: usize, _finished: usize) {
        self.0.get_or_init(Instant::now);
    }
}

pub fn run(args: &PlanArgs) -> Result {
    let cancel = interrupt::listen();
    let mut adapt = Adapt::new("")
        .seed(args.compute.seed)
        .runtime(args.compute.threads.runtime(cancel));
    adapt.settings =
        args.method
            .settings(&args.windows, args.start.kind()?, args.start.epochs())?;
    adapt.choice = args.stream.choice(&args.table);
    adapt.read = args.table.read_options();
    let clock = Clock::default();
    let ahead = adapt.plan_ahead(args.start.start()?, data(&args.stream.stream)?, &clock)?;
    let rehearsed = clock.0.get().map(|begun| begun.elapsed().as_secs_f64());
    let seconds = seconds(&ahead, rehearsed);
    match args.json {
        true => {
            let mut told = json!(ahead);
            told["seconds"] = json!(seconds);
            output::print_json(&told)?;
        }
        false => output::print(&text(&ahead, seconds))?,
    }
    Ok(Outcome::Done)
}

/// About how long `adapt` would take: by what the rehearsal took, else by the multiplications.
fn seconds(ahead: &PlanAhead, rehearsed: Option<f64>) -> f64 {
    let windows = (ahead.rows as f64 / ahead.pace.rows() as f64).ceil();
    match (&ahead.outlook, rehearsed) {
        (Some(outlook), Some(took)) => {
            // The guard rehearses in its worlds, and every candidate learns from the window itself.
            let worlds = (outlook.worlds * outlook.rows).max(1) as f64 / outlook.windows as f64;
            took / outlook.windows as f64 * windows * (1.0 + ahead.pace.rows() as f64 / worlds)
        }
        _ => windows * ahead.work / SPEED,
    }
}

fn text(ahead: &PlanAhead, seconds: f64) -> String {
    let mut text = format!(
        "{} rows of {} classes, and a stream of {} rows.\n",
        ahead.source_rows, ahead.classes, ahead.rows
    );
    text += &windows(ahead);
    if let Some(outlook) = &ahead.outlook {
        text += &rehearsal(outlook);
    }
    text += &format!(
        "\nAbout {} with windows of {} rows; memory for source and windows: {:.1} MB.\n",
        readable(seconds),
        ahead.pace.rows(),
        ahead.memory as f64 / 1e6,
    );
    text
}

/// Which windows are safe.
fn windows(ahead: &PlanAhead) -> String {
    let pace = &ahead.pace;
    let mut text = match (&pace.leap, pace.window) {
        (Some(leap), _) => format!(
            "No window is safe: before row {} the stream jumps by {:.4}, and a step may be {:.4}, a tenth of the distance \
             between a class and its nearest. Smaller windows do not help, as nothing lies between.\n",
            leap.row, leap.distance, pace.limit
        ),
        (None, None) => format!(
            "No window is safe: windows of every size drift by more than {:.4}, a tenth of the distance between a class and \
             its nearest.\n",
            pace.limit
        ),
        (None, Some(window)) => {
            let few = match window < pace.wanted {
                true => ": fewer rows than the model would like, as larger windows drift too fast",
                false => "",
            };
            format!("Windows of {window} rows{few}. Use --window {window}.\n")
        }
    };
    text += &format!(
        "\n  window  step    (a safe step is at most {:.4}; noise {:.4}; the end is {:.4} from the source)\n",
        pace.limit, pace.noise, pace.end
    );
    let steps = pace.sizes.iter().map(|size| size.step);
    let most = steps.fold(pace.limit, f64::max);
    for size in &pace.sizes {
        let safe = if size.safe { "" } else { "  too fast" };
        let bar = bar(size.step / most.max(f64::MIN_POSITIVE));
        text += &format!("  {:>6}  {:.4}  {bar}{safe}\n", size.window, size.step);
    }
    text
}

/// What was rehearsed, and what is to be expected of it.
fn rehearsal(outlook: &Outlook) -> String {
    if outlook.explained == 0 {
        return "\nNo simple drift explains the stream: the source could not be moved to any of the windows that were looked \
                at, so nothing can be rehearsed. The guard will hold.\n"
            .into();
    }
    let expected = match outlook.choice().and_then(|choice| choice.at_end.as_ref()) {
        Some(end) => format!(
            "expected at the end: {:.0} % right ({:.0} to {:.0})",
            100.0 * end.accuracy,
            100.0 * end.low,
            100.0 * end.high
        ),
        None => "how accurate it will be at the end is not measurable".into(),
    };
    let preferred = match &outlook.preferred {
        Some(name) => format!("`{name}`"),
        None => "to hold, as no method gains enough".into(),
    };
    let mut text = format!(
        "\nRehearsed on the source, moved to {} of {} windows: best is {preferred}; {expected}. On rows of the source: {:.0} %.\n\n",
        outlook.explained,
        outlook.windows,
        100.0 * outlook.at_home
    );
    let width = outlook.prospects.iter().map(|own| own.name.len()).max();
    let width = width.unwrap_or(0).max("method".len());
    text += &format!("  {:width$}   gain  at the end\n", "method");
    for own in &outlook.prospects {
        text += &prospect(own, width);
    }
    text
}

fn prospect(own: &Prospect, width: usize) -> String {
    let gain = own
        .gain
        .map_or_else(|| "    –".into(), |gain| format!("{:+5.1}", 100.0 * gain));
    let end = own.at_end.as_ref().map_or_else(
        || "not measurable".into(),
        |end| format!("{:>3.0} %  {}", 100.0 * end.accuracy, bar(end.accuracy)),
    );
    let costs = match own.allowed {
        true => "",
        false => "  costs accuracy where nothing drifts",
    };
    format!("  {:width$}  {gain}  {end}{costs}\n", own.name)
}

fn bar(share: f64) -> String {
    "▇".repeat((30.0 * share.clamp(0.0, 1.0)) as usize)
}
