//! `driftline plan`: advice before anything is trained.

use clap::Args;
use driftline::runs::{Adapt, PlanAhead};
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::your_data::arguments::{ComputeArgs, StreamArgs, TableArgs, data};
use crate::your_data::method::{MethodArgs, WindowArgs};
use crate::your_data::start::StartArgs;
use crate::{interrupt, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline plan --source s.csv --label y --stream t.csv
  driftline plan --source digits/source --label label --stream digits/stream --json

How fast the stream drifts is measured against how far apart the classes are, for windows of several sizes. Nothing is \
trained, and nothing learns from the stream.")]
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
    let ahead = adapt.plan_ahead(args.start.start()?, data(&args.stream.stream)?)?;
    match args.json {
        true => output::print_json(&json!(ahead))?,
        false => output::print(&text(&ahead))?,
    }
    Ok(Outcome::Done)
}

fn text(ahead: &PlanAhead) -> String {
    let pace = &ahead.pace;
    let mut text = format!(
        "{} rows of {} classes, and a stream of {} rows.\n",
        ahead.source_rows, ahead.classes, ahead.rows
    );
    text += &match (&pace.leap, pace.window) {
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
    let most = pace
        .sizes
        .iter()
        .map(|size| size.step)
        .fold(pace.limit, f64::max);
    for size in &pace.sizes {
        let bar = (30.0 * size.step.max(0.0) / most.max(f64::MIN_POSITIVE)) as usize;
        let safe = if size.safe { "" } else { "  too fast" };
        text += &format!(
            "  {:>6}  {:.4}  {}{safe}\n",
            size.window,
            size.step,
            "▇".repeat(bar)
        );
    }
    text += &format!(
        "\nMemory for source and windows: {:.1} MB; {:.2} billion multiplications for one pass over a window.\n",
        ahead.memory as f64 / 1e6,
        ahead.work / 1e9
    );
    text
}
