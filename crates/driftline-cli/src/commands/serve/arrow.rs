//! Requests and answers as Arrow IPC streams.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use driftline::reading::{Column, Numbers, Table, Texts};
use driftline::runs::{Bundle, CLASS, probability_column};

use super::table::Predictions;

/// The content type.
pub const TYPE: &str = "application/vnd.apache.arrow.stream";

/// The table that a request holds; the message says what is wrong with it.
pub fn read(body: &[u8]) -> Result<Table, String> {
    // The decoder is somebody else's: whatever it makes of damaged bytes ends with this request.
    let read = std::panic::catch_unwind(|| batches(body));
    read.unwrap_or_else(|_| Err("is not an Arrow IPC stream".into()))
}

fn batches(body: &[u8]) -> Result<Table, String> {
    let told = |error: arrow_schema::ArrowError| format!("is not an Arrow IPC stream: {error}");
    // A reader would make room for what a damaged length claims; this one takes what is there.
    let (mut decoder, mut rest) = (StreamDecoder::new(), Buffer::from(body));
    let mut batches: Vec<RecordBatch> = vec![];
    while !rest.is_empty() {
        batches.extend(decoder.decode(&mut rest).map_err(told)?);
    }
    decoder.finish().map_err(told)?;
    let Some(schema) = decoder.schema() else {
        return Err("is an Arrow IPC stream without a schema".into());
    };
    schema
        .fields()
        .iter()
        .enumerate()
        .try_fold(Table::new(), |table, (at, field)| {
            let parts: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(at)).collect();
            let column = column(field, &parts)?;
            let added = table.with_column(field.name(), column);
            added.map_err(|error| error.to_string())
        })
}

fn column(field: &Field, parts: &[&ArrayRef]) -> Result<Column, String> {
    macro_rules! numbers {
        ($kind:ty) => {{
            let values = parts
                .iter()
                .flat_map(|part| part.as_primitive::<$kind>().iter());
            let number = |value: Option<_>| value.map_or(f64::NAN, |value| value as f64);
            Ok(Column::Numbers(Numbers::Double(
                values.map(number).collect(),
            )))
        }};
    }
    match field.data_type() {
        DataType::Float64 => numbers!(Float64Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Float32 => {
            let values = parts
                .iter()
                .flat_map(|part| part.as_primitive::<Float32Type>().iter());
            let values = values.map(|value| value.unwrap_or(f32::NAN)).collect();
            Ok(Column::Numbers(Numbers::Single(values)))
        }
        DataType::Utf8 => {
            let texts: Texts = parts
                .iter()
                .flat_map(|part| part.as_string::<i32>().iter())
                .collect();
            Ok(Column::Text(texts))
        }
        DataType::LargeUtf8 => {
            let texts: Texts = parts
                .iter()
                .flat_map(|part| part.as_string::<i64>().iter())
                .collect();
            Ok(Column::Text(texts))
        }
        other => Err(format!(
            "`{}` holds {other}; taken are float64, float32, int64, int32 and utf8",
            field.name()
        )),
    }
}

/// `class` and `p_NAME` for every row; the version stands in the metadata.
pub fn write(bundle: &Bundle, predictions: &Predictions) -> Result<Vec<u8>, String> {
    let told = |error: arrow_schema::ArrowError| error.to_string();
    let classes = bundle.classes();
    let mut fields = vec![Field::new(CLASS, DataType::Utf8, false)];
    let named = predictions
        .labels
        .as_slice()
        .iter()
        .map(|&class| &*classes[class as usize]);
    let mut columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from_iter_values(named))];
    for (at, class) in classes.iter().enumerate() {
        fields.push(Field::new(
            probability_column(class),
            DataType::Float32,
            false,
        ));
        let rows = 0..predictions.labels.len();
        let values = rows.map(|row| predictions.probabilities.row(row)[at]);
        columns.push(Arc::new(Float32Array::from_iter_values(values)));
    }
    let version = ("version".to_owned(), bundle.number().to_string());
    let schema = Arc::new(Schema::new_with_metadata(fields, [version].into()));
    let batch = RecordBatch::try_new(schema.clone(), columns).map_err(told)?;
    let mut writer = StreamWriter::try_new(vec![], &schema).map_err(told)?;
    writer.write(&batch).map_err(told)?;
    writer.finish().map_err(told)?;
    writer.into_inner().map_err(told)
}
