//! `driftline export`: a model in a form that other software runs.

use std::path::PathBuf;

use clap::Args;
use driftline::files::write_whole;
use driftline::service::onnx;
use serde_json::json;

use crate::commands::predict::open;
use crate::failure::{Failure, Outcome, Result};
use crate::output;

#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    before_long_help = "Examples:
  driftline export run --onnx model.onnx
  driftline export model.safetensors --onnx model.onnx

The graph takes `input` (float32) and gives `probabilities` and `class`. For tables, a row holds the numbers as they stand \
in the file, in the order of the file's property `features`: standardisation and the filling of missing values (NaN) are \
part of the graph, while a category must be given as 0 or 1 for each of its inputs. Pictures are height × width × channels \
with values from 0 to 1. `class` is the place of the class in the property `classes`."
)]
pub struct ExportArgs {
    /// Folder that `driftline adapt` wrote, or a model file
    #[arg(value_name = "RUN|MODEL")]
    model: PathBuf,
    /// The ONNX file to be written
    #[arg(long, value_name = "FILE")]
    onnx: PathBuf,
    /// Version of the run: the model after window N, 0 for the source model [default: the current one]
    #[arg(long, value_name = "N")]
    version: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExportArgs) -> Result {
    if args
        .onnx
        .extension()
        .is_none_or(|extension| extension != "onnx")
    {
        return Err(Failure::with_help(
            format!(
                "{} would be an ONNX file of another name",
                args.onnx.display()
            ),
            "give a name that ends in .onnx, so that nothing else is written over",
        ));
    }
    let bundle = open(&args.model, args.version)?;
    for name in onnx::coarse(&bundle) {
        output::tell(&format!(
            "note: `{name}` has values so far from 0 that the graph's single precision loses part of them: \
             subtract a constant from the column and fit again if the classes differ from those of `predict`"
        ));
    }
    write_whole(&args.onnx, &onnx::export(&bundle))?;
    match args.json {
        true => output::print_json(&json!({
            "onnx": args.onnx, "version": bundle.version, "classes": bundle.classes(),
            "features": bundle.encoding.input_names(),
        }))?,
        false => output::print(&format!("{}\n", args.onnx.display()))?,
    }
    Ok(Outcome::Done)
}
