//! A two-dimensional array of somebody else's, in any layout, read a column or a row range at a time.

use std::ops::Range;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Rows and columns with the steps between them. The buffer keeps the memory alive.
pub struct Strided<T: Element> {
    buffer: PyBuffer<T>,
    pub rows: usize,
    /// Numbers of one row: all dimensions but the first.
    pub width: usize,
    row_step: isize,
    /// The step from one number of a row to the next; rows of more dimensions are contiguous.
    column_step: isize,
}

impl<T: Element + Copy> Strided<T> {
    pub fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::<T>::get(array)?;
        let (shape, strides) = (buffer.shape(), buffer.strides());
        if shape.len() < 2 {
            return Err(PyValueError::new_err("an array needs rows and columns"));
        }
        if shape.len() > 2 && !buffer.is_c_contiguous() {
            return Err(PyValueError::new_err("images must lie one after another"));
        }
        Ok(Self {
            rows: shape[0],
            width: shape[1..].iter().product(),
            row_step: strides[0],
            column_step: match shape.len() {
                2 => strides[1],
                _ => buffer.item_size() as isize,
            },
            buffer,
        })
    }

    /// The numbers of one column in the given rows.
    pub fn column(&self, column: usize, rows: Range<usize>) -> Vec<T> {
        assert!(column < self.width && rows.end <= self.rows);
        let start: *const u8 = self.buffer.buf_ptr().cast();
        let read = |row: usize| {
            let step = row as isize * self.row_step + column as isize * self.column_step;
            // SAFETY: the buffer protocol promises memory at every index below the shape, which was compared above, for as
            // long as the buffer is held. It may be unaligned.
            unsafe { start.offset(step).cast::<T>().read_unaligned() }
        };
        rows.map(read).collect()
    }

    /// All numbers of the given rows, one row after another.
    pub fn rows(&self, rows: Range<usize>) -> Vec<T> {
        assert!(rows.end <= self.rows);
        let start: *const u8 = self.buffer.buf_ptr().cast();
        let mut values = Vec::with_capacity(rows.len() * self.width);
        for row in rows {
            for column in 0..self.width {
                let step = row as isize * self.row_step + column as isize * self.column_step;
                // SAFETY: as above.
                values.push(unsafe { start.offset(step).cast::<T>().read_unaligned() });
            }
        }
        values
    }
}
