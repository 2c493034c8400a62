//! Numbers on their way between the library and numpy, as bytes in the machine's order.

use driftline_core::Result;
use driftline_core::data::{Inputs, Probabilities, Shape};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::errors::raised;

/// For `numpy.frombuffer`, which can then be written to.
pub fn bytes<'py>(py: Python<'py>, values: &[f32]) -> PyResult<Bound<'py, PyByteArray>> {
    written(py, values, |value| value.to_ne_bytes())
}

/// The same for whole numbers.
pub fn whole<'py>(py: Python<'py>, values: &[u32]) -> PyResult<Bound<'py, PyByteArray>> {
    written(py, values, |value| value.to_ne_bytes())
}

fn written<'py, T>(
    py: Python<'py>,
    values: &[T],
    number: fn(&T) -> [u8; 4],
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, 4 * values.len(), |bytes| {
        for (place, value) in bytes.chunks_exact_mut(4).zip(values) {
            place.copy_from_slice(&number(value));
        }
        Ok(())
    })
}

/// What `object` predicts: its method is given a model, inputs with their dimensions, and the number of classes.
pub fn predicted(
    object: &Py<PyAny>,
    method: &str,
    model: &Py<PyAny>,
    given: &Inputs,
    n_classes: usize,
) -> Result<Probabilities> {
    Python::attach(|py| {
        let call = || -> PyResult<Bound<'_, PyBytes>> {
            let (values, dimensions) = inputs(py, given)?;
            let arguments = (model.clone_ref(py), values, dimensions, n_classes);
            let given = object.bind(py).call_method1(method, arguments)?;
            Ok(given.cast_into()?)
        };
        probabilities(&call().map_err(raised)?, n_classes)
    })
}

/// Rows of inputs with the dimensions that numpy is to give them.
pub fn inputs<'py>(
    py: Python<'py>,
    inputs: &Inputs,
) -> PyResult<(Bound<'py, PyByteArray>, Vec<usize>)> {
    let mut dimensions = vec![inputs.len()];
    match inputs.shape() {
        Shape::Vector(width) => dimensions.push(width),
        Shape::Image {
            height,
            width,
            channels,
        } => dimensions.extend([height, width, channels]),
    }
    Ok((bytes(py, &inputs.contiguous())?, dimensions))
}

/// Probabilities that Python has computed.
fn probabilities(values: &Bound<'_, PyBytes>, n_classes: usize) -> Result<Probabilities> {
    let number = |bytes: &[u8]| f32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let values = values.as_bytes().chunks_exact(4).map(number).collect();
    Probabilities::new(values, n_classes)
}
