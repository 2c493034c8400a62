//! `driftline order`: puts domains that have no time in the order of their drift from the labelled source.

use clap::Args;
use driftline_adapt::{OrderBy, PartSpec, Space};
use driftline_runs::{FileRun, FindOrder, FoundOrder};
use serde_json::json;

use crate::commands::adapt::RowsArgs;
use crate::failure::{Failure, Outcome, Result};
use crate::verbosity::Verbosity;
use crate::words::one_of;
use crate::your_data::arguments::data;
use crate::your_data::start::StartArgs;
use crate::{interrupt, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline order --source s.csv --label y --stream site-*.csv           every file is one domain
  driftline order --source s.csv --label y --stream all.csv --domains site
  driftline adapt --source s.csv --label y --stream $(driftline order … --plain) --out run

The domains that look most like the source come first. No label of the stream is looked at, and none is needed. The stream \
must fit into memory.")]
pub struct OrderArgs {
    #[command(flatten)]
    start: StartArgs,
    /// Files of the domains, or patterns such as 'site-*.csv'
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    stream: Vec<String>,
    /// Column that names each row's domain [default: every file is one]
    #[arg(long, value_name = "COL")]
    domains: Option<String>,
    /// Criterion: distance (from the source), chain (each time the nearest to the one before) or confidence (of a model
    /// trained on the source)
    #[arg(long, value_parser = one_of::<OrderBy>(&["distance", "chain", "confidence"]), value_name = "WHAT", default_value = "distance")]
    by: OrderBy,
    /// Measure distances between features of a model trained on the source instead of inputs
    #[arg(long)]
    features: bool,
    /// The domains are given in their true order: report how close the found order is (Kendall's τ)
    #[arg(long)]
    true_order: bool,
    #[command(flatten)]
    rows: RowsArgs,
    /// Print the names alone, one per line
    #[arg(long, conflicts_with = "json")]
    plain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &OrderArgs, _: Verbosity) -> Result {
    let cancel = interrupt::listen();
    if !args.start.has_source() {
        return Err(Failure::usage(
            "ordering starts from the labelled source",
            "give it with --source FILE --label COL",
        ));
    }
    let mut adapt = FileRun::new("").runtime(args.rows.compute.threads.runtime(cancel));
    adapt.seed = args.rows.compute.seed;
    adapt.settings.model = args.start.kind()?.map(PartSpec::plain);
    adapt.choice = args.rows.table.choice();
    adapt.read = args.rows.table.read_options();
    let mut find = FindOrder::new(adapt);
    find.domains = args.domains.clone();
    find.order.by = args.by;
    if args.features {
        find.order.space = Space::Features;
    }
    let start = args.start.start()?;
    let found = find.run(start, &data(&args.stream)?)?;
    if args.json {
        let mut found = json!(found);
        if !args.true_order {
            found["tau"] = json!(null);
        }
        output::print_json(&found)?;
    } else if args.plain {
        let names = found
            .domains
            .iter()
            .map(|domain| domain.name.clone() + "\n");
        output::print(&names.collect::<String>())?;
    } else {
        output::print(&text(&found, args))?;
    }
    Ok(Outcome::Done)
}

fn text(found: &FoundOrder, args: &OrderArgs) -> String {
    let measure = match args.by {
        OrderBy::Chain => "from the one before",
        OrderBy::Confidence => "confidence",
        _ => "from the source",
    };
    let mut table = output::table(["place", "domain", "rows", measure], &[0, 2, 3]);
    for (place, domain) in found.domains.iter().enumerate() {
        table.add_row([
            (place + 1).to_string(),
            domain.name.clone(),
            domain.rows.to_string(),
            format!("{:.4}", domain.measure),
        ]);
    }
    let mut text = format!("{}\n", table.trim_fmt());
    if let Some(tau) = found.tau.filter(|_| args.true_order) {
        text += &format!("Kendall's τ with the order given: {tau:.3}\n");
    }
    text
}
