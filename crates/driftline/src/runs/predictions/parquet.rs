//! Predictions as Parquet: text columns, then the class, then the probabilities in single precision; a row group a batch.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::{IdColumn, Labels, Probabilities};
use crate::{Error, Result};

pub(in super::super) struct ParquetSink<'a> {
    writer: SerializedFileWriter<&'a File>,
    path: &'a Path,
    classes: &'a [String],
}

impl<'a> ParquetSink<'a> {
    pub fn new(
        file: &'a File,
        path: &'a Path,
        names: &[String],
        classes: &'a [String],
    ) -> Result<Self> {
        let texts = names.len() - classes.len();
        let column = |(place, name): (usize, &String)| {
            let physical = if place < texts {
                Physical::BYTE_ARRAY
            } else {
                Physical::FLOAT
            };
            let logical = (place < texts).then_some(LogicalType::String);
            Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(logical)
                .build()
                .map(Arc::new)
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
        let mut texts: Vec<Vec<ByteArray>> = ids
            .iter()
            .map(|column| {
                column
                    .values
                    .iter()
                    .map(|v| ByteArray::from(&**v))
                    .collect()
            })
            .collect();
        texts.push(labels.as_slice().iter().map(class).collect());
        let mut group = self.writer.next_row_group()?;
        for values in &texts {
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<ByteArrayType>()
                    .write_batch(values, None, None)?;
                column.close()?;
            }
        }
        for class in 0..self.classes.len() {
            let values: Vec<f32> = probabilities.iter().map(|row| row[class]).collect();
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<FloatType>()
                    .write_batch(&values, None, None)?;
                column.close()?;
            }
        }
        group.close()?;
        Ok(())
    }

    pub fn finish(self) -> Result<()> {
        self.writer.close().map_err(fault(self.path))?;
        Ok(())
    }
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
