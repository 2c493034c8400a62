//! A table of Python's, read where it lies: nothing is copied before a window needs it.

mod arrow;
mod column;
mod held;

use std::ops::Range;
use std::sync::Arc;

use driftline_core::data::Shape;
use driftline_io::{Batch, Batches, Field, Head, Kind, ReadOptions, TableSource};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::kernels::Strided;
use column::{Cells, Lent};
pub use held::{class_names, hold, joined, of_plain, periods, plain};

/// Numbers that are cut from a table at a time: little memory, and enough work for all threads.
const NUMBERS: usize = 1 << 18;

/// Named columns of one length.
#[pyclass(frozen, from_py_object, module = "driftline._driftline")]
#[derive(Clone)]
pub struct Table {
    columns: Arc<Vec<(Field, Cells)>>,
    /// The first of the rows that are meant.
    from: usize,
    rows: usize,
}

#[pymethods]
impl Table {
    /// A numpy array of numbers with rows and columns.
    #[staticmethod]
    fn from_array(array: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Self> {
        let (rows, width, array) = lent(array)?;
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

    /// The same with a column of text: the place of each row's text in a list, −1 where it is missing.
    fn with_codes(
        &self,
        column: &str,
        codes: &Bound<'_, PyAny>,
        names: Vec<String>,
    ) -> PyResult<Self> {
        let codes = Strided::<i64>::new(codes)?;
        let rows = codes.rows;
        let known = |code: i64| code < 0 || (code as usize) < names.len();
        if !codes.column(0, 0..rows).into_iter().all(known) {
            return Err(PyValueError::new_err("a code stands for no name"));
        }
        let cells = Cells::Coded(Arc::new((codes, names)));
        self.and(column, Kind::Text, cells, rows)
    }

    /// The same with a column of text, none where it is missing.
    fn with_texts(&self, column: &str, texts: Vec<Option<String>>) -> PyResult<Self> {
        let rows = texts.len();
        self.and(column, Kind::Text, Cells::Texts(Arc::new(texts)), rows)
    }

    /// The same with a column of numbers.
    fn with_numbers(&self, column: &str, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, _, array) = lent(array)?;
        self.and(column, Kind::Number, Cells::Array(array, 0), rows)
    }

    /// The same with a column of moments: microseconds since 1970, the lowest number where one is missing.
    fn with_times(&self, column: &str, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = Strided::<i64>::new(array)?;
        let rows = array.rows;
        self.and(column, Kind::Time, Cells::Times(Arc::new(array)), rows)
    }

    /// Only these columns, in this order.
    fn select(&self, names: Vec<String>) -> PyResult<Self> {
        let columns = names.iter().map(|name| {
            let mut all = self.columns.iter();
            let found = all.find(|(field, _)| field.name == *name);
            let missing = || PyKeyError::new_err(format!("there is no column `{name}`"));
            found.cloned().ok_or_else(missing)
        });
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        Ok(Self {
            columns: Arc::new(columns),
            ..self.clone()
        })
    }

    /// The same columns under other names.
    fn renamed(&self, names: Vec<String>) -> PyResult<Self> {
        if names.len() != self.columns.len() {
            return Err(PyValueError::new_err("each column needs one name"));
        }
        let columns = self.columns.iter().zip(names);
        let columns = columns.map(|((field, cells), name)| {
            let field = Field {
                name,
                ..field.clone()
            };
            (field, cells.clone())
        });
        let mut renamed = Self::of(columns.collect(), self.rows)?;
        renamed.from = self.from;
        Ok(renamed)
    }

    /// Rows `start` to `end`, without a copy.
    fn slice(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.rows);
        let start = start.min(end);
        self.rows(start..end)
    }

    /// No columns yet.
    #[staticmethod]
    fn empty() -> Self {
        Self {
            columns: Arc::default(),
            from: 0,
            rows: 0,
        }
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        let columns = self.columns.iter();
        columns.map(|(field, _)| field.name.clone()).collect()
    }

    /// What each column holds: `number`, `text`, `time` or `image`.
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        let kinds = self.columns.iter().map(|(field, _)| match field.kind {
            Kind::Number => "number",
            Kind::Text => "text",
            Kind::Time => "time",
            Kind::Image(_) => "image",
        });
        kinds.collect()
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
            from: 0,
            rows,
        })
    }

    /// The places of its rows.
    fn all(&self) -> Range<usize> {
        self.from..self.from + self.rows
    }

    /// Some of the rows; messages number them as before.
    fn rows(&self, rows: Range<usize>) -> Self {
        Self {
            columns: self.columns.clone(),
            from: self.from + rows.start,
            rows: rows.len(),
        }
    }

    /// Whether there are at most this many numbers.
    pub fn few(&self, numbers: usize) -> bool {
        self.rows * self.numbers_of_a_row() <= numbers
    }

    fn numbers_of_a_row(&self) -> usize {
        self.columns.iter().map(|(field, _)| width(field)).sum()
    }

    /// Pieces of at most this many numbers.
    pub fn pieces(&self, numbers: usize) -> impl Iterator<Item = Table> + Send + use<> {
        let step = (numbers / self.numbers_of_a_row().max(1)).max(1);
        let (table, end) = (self.clone(), self.rows.max(1));
        let starts = (0..end).step_by(step);
        starts.map(move |start| table.rows(start..table.rows.min(start + step)))
    }

    fn and(&self, name: &str, kind: Kind, cells: Cells, rows: usize) -> PyResult<Self> {
        if !self.columns.is_empty() && rows != self.rows {
            let message = format!("column `{name}` has {rows} rows, the others {}", self.rows);
            return Err(PyValueError::new_err(message));
        }
        if self.from > 0 {
            let message = "a part of a table takes no further columns";
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

/// An array of numpy's with numbers of any kind: rows, width, and where they are.
fn lent(array: &Bound<'_, PyAny>) -> PyResult<(usize, usize, Arc<dyn Lent>)> {
    macro_rules! of {
        ($($kind:ty),*) => {$(
            if let Ok(array) = Strided::<$kind>::new(array) {
                return Ok((array.rows, array.width, Arc::new(array)));
            }
        )*};
    }
    of!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);
    Err(PyTypeError::new_err(
        "an array of numbers with rows and columns is needed",
    ))
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
        let from = self.table.from;
        let place = from + rows.start..from + rows.end;
        let columns = columns.map(|&at| self.table.columns[at].1.cut(place.clone()));
        let first = place.start as u64 + 1;
        Ok(Some(Batch::new(first, columns.collect(), rows.len())))
    }
}
