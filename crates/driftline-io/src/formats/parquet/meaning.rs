//! What the values of a Parquet column mean, from its physical, logical and old "converted" type.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

use crate::{Kind, StoredType};

/// How stored values become ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Number {
        signed: bool,
        as_text: bool,
    },
    /// An integer, or the bytes of one, that is to be divided by this.
    Decimal {
        divisor: f64,
    },
    Half,
    Text,
    /// Days since 1970.
    Date,
    /// Ticks since 1970, so many a second.
    Moment {
        per_second: i64,
    },
}

impl Meaning {
    /// None for columns that cannot be features, labels or times: lists, and bytes that are neither text nor numbers.
    pub fn of(column: &ColumnDescriptor, as_text: bool) -> Option<Self> {
        if column.max_rep_level() > 0 {
            return None;
        }
        let per_second = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        };
        let number = |signed| Meaning::Number { signed, as_text };
        let decimal = |scale: i32| Meaning::Decimal {
            divisor: 10f64.powi(scale.clamp(0, 300)),
        };
        let physical = column.physical_type();
        let integer = matches!(physical, Type::INT32 | Type::INT64);
        let bytes = matches!(physical, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        Some(match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Decimal(kind)), _) if integer || bytes => decimal(kind.scale),
            (None, ConvertedType::DECIMAL) if integer || bytes => decimal(column.type_scale()),
            (Some(LogicalType::Date), _) | (None, ConvertedType::DATE)
                if physical == Type::INT32 =>
            {
                Meaning::Date
            }
            (Some(LogicalType::Timestamp(kind)), _) if physical == Type::INT64 => Meaning::Moment {
                per_second: per_second(&kind.unit),
            },
            (None, ConvertedType::TIMESTAMP_MILLIS) if physical == Type::INT64 => {
                Meaning::Moment { per_second: 1_000 }
            }
            (None, ConvertedType::TIMESTAMP_MICROS) if physical == Type::INT64 => Meaning::Moment {
                per_second: 1_000_000,
            },
            (Some(LogicalType::Integer(kind)), _) if integer => number(kind.is_signed),
            (
                None,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
            ) if integer => number(false),
            (Some(LogicalType::Float16), _) if physical == Type::FIXED_LEN_BYTE_ARRAY => {
                Meaning::Half
            }
            (Some(LogicalType::Bson | LogicalType::Uuid), _) => return None,
            _ => match physical {
                Type::BYTE_ARRAY => Meaning::Text,
                Type::FIXED_LEN_BYTE_ARRAY => return None,
                // The old way to store moments.
                Type::INT96 => Meaning::Moment {
                    per_second: 1_000_000,
                },
                _ => number(true),
            },
        })
    }

    pub fn kind(self) -> Kind {
        match self {
            Meaning::Number { as_text: true, .. } | Meaning::Text => Kind::Text,
            Meaning::Date | Meaning::Moment { .. } => Kind::Time,
            _ => Kind::Number,
        }
    }
}

/// What a column's values would have to be written as to stay what they are. Beyond 63 bits that is text.
pub(super) fn stored_as(column: &ColumnDescriptor) -> StoredType {
    match (Meaning::of(column, false), column.physical_type()) {
        (Some(Meaning::Number { signed: true, .. }), Type::INT32 | Type::INT64) => {
            StoredType::Whole
        }
        (Some(Meaning::Number { .. }), Type::INT32) => StoredType::Whole,
        (Some(Meaning::Number { .. }), Type::FLOAT | Type::DOUBLE) => StoredType::Number,
        (Some(Meaning::Decimal { .. } | Meaning::Half), _) => StoredType::Number,
        (Some(Meaning::Date | Meaning::Moment { .. }), _) => StoredType::Moment,
        _ => StoredType::Text,
    }
}
