//! One column, wherever it lies.

use std::ops::Range;
use std::sync::Arc;

use driftline_io::{Column, Numbers, Texts};

use super::arrow::Pieces;
use crate::kernels::Strided;

/// Where the values of a column are.
#[derive(Clone)]
pub enum Cells {
    /// One column of an array of numpy's.
    Array(Arc<dyn Lent>, usize),
    Images(Arc<Strided<f32>>),
    /// Places in a list of texts; −1 where nothing is.
    Coded(Arc<(Strided<i64>, Vec<String>)>),
    /// Microseconds since 1970; the lowest number where nothing is.
    Times(Arc<Strided<i64>>),
    Texts(Arc<Vec<Option<String>>>),
    Arrow(Pieces),
    /// A copy, because its owner may change the original; with the numbers of one row, which are several in images.
    Held(Arc<Column>, usize),
}

/// Numbers of somebody else's.
pub trait Lent: Send + Sync {
    fn column(&self, at: usize, rows: Range<usize>) -> Numbers;
}

/// Single precision where it loses nothing.
macro_rules! lent {
    ($($of:ty => $kind:ident($number:ty)),*) => {$(
        impl Lent for Strided<$of> {
            fn column(&self, at: usize, rows: Range<usize>) -> Numbers {
                let values = self.column(at, rows).into_iter();
                Numbers::$kind(values.map(|value| value as $number).collect())
            }
        }
    )*};
}

lent!(
    f32 => Single(f32), i8 => Single(f32), u8 => Single(f32), i16 => Single(f32), u16 => Single(f32),
    f64 => Double(f64), i32 => Double(f64), u32 => Double(f64), i64 => Double(f64), u64 => Double(f64)
);

impl Cells {
    /// The values of some rows, copied out.
    pub fn cut(&self, rows: Range<usize>) -> Column {
        match self {
            Cells::Array(array, at) => Column::Numbers(array.column(*at, rows)),
            Cells::Images(array) => Column::Images(array.rows(rows)),
            Cells::Coded(coded) => {
                let (codes, names) = &**coded;
                let name = |code: i64| usize::try_from(code).ok().map(|at| &*names[at]);
                let texts: Texts = codes.column(0, rows).into_iter().map(name).collect();
                Column::Text(texts)
            }
            Cells::Times(array) => {
                let moment = |time: i64| (time != i64::MIN).then_some(time);
                Column::Times(array.column(0, rows).into_iter().map(moment).collect())
            }
            Cells::Texts(texts) => {
                let texts: Texts = texts[rows].iter().map(Option::as_deref).collect();
                Column::Text(texts)
            }
            Cells::Arrow(pieces) => pieces.cut(rows),
            Cells::Held(column, width) => part(column, *width, rows),
        }
    }
}

fn part(column: &Column, width: usize, rows: Range<usize>) -> Column {
    match column {
        Column::Numbers(Numbers::Single(values)) => {
            Column::Numbers(Numbers::Single(values[rows].to_vec()))
        }
        Column::Numbers(Numbers::Double(values)) => {
            Column::Numbers(Numbers::Double(values[rows].to_vec()))
        }
        Column::Times(times) => Column::Times(times[rows].to_vec()),
        Column::Text(texts) => Column::Text(rows.map(|row| texts.get(row)).collect()),
        Column::Images(values) => {
            Column::Images(values[rows.start * width..rows.end * width].to_vec())
        }
    }
}
