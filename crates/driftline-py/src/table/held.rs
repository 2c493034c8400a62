//! Rows that wait for their window: copied, joined, and as plain values for pickles.

use std::sync::Arc;

use driftline_core::data::Shape;
use driftline_io::time::parse_moment;
use driftline_io::{Column, Field, Kind, Numbers, Period, Texts, Time, class_name};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::column::Cells;
use super::{Table, width};
use crate::errors::told;

/// A column as plain values: its name, numbers or moments as bytes, texts, and the shape of images.
type Plain = (
    String,
    &'static str,
    Option<Py<PyBytes>>,
    Option<Vec<Option<String>>>,
    Option<(usize, usize, usize)>,
);
/// The same on its way back.
type Given = (
    String,
    String,
    Option<Vec<u8>>,
    Option<Vec<Option<String>>>,
    Option<(usize, usize, usize)>,
);

/// A copy that does not change with the arrays it was made from.
#[pyfunction]
pub fn hold(table: &Table) -> Table {
    let columns = table.columns.iter().map(|(field, cells)| {
        let column = cells.cut(table.all());
        (field.clone(), held(field, column))
    });
    Table {
        columns: Arc::new(columns.collect()),
        from: 0,
        rows: table.rows,
    }
}

/// Tables with the same columns, one below the other.
#[pyfunction]
pub fn joined(tables: Vec<Table>) -> PyResult<Table> {
    let Some(first) = tables.first() else {
        return Ok(Table::empty());
    };
    if let [only] = &tables[..] {
        return Ok(hold(only));
    }
    let rows = tables.iter().map(|table| table.rows).sum();
    let columns = first.columns.iter().enumerate().map(|(at, (field, _))| {
        let parts = tables.iter().map(|table| {
            let other = table.columns.get(at);
            let other = other.filter(|(other, _)| other.name == field.name);
            let (_, cells) = other.ok_or_else(|| {
                PyValueError::new_err(format!("a chunk lacks the column `{}`", field.name))
            })?;
            Ok(cells.cut(table.all()))
        });
        let column = join(field, parts.collect::<PyResult<Vec<_>>>()?)?;
        let kind = match &column {
            Column::Text(_) => Kind::Text,
            Column::Times(_) => Kind::Time,
            Column::Numbers(_) => Kind::Number,
            Column::Images(_) => field.kind,
        };
        let field = Field::new(&field.name, kind);
        let cells = held(&field, column);
        Ok((field, cells))
    });
    Table::of(columns.collect::<PyResult<_>>()?, rows)
}

/// All columns as plain values; `of_plain` makes a table of them again.
#[pyfunction]
pub fn plain(table: &Table, py: Python<'_>) -> Vec<Plain> {
    let columns = table.columns.iter().map(|(field, cells)| {
        let name = field.name.clone();
        let bytes = |bytes: Vec<u8>| Some(PyBytes::new(py, &bytes).unbind());
        match cells.cut(table.all()) {
            Column::Numbers(numbers) => {
                let values = (0..table.rows).flat_map(|row| numbers.get(row).to_ne_bytes());
                (name, "numbers", bytes(values.collect()), None, None)
            }
            Column::Times(times) => {
                let values = times.iter().map(|time| time.unwrap_or(i64::MIN));
                let values = values.flat_map(i64::to_ne_bytes);
                (name, "times", bytes(values.collect()), None, None)
            }
            Column::Text(texts) => {
                let texts = texts.iter().map(|text| text.map(String::from));
                (name, "texts", None, Some(texts.collect()), None)
            }
            Column::Images(values) => {
                let values = values.iter().flat_map(|value| value.to_ne_bytes());
                let shape = match field.kind {
                    Kind::Image(Shape::Image {
                        height,
                        width,
                        channels,
                    }) => Some((height, width, channels)),
                    _ => None,
                };
                (name, "images", bytes(values.collect()), None, shape)
            }
        }
    });
    columns.collect()
}

#[pyfunction]
pub fn of_plain(columns: Vec<Given>, rows: usize) -> PyResult<Table> {
    let columns = columns
        .into_iter()
        .map(|(name, what, bytes, texts, shape)| {
            let bytes = bytes.unwrap_or_default();
            let (kind, column) = match &*what {
                "numbers" => {
                    let values = eights(&bytes).map(f64::from_ne_bytes).collect();
                    (Kind::Number, Column::Numbers(Numbers::Double(values)))
                }
                "times" => {
                    let times = eights(&bytes).map(i64::from_ne_bytes);
                    let times = times.map(|time| (time != i64::MIN).then_some(time));
                    (Kind::Time, Column::Times(times.collect()))
                }
                "texts" => {
                    let texts = texts.unwrap_or_default();
                    let texts: Texts = texts.iter().map(Option::as_deref).collect();
                    (Kind::Text, Column::Text(texts))
                }
                _ => {
                    let values = bytes.chunks_exact(4);
                    let values = values.map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
                    let (height, width, channels) = shape.unwrap_or_default();
                    let shape = Shape::Image {
                        height,
                        width,
                        channels,
                    };
                    (Kind::Image(shape), Column::Images(values.collect()))
                }
            };
            let field = Field::new(name, kind);
            let length = match &column {
                Column::Numbers(numbers) => numbers.len(),
                Column::Times(times) => times.len(),
                Column::Text(texts) => texts.len(),
                Column::Images(values) => values.len() / width(&field).max(1),
            };
            if length != rows {
                let message = format!("column `{}` has {length} rows, not {rows}", field.name);
                return Err(PyValueError::new_err(message));
            }
            let cells = held(&field, column);
            Ok((field, cells))
        });
    Table::of(columns.collect::<PyResult<_>>()?, rows)
}

