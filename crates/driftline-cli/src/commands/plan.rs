//! `driftline plan`: advice before anything is adapted.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use clap::Args;
use driftline_adapt::{Forecast, Prospect};
use driftline_runs::{Advice, Watch};
use serde_json::json;

use crate::commands::adapt::{AlongArgs, RowsArgs};
use crate::estimate::readable;
use crate::failure::Result;
use crate::output;
use crate::your_data::arguments::data;

/// Multiplications a second that one core is taken to do, where nothing was timed.
const SPEED: f64 = 3e10;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline plan --source s.csv --label y --stream t.csv
  driftline plan --source digits/source --label label --stream digits/stream --json

For several window sizes, compares how fast the stream drifts with how far apart the classes are. For tables, it then moves the labelled source along the stream and tries every method on it. Nothing learns from the stream.")]
pub struct PlanArgs {
    #[command(flatten)]
    along: AlongArgs,
    #[command(flatten)]
    rows: RowsArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Flags of `adapt` that `plan` does not take: with a value, and without.
const WITH_VALUE: [&str; 2] = ["--out", "--fail-on"];
const ALONE: [&str; 4] = ["--force", "--dry-run", "--json", "--no-source-sample"];

/// The command that looks at what a command of `adapt` goes along.
pub fn like(adapt: &[String]) -> Vec<String> {
    let mut words = vec!["driftline".to_owned(), "plan".into()];
    let mut rest = adapt.iter().skip(2);
    while let Some(word) = rest.next() {
        let is = |flag: &&str| word == flag || word.starts_with(&format!("{flag}="));
        if WITH_VALUE.iter().any(is) {
            if !word.contains('=') {
                rest.next();
            }
        } else if !ALONE.contains(&&**word) {
            words.push(word.clone());
        }
    }
    words
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
    args.along.method.expect_no_labels_file()?;
    let mut adapt = args.along.adapt(Path::new(""), &args.rows)?;
    adapt.seed = args.rows.compute.seed;
    let clock = Clock::default();
    let ahead = adapt.plan_ahead(
        args.along.start.start()?,
        data(&args.along.stream.stream)?,
        &clock,
    )?;
    let rehearsed = clock.0.get().map(|begun| begun.elapsed().as_secs_f64());
    let seconds = seconds(&ahead, rehearsed);
    let value = || {
        let mut told = json!(ahead);
        told["seconds"] = json!(seconds);
        told
    };
    output::show(args.json, value, || text(&ahead, seconds))
}

/// About how long `adapt` would take: by what the rehearsal took, else by the multiplications.
fn seconds(ahead: &Advice, rehearsed: Option<f64>) -> f64 {
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

fn text(ahead: &Advice, seconds: f64) -> String {
    format!(
        "{} rows of {} classes, and a stream of {} rows.\n{}{}\n\
         About {} with windows of {} rows; memory for source and windows: {:.1} MB.\n",
        ahead.source_rows,
        ahead.classes,
        ahead.rows,
        windows(ahead),
        ahead.outlook.as_ref().map_or(String::new(), rehearsal),
        readable(seconds),
        ahead.pace.rows(),
        ahead.memory as f64 / 1e6,
    )
}

/// Which windows are safe.
fn windows(ahead: &Advice) -> String {
    let pace = &ahead.pace;
    let mut text = match (&pace.leap, pace.window) {
        (Some(leap), _) => format!(
            "No window is safe: before row {} the stream jumps by {:.0} times what a step may be, which is a tenth of the \
             distance between a class and its nearest. Smaller windows do not help.\n",
            leap.row,
            leap.distance / pace.limit.max(f64::MIN_POSITIVE)
        ),
        (None, None) => "No window is safe: windows of every size drift by more than a tenth of the distance between a class and its \
             nearest.\n"
            .into(),
        (None, Some(window)) => {
            let mut text = format!("Windows of {window} rows");
            if window < pace.wanted {
                text += ": fewer rows than the model needs, but larger windows drift too fast";
            }
            text + &format!(". Use --window {window}.\n")
        }
    };
    text += "\n  rows per window  windows  drift from one to the next, where 100 % is the most that can be followed safely\n";
    // A distance without its noise may come out below 0.
    let of_limit = |distance: f64| distance.max(0.0) / pace.limit.max(f64::MIN_POSITIVE);
    let most = pace.sizes.iter().map(|size| of_limit(size.step));
    let most = most.fold(1.0, f64::max);
    for size in &pace.sizes {
        let share = of_limit(size.step);
        let safe = if size.safe { "" } else { "  too fast" };
        text += &format!(
            "  {:>15}  {:>7}  {:>5.0} %  {}{safe}\n",
            size.window,
            (ahead.rows / size.window).max(1),
            100.0 * share,
            bar(share / most)
        );
    }
    text += &format!(
        "  The end of the stream is {:.0} times such a step from the source; chance alone accounts for {:.0} % of one.\n",
        of_limit(pace.end),
        100.0 * of_limit(pace.noise)
    );
    text
}

/// What was rehearsed, and what is to be expected of it.
fn rehearsal(outlook: &Forecast) -> String {
    if outlook.explained == 0 {
        return "\nNo simple drift explains the stream: the source could not be moved to any window that was tried, so nothing can be rehearsed. The guard will hold.\n"
            .into();
    }
    let expected = match outlook.choice().and_then(|choice| choice.at_end.as_ref()) {
        Some(end) => format!(
            "expected at the end: {:.0} % right ({:.0} to {:.0})",
            100.0 * end.accuracy,
            100.0 * end.low,
            100.0 * end.high
        ),
        None => "the accuracy at the end cannot be estimated".into(),
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
    let width = width.unwrap_or(0).max("candidate".len());
    text += &format!(
        "  {:width$}  points gained  right at the end\n",
        "candidate"
    );
    for own in &outlook.prospects {
        text += &prospect(own, width);
    }
    text
}

fn prospect(own: &Prospect, width: usize) -> String {
    let gain = own.gain.map(|gain| format!("{:+5.1}", 100.0 * gain));
    let gain = gain.unwrap_or("    –".into());
    let end = own.at_end.as_ref().map(|end| end.accuracy);
    let end = end.map(|share| format!("{:>3.0} %  {}", 100.0 * share, bar(share)));
    let end = end.unwrap_or("not measurable".into());
    let mut line = format!("  {:width$}  {gain}  {end}", own.name);
    if !own.allowed {
        line += "  costs accuracy where nothing drifts";
    }
    line + "\n"
}

fn bar(share: f64) -> String {
    "▇".repeat((30.0 * share.clamp(0.0, 1.0)) as usize)
}
