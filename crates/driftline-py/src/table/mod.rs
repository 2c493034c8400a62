//! A table of Python's, read where it lies: nothing is copied before a window needs it.

mod arrow;
mod column;

use std::sync::Arc;

use driftline_core::data::Shape;
use driftline_io::{Batch, Batches, Field, Head, Kind, ReadOptions, TableSource};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::kernels::Strided;
use column::{Cells, Lent};

/// Numbers that are cut from a table at a time: little memory, and enough work for all threads.
const NUMBERS: usize = 1 << 18;

/// Named columns of one length.
#[pyclass(frozen, from_py_object, module = "driftline._driftline")]
#[derive(Clone)]
pub struct Table {
    columns: Arc<Vec<(Field, Cells)>>,
    rows: usize,
}

#[pymethods]
impl Table {
    /// A numpy array of float32 or float64 with rows and columns.
    #[staticmethod]
    fn from_array(array: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Self> {
        let (rows, width, array) = match Strided::<f32>::new(array) {
            Ok(array) => (array.rows, array.width, Lent::Single(Arc::new(array))),
            Err(_) => {
                let array = Strided::<f64>::new(array)?;
                (array.rows, array.width, Lent::Double(Arc::new(array)))
            }
        };
        if width != names.len() {
            return Err(PyValueError::new_err("each column needs one name"));
        }
        let columns = names.into_iter().enumerate().map(|(at, name)| {
            let cells = Cells::Array(array.clone(), at);
            (Field::new(name, Kind::Number), cells)
        });
        Self::of(columns.collect(), rows)
    }

    /// A contiguous numpy array of float32: images of height, width and channels, values from 0 to 1.
    #[staticmethod]
    fn from_images(
        array: &Bound<'_, PyAny>,
        height: usize,
        width: usize,
        channels: usize,
    ) -> PyResult<Self> {
        let array = Strided::<f32>::new(array)?;
        let shape = Shape::Image {
            height,
            width,
            channels,
        };
        if array.width != shape.size() {
            return Err(PyValueError::new_err("the images have another shape"));
        }
        let (rows, field) = (array.rows, Field::new("image", Kind::Image(shape)));
        Self::of(vec![(field, Cells::Images(Arc::new(array)))], rows)
    }

    /// Anything with `__arrow_c_stream__`: pandas, polars, pyarrow.
    #[staticmethod]
    fn from_arrow(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (columns, rows) = arrow::columns(table)?;
        Self::of(columns, rows)
    }

    /// The same with a column of text: the number of each row's name.
    fn with_names(&self, column: &str, codes: Vec<u32>, names: Vec<String>) -> PyResult<Self> {
        if codes.iter().any(|&code| code as usize >= names.len()) {
            return Err(PyValueError::new_err("a code stands for no name"));
        }
        let rows = codes.len();
        let cells = Cells::Names(Arc::new((codes, names)));
        self.and(column, Kind::Text, cells, rows)
    }

    /// The same with a column of text, none where it is missing.
    fn with_texts(&self, column: &str, texts: Vec<Option<String>>) -> PyResult<Self> {
        let rows = texts.len();
        self.and(column, Kind::Text, Cells::Texts(Arc::new(texts)), rows)
    }

    /// The same with a column of float64.
    fn with_numbers(&self, column: &str, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = Strided::<f64>::new(array)?;
        let rows = array.rows;
        let cells = Cells::Array(Lent::Double(Arc::new(array)), 0);
        self.and(column, Kind::Number, cells, rows)
    }

    /// No columns yet.
    #[staticmethod]
    fn empty() -> Self {
        Self {
            columns: Arc::default(),
            rows: 0,
        }
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        let columns = self.columns.iter();
        columns.map(|(field, _)| field.name.clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (columns, rows) = (self.columns.len(), self.rows);
        write!(f, "Table({columns} columns, {rows} rows)")
    }
}

impl Table {
    fn of(columns: Vec<(Field, Cells)>, rows: usize) -> PyResult<Self> {
        let mut names: Vec<&str> = columns.iter().map(|(field, _)| &*field.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two columns are called `{}`", pair[0]);
            return Err(PyValueError::new_err(message));
        }
        Ok(Self {
            columns: Arc::new(columns),
            rows,
        })
    }

    fn and(&self, name: &str, kind: Kind, cells: Cells, rows: usize) -> PyResult<Self> {
        if !self.columns.is_empty() && rows != self.rows {
            let message = format!("column `{name}` has {rows} rows, the others {}", self.rows);
            return Err(PyValueError::new_err(message));
        }
        let mut columns = Vec::clone(&self.columns);
        columns.push((Field::new(name, kind), cells));
        Self::of(columns, rows)
    }
}

impl TableSource for Table {
    fn open(&self, options: &ReadOptions) -> driftline_core::Result<Box<dyn Batches>> {
        let columns = self.columns.iter();
        let all: Vec<Field> = columns.map(|(field, _)| field.clone()).collect();
        let wanted = |at: &usize| options.wants(&all[*at].name);
        let places: Vec<usize> = (0..all.len()).filter(wanted).collect();
        let numbers: usize = places.iter().map(|&at| width(&all[at])).sum();
        let fields = places.iter().map(|&at| all[at].clone()).collect();
        Ok(Box::new(Cut {
            table: self.clone(),
            head: Head {
                all_fields: Some(all),
                rows: Some(self.rows as u64),
                ..Head::new("memory", fields, "a table in memory")
            },
            places,
            next: 0,
            step: (NUMBERS / numbers.max(1)).max(1),
        }))
    }
}

fn width(field: &Field) -> usize {
    match field.kind {
        Kind::Image(shape) => shape.size(),
        _ => 1,
    }
}

/// A table that is given a piece at a time.
struct Cut {
    table: Table,
    head: Head,
    places: Vec<usize>,
    next: usize,
    step: usize,
}

impl Batches for Cut {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> driftline_core::Result<Option<Batch>> {
        let rows = self.next..self.table.rows.min(self.next + self.step);
        if rows.is_empty() {
            return Ok(None);
        }
        self.next = rows.end;
        let columns = self.places.iter();
        let columns = columns.map(|&at| self.table.columns[at].1.cut(rows.clone()));
        let first = rows.start as u64 + 1;
        Ok(Some(Batch::new(first, columns.collect(), rows.len())))
    }
}
