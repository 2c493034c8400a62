//! Requests and answers as Arrow IPC streams.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, Float32Array, OffsetSizeTrait, RecordBatch, StringArray,
};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use driftline_io::{Column, Numbers, Table, Texts};
use driftline_runs::{Appended, CLASS, ModelFile, probability_column};

use super::following;
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
    let schema = decoder
        .schema()
        .ok_or("is an Arrow IPC stream without a schema")?;
    let mut table = Table::new();
    for (at, field) in schema.fields().iter().enumerate() {
        let parts: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(at)).collect();
        let added = table.with_column(field.name(), column(field, &parts)?);
        table = added.map_err(|error| error.to_string())?;
    }
    Ok(table)
}

fn column(field: &Field, parts: &[&ArrayRef]) -> Result<Column, String> {
    let doubles = |values| Ok(Column::Numbers(Numbers::Double(values)));
    match field.data_type() {
        DataType::Float64 => doubles(numbers::<Float64Type, _>(parts, f64::NAN, |n| n)),
        DataType::Int64 => doubles(numbers::<Int64Type, _>(parts, f64::NAN, |n| n as f64)),
        DataType::Int32 => doubles(numbers::<Int32Type, _>(parts, f64::NAN, f64::from)),
        DataType::Float32 => {
            let values = numbers::<Float32Type, _>(parts, f32::NAN, |n| n);
            Ok(Column::Numbers(Numbers::Single(values)))
        }
        DataType::Utf8 => Ok(Column::Text(texts::<i32>(parts))),
        DataType::LargeUtf8 => Ok(Column::Text(texts::<i64>(parts))),
        other => Err(format!(
            "`{}` holds {other}; taken are float64, float32, int64, int32 and utf8",
            field.name()
        )),
    }
}

fn numbers<T: ArrowPrimitiveType, N: Copy>(
    parts: &[&ArrayRef],
    missing: N,
    number: fn(T::Native) -> N,
) -> Vec<N> {
    let values = parts
        .iter()
        .flat_map(|part| part.as_primitive::<T>().iter());
    values.map(|value| value.map_or(missing, number)).collect()
}

fn texts<O: OffsetSizeTrait>(parts: &[&ArrayRef]) -> Texts {
    let texts = parts.iter().flat_map(|part| part.as_string::<O>().iter());
    texts.collect()
}

fn text_of(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), String::from)
}

/// `class` and `p_NAME` for every row; the version, and what became of the rows in the log, stand in the metadata.
pub fn write(
    model_file: &ModelFile,
    predictions: &Predictions,
    logged: Option<&Appended>,
) -> Result<Vec<u8>, String> {
    let told = |error: arrow_schema::ArrowError| error.to_string();
    let classes = model_file.classes();
    let mut fields = vec![Field::new(CLASS, DataType::Utf8, false)];
    let labels = predictions.labels.as_slice().iter();
    let named = labels.map(|&class| &*classes[class as usize]);
    let mut columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from_iter_values(named))];
    for (at, class) in classes.iter().enumerate() {
        let name = probability_column(class);
        fields.push(Field::new(name, DataType::Float32, false));
        let rows = 0..predictions.labels.len();
        let values = rows.map(|row| predictions.probabilities.row(row)[at]);
        columns.push(Arc::new(Float32Array::from_iter_values(values)));
    }
    let version = ("version".to_owned(), model_file.number().to_string());
    let fate = logged.into_iter().flat_map(following::told);
    let fate = fate.map(|(name, value)| (name.to_owned(), text_of(&value)));
    let metadata = std::iter::once(version).chain(fate).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let batch = RecordBatch::try_new(schema.clone(), columns).map_err(told)?;
    let mut writer = StreamWriter::try_new(vec![], &schema).map_err(told)?;
    writer.write(&batch).map_err(told)?;
    writer.finish().map_err(told)?;
    writer.into_inner().map_err(told)
}
