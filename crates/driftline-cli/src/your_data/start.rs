//! Where the first model comes from: a labelled source to be trained on, or a model file.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use driftline::models::Runtime;
use driftline::reading::Choice;
use driftline::runs::{Bundle, Fit, ModelChoice, Start};

use super::arguments::{ComputeArgs, StreamArgs, TableArgs, data};
use crate::failure::{Failure, Result};

/// What `--model` may name when a model is to be trained.
pub const KINDS: &str = "auto: cnn for images, linear for tables. linear: softmax regression on standardised columns, \
    trained to convergence, with an L2 penalty chosen by cross-validation on the source. mlp: two dense layers of 32. \
    cnn: three 5×5 convolutions. margin: the theory's linear score, two classes only";

/// `--source S --label COL [--model KIND]` or `--model FILE`.
#[derive(Args, Clone, Debug)]
pub struct StartArgs {
    /// Labelled files to train the first model on, or patterns
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "label")]
    source: Vec<String>,
    /// Column with the source's classes
    #[arg(long, value_name = "COL", requires = "source")]
    label: Option<String>,
    /// Model file from `driftline fit`; with --source, the kind of model to train: auto, linear, mlp, cnn or margin
    #[arg(long, value_name = "FILE|KIND", required_unless_present = "source", long_help = format!("Model file from `driftline fit`; with --source, the kind of model to train. {KINDS}"))]
    model: Option<String>,
    /// Epochs of a network on the source and on each window [default: 20]
    #[arg(long, value_name = "N", requires = "source")]
    epochs: Option<NonZeroUsize>,
}

impl StartArgs {
    /// The source's columns are the stream's: what is no feature there is none here.
    pub fn start(
        &self,
        table: &TableArgs,
        stream: &StreamArgs,
        compute: ComputeArgs,
        runtime: Runtime,
    ) -> Result<Start> {
        if let Some(label) = &self.label {
            let fit = Fit {
                choice: Choice {
                    label: Some(label.clone()),
                    ..stream.choice(table)
                },
                read: table.read_options(),
                model: kind(self.model.as_deref().unwrap_or("auto"))?,
                epochs: self.epochs,
                seed: compute.seed,
                runtime,
            };
            return Ok(Start::Source(Box::new(fit), data(&self.source)?));
        }
        let path = PathBuf::from(self.model.as_deref().unwrap_or_default());
        if kind(&self.model.clone().unwrap_or_default()).is_ok() && !path.exists() {
            return Err(Failure::with_help(
                format!("there is no model file `{}`", path.display()),
                "to train a model of this kind, name a labelled source: --source FILE --label COL",
            ));
        }
        let bundle = Bundle::load(&path)?.with_runtime(runtime)?;
        Ok(Start::Model(Box::new(bundle), vec![path]))
    }
}

pub fn kind(text: &str) -> Result<ModelChoice> {
    text.parse().map_err(|_| {
        Failure::with_help(
            format!("there is no kind of model `{text}`"),
            "with --source, --model is one of auto, linear, mlp, cnn, margin; a model file is given without --source",
        )
    })
}
