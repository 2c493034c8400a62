//! Rows of a request into predictions, the same for JSON and Arrow.

use driftline_core::Error;
use driftline_core::data::{Labels, Probabilities};
use driftline_io::{ColumnChoice, Encoding, ReadOptions, RowReader, Rows, Table};
use driftline_runs::ModelFile;

/// What a model makes of some rows.
pub struct Predictions {
    pub labels: Labels,
    pub probabilities: Probabilities,
}

/// What is wrong in words of the request: whoever sent it has no file and no flags.
fn told(error: Error) -> String {
    let Error::Data(fault) = error else {
        return error.to_string();
    };
    let place = match (fault.row, &fault.column) {
        (Some(row), Some(column)) => format!("row {row}, column `{column}`: "),
        (Some(row), None) => format!("row {row}: "),
        (None, Some(column)) => format!("column `{column}`: "),
        (None, None) => "the request ".into(),
    };
    format!("{place}{}", fault.message)
}

/// The rows of a table as a model takes them. The message is for whoever sent them.
pub fn rows_of(table: &Table, encoding: &Encoding, choice: &ColumnChoice) -> Result<Rows, String> {
    if table.is_empty() {
        return Err("there are no rows".into());
    }
    let reader = RowReader::open(table, encoding, choice, &ReadOptions::default());
    let rows = reader.map_err(told)?.next_rows().map_err(told)?;
    Ok(rows.ok_or("there are no rows")?)
}

/// Without a choice, rows are read as the model was made.
pub fn predict(
    model_file: &ModelFile,
    table: &Table,
    choice: Option<&ColumnChoice>,
) -> Result<(Rows, Predictions), String> {
    let own = || ColumnChoice::default().inheriting(&model_file.source.choice);
    let choice = choice.cloned().unwrap_or_else(own);
    let rows = rows_of(table, &model_file.encoding, &choice)?;
    let (labels, probabilities) = model_file.predict(&rows).map_err(told)?;
    let predictions = Predictions {
        labels,
        probabilities,
    };
    Ok((rows, predictions))
}
