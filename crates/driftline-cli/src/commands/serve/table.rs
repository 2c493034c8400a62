//! Rows of a request into predictions, the same for JSON and Arrow.

use driftline_core::data::{Labels, Probabilities};
use driftline_io::{ColumnChoice, ReadOptions, RowReader, Table};
use driftline_runs::ModelFile;

/// What a model makes of some rows.
pub struct Predictions {
    pub labels: Labels,
    pub probabilities: Probabilities,
}

/// The message is for whoever sent the rows.
pub fn predict(model_file: &ModelFile, table: &Table) -> Result<Predictions, String> {
    if table.is_empty() {
        return Err("there are no rows".into());
    }
    let choice = ColumnChoice {
        impute: model_file.source.choice.impute,
        ..ColumnChoice::default()
    };
    let told = |error: driftline_core::Error| {
        let help = error.help().map(crate::output::in_flags);
        help.map_or(error.to_string(), |help| format!("{error} ({help})"))
    };
    let reader = RowReader::open(
        table,
        &model_file.encoding,
        &choice,
        &ReadOptions::default(),
    );
    let rows = reader.map_err(told)?.next_rows().map_err(told)?;
    let rows = rows.ok_or("there are no rows")?;
    let (labels, probabilities) = model_file.predict(&rows).map_err(told)?;
    Ok(Predictions {
        labels,
        probabilities,
    })
}
