//! Columns of an Arrow table as the library takes them, as the Parquet reader would: numbers, text, moments; nulls are
//! missing values; a dictionary is the text of its values.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, downcast_dictionary_array};
use arrow_schema::{DataType, TimeUnit};
use driftline_io::{Column, Field, Kind, Numbers, Texts};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::column::Cells;

/// The pieces of one column, and where each begins.
#[derive(Clone)]
pub struct Pieces {
    kind: Kind,
    single: bool,
    pieces: Arc<Vec<(usize, ArrayRef)>>,
}

/// All columns of a table, and how many rows there are.
pub fn columns(table: &Bound<'_, PyAny>) -> PyResult<(Vec<(Field, Cells)>, usize)> {
    let (schema, columns) = crate::kernels::columns(table)?;
    let mut all = vec![];
    let mut rows = 0;
    for (field, pieces) in schema.fields().iter().zip(columns) {
        let kind = kind(field.data_type()).ok_or_else(|| {
            let (name, kind) = (field.name(), in_words(field.data_type()));
            let help = "drop it, or convert it to numbers or text";
            PyTypeError::new_err(format!(
                "column `{name}` holds {kind}, which cannot be a feature; {help}"
            ))
        })?;
        rows = 0;
        let mut placed = vec![];
        for piece in pieces {
            let length = piece.len();
            placed.push((rows, piece));
            rows += length;
        }
        let pieces = Pieces {
            kind,
            single: is_single(field.data_type()),
            pieces: Arc::new(placed),
        };
        all.push((Field::new(field.name(), kind), Cells::Arrow(pieces)));
    }
    Ok((all, rows))
}

