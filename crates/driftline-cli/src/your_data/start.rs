//! Where the first model comes from: a labelled source to be trained on, or a model file.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use driftline_runs::Start;

use super::arguments::{data, parse_count};
use super::headings::{METHOD, NETWORKS, place};
use crate::failure::{Failure, Result};

/// What `--model` may name when a model is to be trained.
pub const KINDS: &str = "auto: cnn for images; for tables trees, or linear, knn or mlp if one is clearly better on held-out blocks of the source. linear: softmax regression on standardised columns, trained to convergence, with an L2 penalty \
    chosen by cross-validation on the source. knn: nearest neighbours, their number chosen on the source. trees: \
    gradient-boosted trees. mlp: two dense layers of 32. cnn: three 5×5 convolutions. margin: the theory's linear score, \
    two classes only";

/// The same as names.
const NAMES: [&str; 7] = ["auto", "linear", "knn", "trees", "mlp", "cnn", "margin"];

/// `--source S --label COL [--model KIND]` or `--model FILE`.
#[derive(Args, Clone, Debug)]
pub struct StartArgs {
    /// Labelled files to train the first model on
    ///
    /// CSV, Parquet, NPY/NPZ, IDX, MAT, ARFF, a folder of images, or a pattern such as 'part-*.csv'.
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "label", display_order = place::SOURCE)]
    source: Vec<String>,
    /// Column of the source with the classes
    #[arg(long, value_name = "COL", requires = "source", display_order = place::LABEL)]
    label: Option<String>,
    /// auto, linear, knn, trees, mlp, cnn or a file
    #[arg(long, value_name = "KIND|FILE", help_heading = METHOD, long_help = format!("With --source the kind of model to train [default: auto]; without it a model file from `driftline fit`. {KINDS}"))]
    model: Option<String>,
    /// Epochs on the source and on each window [default: 20]
    #[arg(long, value_name = "N", value_parser = parse_count, requires = "source", help_heading = NETWORKS)]
    epochs: Option<NonZeroUsize>,
}

impl StartArgs {
    /// The source to be fitted, or the model.
    pub fn start(&self) -> Result<Start> {
        if let Some(label) = &self.label {
            return Ok(Start::source(label, data(&self.source)?));
        }
        let Some(name) = self.model.as_deref() else {
            return Err(Failure::usage(
                "there is no labelled source and no model to start from",
                "give labelled rows with --source FILE --label COL, or a model from `driftline fit` with --model FILE",
            ));
        };
        let path = PathBuf::from(name);
        if NAMES.contains(&name) && !path.exists() {
            return Err(Failure::usage(
                format!("there is no model file `{}`", path.display()),
                "to train a model of this kind, give a labelled source: --source FILE --label COL",
            ));
        }
        if !path.exists() {
            return Err(Failure::with_help(
                format!("there is no model file `{}`", path.display()),
                "make one with `driftline fit`, or give labelled rows with --source FILE --label COL",
            ));
        }
        Ok(Start::model(path)?)
    }

    /// The kind of model to train, where one is to be trained.
    pub fn kind(&self) -> Result<Option<&str>> {
        match &self.label {
            Some(_) => self.model.as_deref().map(kind).transpose(),
            None => Ok(None),
        }
    }

    /// Whether a labelled source is named.
    pub fn has_source(&self) -> bool {
        self.label.is_some()
    }

    pub fn epochs(&self) -> Option<NonZeroUsize> {
        self.epochs
    }
}

/// A kind of model that can be trained.
pub fn kind(text: &str) -> Result<&str> {
    if NAMES.contains(&text) {
        return Ok(text);
    }
    let names = NAMES.join(", ");
    Err(Failure::usage(
        format!("there is no kind of model `{text}`"),
        format!("with --source, --model is one of {names}; a model file is given without --source"),
    ))
}
