//! Arrow's C stream interface in PyCapsules: tables come in and go out without a copy.

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::SchemaRef;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const NAME: &CStr = c"arrow_array_stream";

/// The columns of an object that has `__arrow_c_stream__`, each in the pieces that it came in.
pub fn columns(table: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<Vec<ArrayRef>>)> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let stream: NonNull<FFI_ArrowArrayStream> = capsule.pointer_checked(Some(NAME))?.cast();
    // SAFETY: a capsule of this name holds a stream of Arrow's C interface, which `from_raw` moves out and leaves released.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) };
    let reader = reader.map_err(wrong)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let mut columns = vec![vec![]; schema.fields().len()];
    for batch in reader {
        let batch = batch.map_err(wrong)?;
        for (column, piece) in columns.iter_mut().zip(batch.columns()) {
            column.push(piece.clone());
        }
    }
    Ok((schema, columns))
}

/// A table of ours for whoever asks for `__arrow_c_stream__`.
pub fn capsule<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyCapsule>> {
    let batches = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, NAME)
}

fn wrong(error: arrow_schema::ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}
