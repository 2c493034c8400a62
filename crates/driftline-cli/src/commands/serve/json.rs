//! Requests and answers in JSON: rows by name, or columns by name.

use driftline_io::{Column, Numbers, Table, Texts};
use driftline_runs::{Appended, ModelFile};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::following;
use super::table::Predictions;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(default)]
    rows: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    columns: Option<Map<String, Value>>,
    /// What the rows go by, for a run that follows.
    #[serde(default)]
    ids: Option<Vec<Value>>,
}

/// The table that a request holds, and what its rows go by; the message says what is wrong with it.
pub fn read(body: &[u8]) -> Result<(Table, Option<Vec<String>>), String> {
    let request: Request = serde_json::from_slice(body).map_err(|error| {
        format!("{error}; expected {{\"rows\": [{{…}}, …]}} or {{\"columns\": {{…}}}}")
    })?;
    let ids = request.ids.map(|ids| ids.iter().map(id).collect());
    let table = match (request.rows, request.columns) {
        (Some(rows), None) => by_rows(rows),
        (None, Some(columns)) => columns.into_iter().try_fold(Table::new(), |table, column| {
            let (name, Value::Array(values)) = column else {
                return Err("a column is a list of values".into());
            };
            add(table, &name, values)
        }),
        _ => Err("expected either `rows` or `columns`".into()),
    };
    Ok((table?, ids.transpose()?))
}

fn id(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err("an id is a text or a number".into()),
    }
}

/// Rows by the names of their columns.
pub fn by_rows(rows: Vec<Map<String, Value>>) -> Result<Table, String> {
    let Some(first) = rows.first() else {
        return Err("there are no rows".into());
    };
    let names: Vec<String> = first.keys().cloned().collect();
    let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(rows.len()); names.len()];
    for (number, mut row) in (1..).zip(rows) {
        if row.len() != names.len() {
            return Err(format!("row {number} has other columns than the first"));
        }
        for (name, column) in names.iter().zip(&mut columns) {
            let value = row.get_mut(name).map(Value::take);
            column.push(value.ok_or_else(|| format!("row {number} has no `{name}`"))?);
        }
    }
    let mut all = names.iter().zip(columns);
    all.try_fold(Table::new(), |table, (name, values)| {
        add(table, name, values)
    })
}

/// A column of numbers if all its values are, else of texts; null is a missing value.
fn add(table: Table, name: &str, values: Vec<Value>) -> Result<Table, String> {
    let column = if values
        .iter()
        .all(|value| value.is_number() || value.is_null())
    {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        Column::Numbers(Numbers::Double(values.iter().map(number).collect()))
    } else {
        let mut texts = Texts::new();
        for value in &values {
            match value {
                Value::Null => texts.push(None),
                Value::String(text) => texts.push(Some(text)),
                Value::Number(_) | Value::Bool(_) => texts.push(Some(&value.to_string())),
                _ => return Err(format!("`{name}` holds something that is no value")),
            }
        }
        Column::Text(texts)
    };
    let added = table.with_column(name, column);
    added.map_err(|error| error.to_string())
}

/// `version`, `classes`, what became of the rows in the log, and for every row `class` and `probabilities`.
pub fn write(
    model_file: &ModelFile,
    predictions: &Predictions,
    logged: Option<&Appended>,
) -> Vec<u8> {
    let classes = model_file.classes();
    let named = predictions.labels.as_slice().iter();
    let named: Vec<&str> = named.map(|&class| &*classes[class as usize]).collect();
    let rows = 0..predictions.labels.len();
    let probabilities: Vec<&[f32]> = rows.map(|row| predictions.probabilities.row(row)).collect();
    let mut answer =
        serde_json::json!({ "version": model_file.number(), "classes": classes, "class": named });
    for (name, value) in logged.into_iter().flat_map(following::told) {
        answer[name] = value;
    }
    let mut text = answer.to_string();
    text.pop();
    text += ",\"probabilities\":";
    let mut text = text.into_bytes();
    // Straight into the answer, so that single precision stays as short as it is.
    let written = serde_json::to_writer(&mut text, &probabilities);
    written.expect("a buffer takes everything");
    text.push(b'}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_told() {
        assert_eq!(
            read(br#"{"rows":[{"x":1,"c":"a"},{"c":null,"x":2.5}]}"#)
                .unwrap()
                .0
                .len(),
            2
        );
        assert_eq!(
            read(br#"{"columns":{"x":[1,null],"c":["a",true]}}"#)
                .unwrap()
                .0
                .len(),
            2
        );
        for bad in [
            "",
            "[]",
            "{}",
            "{\"rows\":1}",
            "{\"rows\":[]}",
            "{\"rows\":[{\"x\":1},{\"y\":1}]}",
            "{\"rows\":[{\"x\":1},{\"x\":1,\"y\":2}]}",
            "{\"columns\":{\"x\":1}}",
            "{\"columns\":{\"x\":[1],\"y\":[1,2]}}",
            "{\"columns\":{\"x\":[[1]]}}",
            "{\"rows\":[],\"columns\":{}}",
            "{\"else\":1}",
            "\u{feff}{",
        ] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
