//! The values of one column chunk, decoded in batches and brought to our columns.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, Int96};

use super::meaning::Meaning;
use crate::elements::half;
use crate::{Column, Numbers, Texts};

/// What is said of texts that are none.
pub(super) const RAW_BYTES: &str = "holds bytes that are not UTF-8";

/// Integers up to here, of either sign, are exact in single precision.
const EXACT: i64 = 1 << 24;

/// What went wrong, and in which row of the batch if that is known.
type Fault = (Option<usize>, String);

/// A column chunk being read.
pub(super) struct Decoder {
    reader: ColumnReader,
    meaning: Meaning,
    /// The definition level of a value that is there.
    present: i16,
}

impl Decoder {
    pub fn new(reader: ColumnReader, meaning: Meaning, present: i16) -> Self {
        Self {
            reader,
            meaning,
            present,
        }
    }

    /// The next `rows` values, which must be there.
    pub fn read(&mut self, rows: usize) -> Result<Column, Fault> {
        let (meaning, present) = (self.meaning, self.present);
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                Ok(match meaning {
                    Meaning::Number { as_text: true, .. } => {
                        text(&batch, |value| Some(value.to_string()))
                    }
                    _ => singles(&batch, |&value| f32::from(u8::from(value))),
                })
            }
            ColumnReader::Int32ColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                match meaning {
                    Meaning::Date => Ok(times(&batch, |&days| {
                        Some(i64::from(days) * 86_400_000_000)
                    })),
                    Meaning::Number { signed: false, .. } => {
                        integers(&batch, meaning, |&value| i64::from(value as u32))
                    }
                    _ => integers(&batch, meaning, |&value| i64::from(value)),
                }
            }
            ColumnReader::Int64ColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                match meaning {
                    Meaning::Moment { per_second } => Ok(times(&batch, |&tick| {
                        let micros = i128::from(tick) * 1_000_000 / i128::from(per_second);
                        i64::try_from(micros).ok()
                    })),
                    Meaning::Number {
                        signed: false,
                        as_text,
                    } if batch.values.iter().any(|&value| value < 0) => Ok(if as_text {
                        text(&batch, |&value| Some((value as u64).to_string()))
                    } else {
                        doubles(&batch, |&value| value as u64 as f64)
                    }),
                    _ => integers(&batch, meaning, |&value| value),
                }
            }
            ColumnReader::Int96ColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                Ok(times(&batch, |moment: &Int96| Some(moment.to_micros())))
            }
            ColumnReader::FloatColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                Ok(match meaning {
                    Meaning::Number { as_text: true, .. } => {
                        text(&batch, |value| (!value.is_nan()).then(|| value.to_string()))
                    }
                    _ => singles(&batch, |&value| value),
                })
            }
            ColumnReader::DoubleColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                Ok(match meaning {
                    Meaning::Number { as_text: true, .. } => {
                        text(&batch, |value| (!value.is_nan()).then(|| value.to_string()))
                    }
                    _ if batch.values.iter().all(|&value| is_single(value)) => {
                        singles(&batch, |&value| value as f32)
                    }
                    _ if batch.rows.is_none() => Column::Numbers(Numbers::Double(batch.values)),
                    _ => doubles(&batch, |&value| value),
                })
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                bytes(&batch, meaning, |value| value.data())
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                let batch = Batch::read(reader, rows, present)?;
                bytes(&batch, meaning, |value| value.data())
            }
        }
    }
}

/// Values that are there, and which rows have them (none: all).
struct Batch<T> {
    values: Vec<T>,
    rows: Option<Vec<bool>>,
}

