//! Predictions as Parquet: the columns passed through in the types that they had, then the class, then the probabilities in single precision; a row group a batch.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::{IdColumn, Labels, Probabilities};
use driftline_core::{Error, Result};
use driftline_io::StoredType;
pub use driftline_io::time::parse_moment;

pub struct ParquetSink<'a> {
    writer: SerializedFileWriter<&'a File>,
    path: &'a Path,
    classes: &'a [String],
    /// Of the columns that are passed through.
    types: Vec<StoredType>,
}

impl<'a> ParquetSink<'a> {
    pub fn new(
        file: &'a File,
        path: &'a Path,
        names: &[String],
        types: Vec<StoredType>,
        classes: &'a [String],
    ) -> Result<Self> {
        let column = |(place, name): (usize, &String)| {
            let build = |physical| Type::primitive_type_builder(name, physical);
            let optional = |physical| build(physical).with_repetition(Repetition::OPTIONAL);
            let required = |physical| build(physical).with_repetition(Repetition::REQUIRED);
            let class = StoredType::Text;
            let passed = types
                .get(place)
                .or((place == types.len()).then_some(&class));
            let column = match passed {
                Some(StoredType::Text) => {
                    required(Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String))
                }
                Some(StoredType::Whole) => optional(Physical::INT64),
                Some(StoredType::Number) => optional(Physical::DOUBLE),
                Some(StoredType::Moment) => {
                    optional(Physical::INT64).with_converted_type(ConvertedType::TIMESTAMP_MICROS)
                }
                None => required(Physical::FLOAT),
            };
            column.build().map(Arc::new)
        };
        let columns = names
            .iter()
            .enumerate()
            .map(column)
            .collect::<Result<Vec<_>, _>>()
            .map_err(fault(path))?;
        let schema = Type::group_type_builder("predictions")
            .with_fields(columns)
            .build()
            .map_err(fault(path))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(fault(path))?;
        Ok(Self {
            writer,
            path,
            classes,
            types,
        })
    }

    pub fn write(
        &mut self,
        ids: &[IdColumn],
        labels: &Labels,
        probabilities: &Probabilities,
    ) -> Result<()> {
        self.write_group(ids, labels, probabilities)
            .map_err(fault(self.path))
    }

    fn write_group(
        &mut self,
        ids: &[IdColumn],
        labels: &Labels,
        probabilities: &Probabilities,
    ) -> Result<(), ParquetError> {
        let class = |&label: &u32| ByteArray::from(&*self.classes[label as usize]);
        let mut group = self.writer.next_row_group()?;
        for (id, stored) in ids.iter().zip(&self.types) {
            match stored {
                StoredType::Text => {
                    let texts = id.values.iter().map(|value| ByteArray::from(&**value));
                    let texts: Vec<ByteArray> = texts.collect();
                    write::<ByteArrayType>(&mut group, &texts, None)?;
                }
                StoredType::Whole => typed::<Int64Type>(&mut group, id, |text| text.parse().ok())?,
                StoredType::Number => {
                    typed::<DoubleType>(&mut group, id, |text| text.parse().ok())?
                }
                StoredType::Moment => typed::<Int64Type>(&mut group, id, parse_moment)?,
            }
        }
        let labels: Vec<ByteArray> = labels.as_slice().iter().map(class).collect();
        write::<ByteArrayType>(&mut group, &labels, None)?;
        for class in 0..self.classes.len() {
            let values: Vec<f32> = probabilities.iter().map(|row| row[class]).collect();
            write::<FloatType>(&mut group, &values, None)?;
        }
        group.close()?;
        Ok(())
    }

    pub fn finish(self) -> Result<()> {
        self.writer.close().map_err(fault(self.path))?;
        Ok(())
    }
}

/// A column whose missing values are empty texts.
fn typed<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &File>,
    id: &IdColumn,
    read: impl Fn(&str) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let there = |text: &&String| !text.is_empty();
    let values = id.values.iter().filter(there).map(|text| {
        let wrong = || ParquetError::General(format!("`{text}` in column `{}`", id.name));
        read(text).ok_or_else(wrong)
    });
    let values = values.collect::<Result<Vec<T::T>, _>>()?;
    let levels: Vec<i16> = id
        .values
        .iter()
        .map(|text| i16::from(!text.is_empty()))
        .collect();
    write::<T>(group, &values, Some(&levels))
}

fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

/// A full disk stays recognisable as what it is.
fn fault(path: &Path) -> impl Fn(ParquetError) -> Error {
    move |error| match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => Error::io(path)(*error),
            Err(other) => Error::corrupt(path, format!("cannot be written: {other}")),
        },
        other => Error::corrupt(path, format!("cannot be written: {other}")),
    }
}
