//! One column, wherever it lies.

use std::ops::Range;
use std::sync::Arc;

use driftline_io::{Column, Numbers, Texts};

use super::arrow::Pieces;
use crate::kernels::Strided;

/// Where the values of a column are.
#[derive(Clone)]
pub enum Cells {
    /// One column of an array.
    Array(Lent, usize),
    Images(Arc<Strided<f32>>),
    /// Numbers of names.
    Names(Arc<(Vec<u32>, Vec<String>)>),
    Texts(Arc<Vec<Option<String>>>),
    Arrow(Pieces),
}

/// An array of numpy's.
#[derive(Clone)]
pub enum Lent {
    Single(Arc<Strided<f32>>),
    Double(Arc<Strided<f64>>),
}

impl Cells {
    /// The values of some rows, copied out.
    pub fn cut(&self, rows: Range<usize>) -> Column {
        match self {
            Cells::Array(Lent::Single(array), at) => {
                Column::Numbers(Numbers::Single(array.column(*at, rows)))
            }
            Cells::Array(Lent::Double(array), at) => {
                Column::Numbers(Numbers::Double(array.column(*at, rows)))
            }
            Cells::Images(array) => Column::Images(array.rows(rows)),
            Cells::Names(named) => {
                let (codes, names) = &**named;
                let texts = codes[rows].iter().map(|&code| Some(&*names[code as usize]));
                Column::Text(texts.collect())
            }
            Cells::Texts(texts) => {
                let texts: Texts = texts[rows].iter().map(Option::as_deref).collect();
                Column::Text(texts)
            }
            Cells::Arrow(pieces) => pieces.cut(rows),
        }
    }
}