impl<T> Batch<T> {
    fn read<D: DataType<T = T>>(
        reader: &mut ColumnReaderImpl<D>,
        rows: usize,
        present: i16,
    ) -> Result<Self, Fault> {
        let mut values = Vec::with_capacity(rows);
        let mut levels = match present {
            0 => vec![],
            _ => Vec::with_capacity(rows),
        };
        let (records, found, _) = reader
            .read_records(rows, Some(&mut levels), None, &mut values)
            .map_err(|error| (None, format!("cannot be decoded ({error})")))?;
        if records < rows {
            return Err((
                Some(records),
                "the column ends before the rows that its row group announces".into(),
            ));
        }
        if found == rows {
            return Ok(Self { values, rows: None });
        }
        let there: Vec<bool> = levels.iter().map(|&level| level == present).collect();
        let count = there.iter().filter(|&&there| there).count();
        if count != values.len() || there.len() != rows {
            return Err((None, "its values and their levels differ in number".into()));
        }
        Ok(Self {
            values,
            rows: Some(there),
        })
    }

    /// One result per row.
    fn map<'a, U: Clone>(&'a self, convert: impl Fn(&'a T) -> U, missing: U) -> Vec<U> {
        match &self.rows {
            None => self.values.iter().map(convert).collect(),
            Some(rows) => {
                let mut values = self.values.iter();
                rows.iter()
                    .map(|&there| match there.then(|| values.next()).flatten() {
                        Some(value) => convert(value),
                        None => missing.clone(),
                    })
                    .collect()
            }
        }
    }
}

fn integers<T>(
    batch: &Batch<T>,
    meaning: Meaning,
    value: impl Fn(&T) -> i64,
) -> Result<Column, Fault> {
    Ok(match meaning {
        Meaning::Number { as_text: true, .. } => text(batch, |v| Some(value(v).to_string())),
        Meaning::Decimal { divisor } => doubles(batch, |v| value(v) as f64 / divisor),
        _ if batch
            .values
            .iter()
            .all(|v| (-EXACT..=EXACT).contains(&value(v))) =>
        {
            // Through 32 bits, which processors convert faster.
            singles(batch, |v| value(v) as i32 as f32)
        }
        _ => doubles(batch, |v| value(v) as f64),
    })
}

fn doubles<T>(batch: &Batch<T>, value: impl Fn(&T) -> f64) -> Column {
    Column::Numbers(Numbers::Double(batch.map(value, f64::NAN)))
}

fn times<T>(batch: &Batch<T>, micros: impl Fn(&T) -> Option<i64>) -> Column {
    Column::Times(batch.map(micros, None))
}

fn singles<T>(batch: &Batch<T>, value: impl Fn(&T) -> f32) -> Column {
    Column::Numbers(Numbers::Single(batch.map(value, f32::NAN)))
}

fn text<T>(batch: &Batch<T>, shown: impl Fn(&T) -> Option<String>) -> Column {
    let all = batch.map(shown, None);
    Column::Text(all.iter().map(Option::as_deref).collect())
}

fn bytes<T>(
    batch: &Batch<T>,
    meaning: Meaning,
    data: impl Fn(&T) -> &[u8],
) -> Result<Column, Fault> {
    match meaning {
        Meaning::Half => {
            let bits = |value: &T| match data(value) {
                &[low, high] => half(u16::from_le_bytes([low, high])),
                _ => f32::NAN,
            };
            Ok(singles(batch, bits))
        }
        Meaning::Decimal { divisor } => {
            // A big-endian integer in two's complement.
            let value = |value: &T| {
                let bytes = data(value);
                let negative = bytes.first().is_some_and(|&b| b >= 0x80);
                let start = if negative { -1.0 } else { 0.0 };
                bytes
                    .iter()
                    .fold(start, |sum, &b| sum * 256.0 + f64::from(b))
                    / divisor
            };
            Ok(doubles(batch, value))
        }
        _ => {
            let mut texts = Texts::new();
            for (row, value) in batch
                .map(|value| Some(data(value)), None)
                .iter()
                .enumerate()
            {
                let text = value.map(std::str::from_utf8).transpose();
                let text = text.map_err(|_| (Some(row), RAW_BYTES.into()))?;
                texts.push(text.map(str::trim).filter(|text| !text.is_empty()));
            }
            Ok(Column::Text(texts))
        }
    }
}

/// Whether nothing is lost in single precision.
fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value || value.is_nan()
}