/// What a column holds that is no feature.
fn in_words(of: &DataType) -> String {
    let words = match of {
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => "lists",
        DataType::ListView(_) | DataType::LargeListView(_) => "lists",
        DataType::Struct(_) | DataType::Map(..) | DataType::Union(..) => {
            "several values in each row"
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "bytes",
        DataType::FixedSizeBinary(_) => "bytes",
        DataType::Duration(_) | DataType::Interval(_) => "durations",
        DataType::Time32(_) | DataType::Time64(_) => "times of day",
        DataType::Dictionary(_, values) => return format!("categories of {}", in_words(values)),
        other => return other.to_string().to_lowercase(),
    };
    words.to_owned()
}

fn kind(of: &DataType) -> Option<Kind> {
    Some(match of {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        // Categories are named by their text, also where they are numbers.
        DataType::Dictionary(_, values) => match kind(values)? {
            Kind::Text | Kind::Number => Kind::Text,
            _ => return None,
        },
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Kind::Time,
        DataType::Null | DataType::Boolean => Kind::Number,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Kind::Number,
        other if other.is_integer() || other.is_floating() => Kind::Number,
        _ => return None,
    })
}

/// Whether single precision loses nothing.
fn is_single(of: &DataType) -> bool {
    use DataType::{Boolean, Float16, Float32, Int8, Int16, UInt8, UInt16};
    matches!(
        of,
        Boolean | Float16 | Float32 | Int8 | Int16 | UInt8 | UInt16
    )
}

impl Pieces {
    pub fn cut(&self, rows: Range<usize>) -> Column {
        let parts = self.pieces.iter().filter_map(|(start, piece)| {
            let from = rows.start.max(*start);
            let to = rows.end.min(start + piece.len());
            (from < to).then(|| piece.slice(from - start, to - from))
        });
        match self.kind {
            Kind::Text => {
                let mut texts = Texts::new();
                parts.for_each(|part| add_texts(&part, &mut texts));
                Column::Text(texts)
            }
            Kind::Time => Column::Times(parts.flat_map(|part| times(&part)).collect()),
            _ if self.single => {
                let values = parts.flat_map(|part| numbers(&part));
                Column::Numbers(Numbers::Single(values.map(|value| value as f32).collect()))
            }
            _ => {
                let values = parts.flat_map(|part| numbers(&part));
                Column::Numbers(Numbers::Double(values.collect()))
            }
        }
    }
}

/// NaN where nothing is.
fn numbers(part: &ArrayRef) -> Vec<f64> {
    macro_rules! of {
        ($kind:ty, $number:expr) => {{
            let array = part.as_primitive::<$kind>();
            match array.null_count() {
                0 => array.values().iter().map(|&value| $number(value)).collect(),
                _ => array
                    .iter()
                    .map(|value| value.map_or(f64::NAN, $number))
                    .collect(),
            }
        }};
    }
    // As text, so that rounding happens once and is the nearest.
    macro_rules! decimal {
        ($kind:ty, $precision:expr, $scale:expr) => {{
            let text = |value| <$kind>::format_decimal(value, *$precision, *$scale);
            let number = |value| text(value).parse().unwrap_or(f64::NAN);
            let values = part.as_primitive::<$kind>().iter();
            values.map(|value| value.map_or(f64::NAN, number)).collect()
        }};
    }
    match part.data_type() {
        DataType::Decimal32(precision, scale) => decimal!(Decimal32Type, precision, scale),
        DataType::Decimal64(precision, scale) => decimal!(Decimal64Type, precision, scale),
        DataType::Decimal128(precision, scale) => decimal!(Decimal128Type, precision, scale),
        DataType::Decimal256(precision, scale) => decimal!(Decimal256Type, precision, scale),
        DataType::Int8 => of!(Int8Type, f64::from),
        DataType::Int16 => of!(Int16Type, f64::from),
        DataType::Int32 => of!(Int32Type, f64::from),
        DataType::Int64 => of!(Int64Type, |value| value as f64),
        DataType::UInt8 => of!(UInt8Type, f64::from),
        DataType::UInt16 => of!(UInt16Type, f64::from),
        DataType::UInt32 => of!(UInt32Type, f64::from),
        DataType::UInt64 => of!(UInt64Type, |value| value as f64),
        DataType::Float16 => of!(Float16Type, f64::from),
        DataType::Float32 => of!(Float32Type, f64::from),
        DataType::Float64 => of!(Float64Type, |value| value),
        DataType::Boolean => {
            let number = |value| if value { 1.0 } else { 0.0 };
            let values = part.as_boolean().iter();
            values.map(|value| value.map_or(f64::NAN, number)).collect()
        }
        _ => vec![f64::NAN; part.len()],
    }
}

fn add_texts(part: &ArrayRef, texts: &mut Texts) {
    match part.data_type() {
        DataType::Utf8 => add_all(texts, part.as_string::<i32>().iter()),
        DataType::LargeUtf8 => add_all(texts, part.as_string::<i64>().iter()),
        DataType::Utf8View => add_all(texts, part.as_string_view().iter()),
        _ => {
            downcast_dictionary_array! {
                part => {
                    let values = names(part.values());
                    for key in part.keys_iter() {
                        texts.push(key.and_then(|key| values[key].as_deref()));
                    }
                },
                _ => (0..part.len()).for_each(|_| texts.push(None)),
            }
        }
    }
}

fn add_all<'a>(texts: &mut Texts, more: impl Iterator<Item = Option<&'a str>>) {
    more.for_each(|text| texts.push(text));
}

/// The values of a dictionary as text: numbers as they would be written.
fn names(values: &ArrayRef) -> Vec<Option<String>> {
    match kind(values.data_type()) {
        Some(Kind::Number) => {
            let name = |value: f64| (!value.is_nan()).then(|| value.to_string());
            numbers(values).into_iter().map(name).collect()
        }
        _ => {
            let mut texts = Texts::new();
            add_texts(values, &mut texts);
            texts.iter().map(|text| text.map(String::from)).collect()
        }
    }
}

/// Microseconds since 1970.
fn times(part: &ArrayRef) -> Vec<Option<i64>> {
    macro_rules! of {
        ($kind:ty, $micros:expr) => {{
            let values = part.as_primitive::<$kind>().iter();
            values.map(|value| value.map($micros)).collect()
        }};
    }
    const DAY: i64 = 86_400_000_000;
    match part.data_type() {
        DataType::Date32 => of!(Date32Type, |days| i64::from(days) * DAY),
        DataType::Date64 => of!(Date64Type, |millis| millis.saturating_mul(1000)),
        DataType::Timestamp(TimeUnit::Second, _) => {
            of!(TimestampSecondType, |time| time.saturating_mul(1_000_000))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            of!(TimestampMillisecondType, |time| time.saturating_mul(1000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => of!(TimestampMicrosecondType, |time| time),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            of!(TimestampNanosecondType, |time| time.div_euclid(1000))
        }
        _ => vec![None; part.len()],
    }
}