fn eights(bytes: &[u8]) -> impl Iterator<Item = [u8; 8]> + '_ {
    let eight = |bytes: &[u8]| bytes.try_into().unwrap_or_default();
    bytes.chunks_exact(8).map(eight)
}

fn held(field: &Field, column: Column) -> Cells {
    Cells::Held(Arc::new(column), width(field))
}

/// Columns of one kind; numbers beside text become text, as one table of both would have them.
fn join(field: &Field, parts: Vec<Column>) -> PyResult<Column> {
    let all = |is: fn(&Column) -> bool| parts.iter().all(is);
    let values = |column: &Column| match column {
        Column::Numbers(numbers) => (0..numbers.len()).map(|row| numbers.get(row)).collect(),
        _ => Vec::new(),
    };
    if all(|column| matches!(column, Column::Numbers(Numbers::Single(_)))) {
        let values = parts.iter().flat_map(values).map(|value| value as f32);
        return Ok(Column::Numbers(Numbers::Single(values.collect())));
    }
    if all(|column| matches!(column, Column::Numbers(_))) {
        let values = parts.iter().flat_map(values).collect();
        return Ok(Column::Numbers(Numbers::Double(values)));
    }
    let (mut texts, mut times, mut images) = (Texts::new(), vec![], vec![]);
    for part in &parts {
        match part {
            Column::Text(own) => own.iter().for_each(|text| texts.push(text)),
            Column::Numbers(_) => {
                for value in values(part) {
                    let text = (!value.is_nan()).then(|| value.to_string());
                    texts.push(text.as_deref());
                }
            }
            Column::Times(own) => times.extend_from_slice(own),
            Column::Images(own) => images.extend_from_slice(own),
        }
    }
    match (texts.is_empty(), times.is_empty(), images.is_empty()) {
        (_, true, true) => Ok(Column::Text(texts)),
        (true, _, true) => Ok(Column::Times(times)),
        (true, true, _) => Ok(Column::Images(images)),
        _ => Err(PyTypeError::new_err(format!(
            "column `{}` holds times in one chunk and something else in another",
            field.name
        ))),
    }
}

/// The period that each row falls into, counted from the moment (or number) `first`; without one, from the earliest row, which
/// is given back.
#[pyfunction]
#[pyo3(signature = (rows, column, every, first=None))]
pub fn periods(
    rows: &Table,
    column: &str,
    every: &str,
    first: Option<f64>,
) -> PyResult<(f64, Vec<i64>)> {
    let period: Period = every.parse().map_err(told)?;
    let missing =
        || PyValueError::new_err(format!("the stream has no column `{column}` for its times"));
    let mut columns = rows.columns.iter();
    let (_, cells) = columns
        .find(|(field, _)| field.name == column)
        .ok_or_else(missing)?;
    let fault = |row: usize| {
        PyValueError::new_err(format!("row {}, column `{column}`: is not a time", row + 1))
    };
    let times: Vec<Option<Time>> = match cells.cut(rows.all()) {
        Column::Times(times) => times
            .into_iter()
            .map(|time| time.map(Time::Moment))
            .collect(),
        Column::Numbers(numbers) => {
            let number = |row| Some(numbers.get(row)).filter(|value: &f64| value.is_finite());
            (0..rows.rows)
                .map(number)
                .map(|value| value.map(Time::Number))
                .collect()
        }
        Column::Text(texts) => {
            let moment = |text: Option<&str>| text.and_then(parse_moment).map(Time::Moment);
            texts.iter().map(moment).collect()
        }
        Column::Images(_) => return Err(fault(0)),
    };
    let known = times.iter().enumerate();
    let known = known.map(|(row, time)| time.ok_or_else(|| fault(row)));
    let times = known.collect::<PyResult<Vec<Time>>>()?;
    // Microseconds are exact in a float for some 280 years around 1970.
    let (number, moments) = match times.iter().min_by(|a, b| a.order(b)) {
        Some(Time::Number(value)) => (*value, false),
        Some(Time::Moment(value)) => (*value as f64, true),
        None => return Ok((first.unwrap_or_default(), vec![])),
    };
    let first = first.unwrap_or(number);
    let anchor = match moments {
        true => Time::Moment(first as i64),
        false => Time::Number(first),
    };
    let places = times.iter().enumerate();
    let places = places.map(|(row, time)| period.index(anchor, *time).ok_or_else(|| fault(row)));
    Ok((first, places.collect::<PyResult<_>>()?))
}

/// How the library writes the names of classes: two that come out the same are one class to it.
#[pyfunction]
pub fn class_names(names: Vec<String>) -> Vec<String> {
    names.iter().map(|name| class_name(name)).collect()
}
