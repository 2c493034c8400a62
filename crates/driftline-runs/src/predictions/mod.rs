//! Predictions as tables: the columns passed through, the class, and the probability of each class by its name.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::File;
use std::path::Path;

use driftline_core::data::{Labels, Probabilities};
use driftline_core::{Error, Result};
use driftline_io::{IdColumn, Rows, StoredType};

/// The predictions for the rows of one window.
#[derive(Clone, Debug)]
pub struct WindowTable {
    pub rows: Rows,
    pub classes: Vec<String>,
    pub labels: Labels,
    pub probabilities: Probabilities,
}

impl WindowTable {
    pub fn to_csv(&self) -> Vec<u8> {
        let Self {
            rows,
            classes,
            labels,
            probabilities,
        } = self;
        csv::window_csv(rows, classes, labels, probabilities)
    }
}

/// The column that holds the predicted class.
pub const CLASS: &str = "class";

/// The columns that hold the answer and the source model's class, where they are asked for.
pub const ANSWER: &str = "answer";
pub const CLASS_UNADAPTED: &str = "class_unadapted";

/// The column that holds the probability of a class.
pub fn probability_column(class: &str) -> String {
    format!("p_{class}")
}

/// What predictions are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Parquet,
}

impl Format {
    /// By the extension.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match &*extension.to_ascii_lowercase() {
            "csv" => Ok(Format::Csv),
            "parquet" | "pq" => Ok(Format::Parquet),
            _ => Err(Error::out_of_range(
                "the output",
                path.display(),
                "a file whose name ends in .csv or .parquet",
            )),
        }
    }
}

/// A table of predictions that grows batch by batch.
pub enum Sink<'a> {
    Csv(csv::CsvSink<'a>),
    #[cfg(feature = "parquet")]
    Parquet(parquet::ParquetSink<'a>),
}

impl<'a> Sink<'a> {
    /// `path` is for messages only.
    pub fn new(
        format: Format,
        file: &'a File,
        path: &'a Path,
        ids: &[(String, StoredType)],
        classes: &'a [String],
    ) -> Result<Self> {
        let mut names: Vec<String> = ids.iter().map(|(name, _)| name.clone()).collect();
        names.push(CLASS.into());
        names.extend(classes.iter().map(|class| probability_column(class)));
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                return Err(Error::out_of_range(
                    "a column to pass through",
                    name,
                    format!(
                        "named once, and neither `{CLASS}`, `{ANSWER}` nor `{CLASS_UNADAPTED}` where they are written, nor \
                         like the column of a probability (`p_…`)"
                    ),
                ));
            }
        }
        Ok(match format {
            Format::Csv => Sink::Csv(csv::CsvSink::new(file, path, &names, classes)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let types = ids.iter().map(|(_, stored)| *stored).collect();
                Sink::Parquet(parquet::ParquetSink::new(
                    file, path, &names, types, classes,
                )?)
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => {
                return Err(Error::MissingFeature {
                    what: path.display().to_string(),
                    feature: "parquet",
                });
            }
        })
    }

    pub fn write(
        &mut self,
        ids: &[IdColumn],
        labels: &Labels,
        probabilities: &Probabilities,
    ) -> Result<()> {
        match self {
            Sink::Csv(sink) => sink.write(ids, labels, probabilities),
            #[cfg(feature = "parquet")]
            Sink::Parquet(sink) => sink.write(ids, labels, probabilities),
        }
    }

    pub fn finish(self) -> Result<()> {
        match self {
            Sink::Csv(sink) => sink.finish(),
            #[cfg(feature = "parquet")]
            Sink::Parquet(sink) => sink.finish(),
        }
    }
}
