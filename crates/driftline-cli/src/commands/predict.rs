//! `driftline predict`: class and probabilities for every row of a table.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline_io::{ColumnChoice, Files, Note, NoteCode};
use driftline_runs::{Format, ModelFile, Predict, RunFolder, RunManifest};
use serde_json::json;

use crate::failure::{Failure, Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{TableArgs, ThreadArgs, data, expect_new};
use crate::your_data::standard::Passing;
use crate::{interrupt, notes, output};

#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    before_long_help = "Examples:
  driftline predict run --input today.csv --id customer --out predictions.csv
  driftline predict run --version 0 --input today.csv --out unadapted.parquet
  driftline predict run --input march.csv --truth churn --unadapted --out compared.csv
  driftline predict model.safetensors --input today.csv --out predictions.csv
  gunzip -c today.csv.gz | driftline predict run --input - --out - | head

The output has the columns of --id, then `answer` and `class_unadapted` where they are asked for, then `class`, then a \
column `p_NAME` with the probability of each class. Missing values are filled in if the run or the model was made with \
--impute."
)]
pub struct PredictArgs {
    /// Run folder from `driftline adapt`, or a model file
    #[arg(value_name = "RUN|MODEL")]
    model: PathBuf,
    /// Files to predict for, or patterns; - is standard input
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    input: Vec<String>,
    /// Version of the run: the model after window N, 0 for the source model [default: the current one]
    #[arg(long, value_name = "N")]
    version: Option<usize>,
    /// Column to pass through; may be repeated
    #[arg(long, value_name = "COL")]
    id: Vec<String>,
    /// Column with the true classes: also written, as `answer`, and the accuracy is told
    #[arg(long, alias = "answers", value_name = "COL")]
    truth: Option<String>,
    /// Also write the class by the run's source model, as `class_unadapted`
    #[arg(long)]
    unadapted: bool,
    /// File for the predictions: P.csv or P.parquet; - is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PredictArgs, verbosity: Verbosity) -> Result {
    let to_standard = args.out.as_os_str() == "-";
    let standard = to_standard.then(Passing::output).transpose()?;
    if standard.is_none() {
        expect_table(&args.out)?;
        expect_new(&args.out, args.force)?;
    }
    if standard.is_some() && args.json {
        return Err(Failure::usage(
            "standard output cannot hold predictions and JSON",
            "name a file with --out, or omit --json",
        ));
    }
    let out = standard.as_ref().map_or(args.out.clone(), Passing::path);
    let runtime = args.threads.runtime(interrupt::listen());
    let model_file = open(&args.model, args.version)?.with_runtime(&runtime)?;
    let first = args.unadapted.then(|| open(&args.model, Some(0)));
    let first = first.transpose()?.map(|first| first.with_runtime(&runtime));
    let unadapted = first.transpose()?;
    let mut choice = ColumnChoice {
        ids: args.id.clone(),
        answers: args.truth.clone(),
        ..args.table.choice()
    };
    if RunManifest::kind_of(&args.model).is_some() {
        let own = RunManifest::read(&args.model)?.settings.choice;
        choice = choice.inheriting(&own);
    }
    let passed = match &args.input[..] {
        [only] if only == "-" => Some(Passing::input()?),
        _ => None,
    };
    let input = match &passed {
        Some(passed) => Files::new([passed.path()])?,
        None => data(&args.input)?,
    };
    let predict = Predict {
        model_file: &model_file,
        unadapted: unadapted.as_ref(),
        choice,
        read: args.table.read_options(),
        runtime,
    };
    let done = predict.run(&input, &out)?;
    // That the input has the column of the classes is no news here: there is nothing to score.
    let news = |note: &&Note| note.code != NoteCode::LabelIgnored;
    notes::tell(done.notes.as_slice().iter().filter(news), verbosity);
    let counts = model_file.classes().iter().zip(&done.class_counts);
    if args.json {
        let counts: serde_json::Map<_, _> = counts.map(|(c, n)| (c.clone(), json!(n))).collect();
        output::print_json(&json!({
            "out": args.out, "rows": done.rows, "version": model_file.number(), "classes": counts,
            "accuracy": done.right.and_then(|right| right.estimate()), "scored": done.right.map(|right| right.n),
        }))?;
    } else {
        let counts: Vec<String> = counts.map(|(class, n)| format!("{class} {n}")).collect();
        let (rows, counts) = (done.rows, counts.join(", "));
        let version = version(&args.model, model_file.number())?;
        verbosity.say(&format!("{rows} rows by {version}: {counts}"));
        if let Some(right) = done.right {
            let n = right.n;
            verbosity.say(&format!("accuracy {right} on {n} labelled rows"));
        }
        match &standard {
            Some(standard) => standard.send()?,
            None => output::print(&format!("{}\n", args.out.display()))?,
        }
    }
    Ok(Outcome::Done)
}

/// The version in words. The number of a window that was held is no news.
fn version(path: &Path, number: usize) -> Result<String> {
    let made = match RunManifest::kind_of(path) {
        Some(_) => RunFolder::read(path)?.made_as(number),
        None => number,
    };
    Ok(match (made, made == number) {
        (0, true) => "the source model".into(),
        (0, false) => "the source model, unchanged".into(),
        (made, true) => format!("version {made}"),
        (made, false) => format!("version {made}, unchanged"),
    })
}

/// The name says what is written.
fn expect_table(path: &Path) -> Result<()> {
    let help = "choose a name that ends so, or - for CSV on standard output";
    let format = Format::of(path).map(drop);
    format.map_err(|error| Failure::usage(error.to_string(), help))
}

/// The model of a run's version, or of a file.
pub fn open(path: &Path, version: Option<usize>) -> Result<ModelFile> {
    if path.is_dir() || RunManifest::kind_of(path).is_some() {
        return Ok(RunFolder::read(path)?.model(version)?);
    }
    match version {
        Some(_) => {
            let path = path.display();
            Err(Failure::usage(
                format!("{path} is a model file, which holds only one version"),
                "omit --version and --unadapted, or give a run folder",
            ))
        }
        None => Ok(ModelFile::load(path)?),
    }
}
