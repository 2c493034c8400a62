//! `driftline export`: a model in a form that other software can run.

use std::path::PathBuf;

use clap::Args;
use driftline_core::files::write_whole;
use driftline_runs::{coarse, onnx};
use serde_json::json;

use crate::commands::predict::open;
use crate::failure::{Failure, Result};
use crate::output;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::expect_new;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline export run --onnx model.onnx
  driftline export model.safetensors --onnx model.onnx

The graph takes `input` (float32) and returns `probabilities` and `class`. For tables, a row holds the raw numbers in the \
order of the file's metadata property `features`: the graph itself standardises and fills missing values (NaN), while a \
category is given as 0 or 1 for each of its inputs. Images are height × width × channels with values from 0 to 1. `class` \
is an index into the property `classes`.")]
pub struct ExportArgs {
    /// Run folder from `driftline adapt`, or a model file
    #[arg(value_name = "RUN|MODEL")]
    model: PathBuf,
    /// ONNX file to write
    #[arg(long, value_name = "FILE")]
    onnx: PathBuf,
    /// Version of the run: the model after window N, 0 for the source model [default: the current one]
    #[arg(long, value_name = "N")]
    version: Option<usize>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExportArgs, verbosity: Verbosity) -> Result {
    if args.onnx.extension().is_none_or(|end| end != "onnx") {
        return Err(Failure::usage(
            format!("{} does not end in .onnx", args.onnx.display()),
            "choose a name that ends in .onnx, so that no other file is overwritten",
        ));
    }
    expect_new(&args.onnx, args.force)?;
    let model_file = open(&args.model, args.version)?;
    for name in coarse(&model_file) {
        verbosity.say(&format!(
            "note: the values of `{name}` are too far from 0 for the graph's single precision; if its classes differ from \
             those of `predict`, subtract a constant from the column and fit again"
        ));
    }
    write_whole(&args.onnx, &onnx(&model_file)?)?;
    let value = || {
        json!({
            "onnx": args.onnx, "version": model_file.number(), "classes": model_file.classes(),
            "features": model_file.encoding.input_names(),
        })
    };
    output::show(args.json, value, || format!("{}\n", args.onnx.display()))
}
