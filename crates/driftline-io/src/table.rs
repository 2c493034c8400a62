//! A table in memory: arrays that go in where files do, with the same encoding, checks and identity.

use std::sync::Arc;

use super::{Batch, Batches, Column, Field, Head, Kind, Numbers, ReadOptions, TableSource, Texts};
use driftline_core::data::{Inputs, Shape};
use driftline_core::{Error, Result};

/// What stands in messages and records where a file would be named.
pub(super) const MEMORY: &str = "memory";

/// Named columns of one length.
#[derive(Clone, Debug, Default)]
pub struct Table {
    fields: Vec<Field>,
    columns: Vec<Arc<Column>>,
    rows: usize,
}

impl Table {
    pub fn new() -> Self {
        Self::default()
    }

    /// Rows of `width` numbers one after another; the columns are called c0, c1, …
    pub fn from_rows(values: &[f32], width: usize) -> Result<Self> {
        if width == 0 || !values.len().is_multiple_of(width) {
            return Err(Error::mismatch(
                "the array",
                format!("a multiple of {width} numbers, the width of a row"),
                values.len(),
            ));
        }
        let column = |at: usize| values.iter().skip(at).step_by(width).copied().collect();
        (0..width).try_fold(Self::new(), |table, at| {
            table.with_column(
                format!("c{at}"),
                Column::Numbers(Numbers::Single(column(at))),
            )
        })
    }

    /// One column of images.
    pub fn from_images(pixels: Vec<f32>, shape: Shape) -> Result<Self> {
        Self::new().with_images("image", pixels, shape)
    }

    pub fn with_column(self, name: impl Into<String>, column: Column) -> Result<Self> {
        let (kind, rows) = match &column {
            Column::Numbers(numbers) => (Kind::Number, numbers.len()),
            Column::Text(texts) => (Kind::Text, texts.len()),
            Column::Times(times) => (Kind::Time, times.len()),
            Column::Images(_) => {
                return Err(Error::mismatch(
                    "a column of images",
                    "a shape: use `with_images`",
                    "none",
                ));
            }
        };
        self.add(name.into(), kind, column, rows)
    }

    pub fn with_images(
        self,
        name: impl Into<String>,
        pixels: Vec<f32>,
        shape: Shape,
    ) -> Result<Self> {
        let rows = pixels.len() / shape.size().max(1);
        if rows * shape.size() != pixels.len() {
            return Err(Error::mismatch(
                "the pixels",
                format!("a multiple of {}", shape.size()),
                pixels.len(),
            ));
        }
        self.add(
            name.into(),
            Kind::Image(shape),
            Column::Images(pixels),
            rows,
        )
    }

    /// A column of names or classes.
    pub fn with_texts<T: ToString>(
        self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let mut texts = Texts::new();
        for value in values {
            texts.push(Some(&value.to_string()));
        }
        self.with_column(name, Column::Text(texts))
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn add(mut self, name: String, kind: Kind, column: Column, rows: usize) -> Result<Self> {
        if !self.columns.is_empty() && rows != self.rows {
            return Err(Error::mismatch(
                format!("the column `{name}`"),
                format!("{} rows, as the others", self.rows),
                rows,
            ));
        }
        if self.fields.iter().any(|field| field.name == name) {
            return Err(Error::out_of_range(
                "the name of a column",
                name,
                "one that no other column has",
            ));
        }
        self.rows = rows;
        self.fields.push(Field::new(name, kind));
        self.columns.push(Arc::new(column));
        Ok(self)
    }
}

/// Rows of numbers are c0, c1, …; images are one column.
impl From<&Inputs> for Table {
    fn from(inputs: &Inputs) -> Self {
        let values = inputs.contiguous();
        let table = match inputs.shape() {
            Shape::Vector(width) => Self::from_rows(&values, width),
            shape => Self::from_images(values.into_owned(), shape),
        };
        table.expect("inputs are whole rows of their shape")
    }
}

impl From<Inputs> for Table {
    fn from(inputs: Inputs) -> Self {
        (&inputs).into()
    }
}

impl From<&Table> for Table {
    fn from(table: &Table) -> Self {
        table.clone()
    }
}

impl TableSource for Table {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>> {
        let places: Vec<usize> = (0..self.fields.len())
            .filter(|&at| options.wants(&self.fields[at].name))
            .collect();
        let fields = places.iter().map(|&at| self.fields[at].clone()).collect();
        Ok(Box::new(TableBatches {
            head: Head {
                all_fields: Some(self.fields.clone()),
                rows: Some(self.rows as u64),
                ..Head::new(MEMORY, fields, "a table in memory")
            },
            table: self.clone(),
            places,
            given: false,
        }))
    }
}

struct TableBatches {
    head: Head,
    table: Table,
    places: Vec<usize>,
    given: bool,
}

impl Batches for TableBatches {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        if std::mem::replace(&mut self.given, true) || self.table.is_empty() {
            return Ok(None);
        }
        let column = |&at: &usize| Column::clone(&self.table.columns[at]);
        let columns = self.places.iter().map(column).collect();
        Ok(Some(Batch::new(1, columns, self.table.rows)))
    }
}
