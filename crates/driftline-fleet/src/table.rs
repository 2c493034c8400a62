//! The rows of a fleet as a table for other software: JSON, and Parquet where the build has it.

use std::path::Path;

use super::row::{StreamRow, Tally};
use driftline_core::Result;
use driftline_core::files::write_whole;
use serde_json::{Value, json};

/// Counts and a row for every stream, as `--json` prints them.
pub fn fleet_json(folder: &Path, rows: &[StreamRow]) -> Value {
    let mut told = json!(Tally::of(rows));
    told["fleet"] = json!(folder);
    told["rows"] = json!(rows);
    told
}

/// Writes `streams.json`, and `streams.parquet` beside it.
pub fn write_fleet_tables(folder: &Path, rows: &[StreamRow]) -> Result<()> {
    let json = fleet_json(folder, rows).to_string() + "\n";
    write_whole(&folder.join("streams.json"), json.as_bytes())?;
    #[cfg(feature = "parquet")]
    parquet_table::write(&folder.join("streams.parquet"), rows)?;
    Ok(())
}

#[cfg(feature = "parquet")]
mod parquet_table {
    use std::sync::Arc;

    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
    use parquet::errors::ParquetError;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use parquet::schema::types::Type;

    use super::{Path, Result, StreamRow};
    use driftline_core::Error;
    use driftline_core::files::write_with;

    enum Values {
        Text(fn(&StreamRow) -> Option<String>),
        Whole(fn(&StreamRow) -> usize),
        Number(fn(&StreamRow) -> Option<f64>),
    }

    fn columns() -> Vec<(&'static str, Values)> {
        use Values::{Number, Text, Whole};
        vec![
            ("key", Text(|row| Some(row.key.clone()))),
            ("state", Text(|row| Some(row.state.name().into()))),
            ("error", Text(|row| row.error.clone())),
            ("windows", Whole(|row| row.windows)),
            ("planned", Whole(|row| row.planned)),
            ("rows", Whole(|row| row.rows)),
            ("version", Whole(|row| row.version)),
            (
                "action",
                Text(|row| Some(row.action.as_ref()?.task().name().into())),
            ),
            ("accuracy", Number(|row| Some(row.in_use?.value))),
            ("accuracy_low", Number(|row| Some(row.in_use?.low))),
            ("accuracy_high", Number(|row| Some(row.in_use?.high))),
            ("served", Number(|row| Some(row.served?.value))),
            ("served_low", Number(|row| Some(row.served?.low))),
            ("served_high", Number(|row| Some(row.served?.high))),
            ("unadapted", Number(|row| Some(row.unadapted?.value))),
            ("by", Text(|row| word(row.in_use?.by))),
            ("effect", Text(|row| word(row.effect?))),
            ("drift", Number(|row| row.drift)),
            ("flips", Number(|row| row.flips)),
            ("reason", Text(|row| row.reason.clone())),
            ("decisions", Text(|row| Some(row.decisions.clone()))),
        ]
    }

    /// As JSON names it.
    fn word(own: impl serde::Serialize) -> Option<String> {
        let value = serde_json::to_value(own).ok()?;
        value.as_str().map(String::from)
    }

    pub fn write(path: &Path, rows: &[StreamRow]) -> Result<()> {
        let fault = |error: ParquetError| Error::io(path)(std::io::Error::other(error));
        write_with(path, |file| {
            let columns = columns();
            let field = |(name, values): &(&str, Values)| {
                let physical = match values {
                    Values::Text(_) => Physical::BYTE_ARRAY,
                    Values::Whole(_) => Physical::INT64,
                    Values::Number(_) => Physical::DOUBLE,
                };
                let logical = matches!(values, Values::Text(_)).then_some(LogicalType::String);
                let field = Type::primitive_type_builder(name, physical)
                    .with_repetition(Repetition::OPTIONAL)
                    .with_logical_type(logical);
                field.build().map(Arc::new)
            };
            let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>();
            let schema = Type::group_type_builder("streams")
                .with_fields(fields.map_err(fault)?)
                .build()
                .map_err(fault)?;
            let properties = Arc::new(WriterProperties::builder().build());
            let writer = SerializedFileWriter::new(file, Arc::new(schema), properties);
            fill(writer.map_err(fault)?, &columns, rows).map_err(fault)
        })
    }

    fn fill(
        mut writer: SerializedFileWriter<&std::fs::File>,
        columns: &[(&str, Values)],
        rows: &[StreamRow],
    ) -> Result<(), ParquetError> {
        let mut group = writer.next_row_group()?;
        for (_, values) in columns {
            let Some(mut column) = group.next_column()? else {
                break;
            };
            match values {
                Values::Text(pick) => {
                    let text = |row| pick(row).map(|text| ByteArray::from(&*text));
                    put::<ByteArrayType>(&mut column, rows.iter().map(text))?;
                }
                Values::Whole(pick) => {
                    put::<Int64Type>(&mut column, rows.iter().map(|row| Some(pick(row) as i64)))?;
                }
                Values::Number(pick) => put::<DoubleType>(&mut column, rows.iter().map(pick))?,
            }
            column.close()?;
        }
        group.close()?;
        writer.close()?;
        Ok(())
    }

    /// The values of a column, none where something is missing.
    fn put<T: DataType>(
        column: &mut SerializedColumnWriter<'_>,
        values: impl Iterator<Item = Option<T::T>>,
    ) -> Result<(), ParquetError> {
        let all: Vec<Option<T::T>> = values.collect();
        let there: Vec<i16> = all.iter().map(|v| i16::from(v.is_some())).collect();
        let all: Vec<T::T> = all.into_iter().flatten().collect();
        let column = column.typed::<T>();
        column.write_batch(&all, Some(&there), None).map(drop)
    }
}
