//! `driftline fit`: a labelled source into a model file.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use driftline_report::words;
use driftline_runs::method::TrainingSpec;
use driftline_runs::{Fit, ModelFile, ModelView, SourcePreview};
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{
    CleaningArgs, ComputeArgs, TableArgs, data, expect_new, parse_count,
};
use crate::your_data::headings::{NETWORKS, place};
use crate::your_data::start;
use crate::{interrupt, notes, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline fit --source labelled.csv --label species --out model.safetensors
  driftline fit --source 'photos/*' --label label --model cnn --image-size 32x32 --out model.safetensors
  driftline fit --source all.parquet --where year=2015 --label churn --impute --out model.safetensors")]
pub struct FitArgs {
    /// Labelled files, or patterns such as 'part-*.csv': CSV, Parquet, NPY/NPZ, IDX, MAT, ARFF, or a folder of images
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", display_order = place::SOURCE)]
    source: Vec<String>,
    /// Column with the classes
    #[arg(long, value_name = "COL", display_order = place::LABEL)]
    label: String,
    /// Kind of model: auto, linear, knn, trees, mlp, cnn or margin
    #[arg(long, value_name = "KIND", default_value = "auto", long_help = format!("Kind of model. {}", start::KINDS))]
    model: String,
    /// Epochs of a network on the source, and later on each window [default: 20]
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = NETWORKS)]
    epochs: Option<NonZeroUsize>,
    /// Time column; not a feature
    #[arg(long, value_name = "COL")]
    time: Option<String>,
    /// Column that identifies rows; not a feature; may be repeated
    #[arg(long, value_name = "COL")]
    id: Vec<String>,
    /// Model file to write
    #[arg(long, value_name = "MODEL.safetensors")]
    out: PathBuf,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    cleaning: CleaningArgs,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Store no source rows with the model, for private data: a run that starts from the model alone can then
    /// not rehearse
    #[arg(long, alias = "no-source-card")]
    no_source_sample: bool,
    /// Read and describe the source; train and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace the model file if it exists; no other file is replaced
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &FitArgs, verbosity: Verbosity) -> Result {
    let runtime = args.compute.threads.runtime(interrupt::listen());
    let mut fit = Fit::new(&args.label)
        .model(start::kind(&args.model)?)
        .seed(args.compute.seed)
        .runtime(runtime);
    fit.choice.time = args.time.clone();
    fit.choice.ids = args.id.clone();
    fit.choice = args.table.chosen(fit.choice);
    fit.read = args.table.read_options();
    fit.source_sample = !args.no_source_sample;
    fit.settings.column_cleaning = args.cleaning.cleaning(None);
    if let Some(epochs) = args.epochs {
        let mut training = TrainingSpec::default();
        training.epochs = epochs;
        fit.settings.training = Some(training);
    }
    let source = data(&args.source)?;
    if args.dry_run {
        let survey = fit.preview(&source)?;
        notes::tell(survey.notes.as_slice(), verbosity);
        return output::show(
            args.json,
            || json!({ "source": survey }),
            || surveyed(&survey),
        );
    }
    expect_new(&args.out, args.force)?;
    if args.out.exists() && !ModelFile::is_at(&args.out) {
        let path = args.out.clone();
        return Err(driftline_core::Error::Foreign { path }.into());
    }
    let model_file = fit.run(&source)?;
    notes::tell(model_file.source.notes.as_slice(), verbosity);
    model_file.save(&args.out)?;
    let value = || json!({ "out": args.out, "model": ModelView::of(&model_file) });
    output::show(args.json, value, || words::fitted(&model_file) + "\n")?;
    let out = args.out.display();
    verbosity.say(&format!(
        "next: driftline adapt --model {out} --stream FILE --out RUN"
    ));
    Ok(Outcome::Done)
}

/// What a source holds, before anything is trained.
pub fn surveyed(survey: &SourcePreview) -> String {
    format!(
        "source    {} rows, {}\nclasses   {}\ninput     {}: {}\nmodel     {}\n",
        survey.rows,
        survey.detected,
        counted(&survey.classes, &survey.class_counts),
        survey.input,
        survey.features.join(", "),
        survey.model
    )
}

/// `cat (3), dog (5)`
pub fn counted(classes: &[String], counts: &[usize]) -> String {
    let counts = classes.iter().zip(counts);
    let counts: Vec<String> = counts.map(|(class, n)| format!("{class} ({n})")).collect();
    counts.join(", ")
}
