//! The Python package: the library's door for arrays with the habits of Python. This crate carries data and errors across;
//! what users see is written in Python, in `python/driftline`.

mod adapter;
mod align;
mod datasets;
mod errors;
mod experiment;
mod explain;
mod fleet;
mod interrupt;
mod kernels;
mod learner;
mod method;
mod numbers;
mod said;
mod table;
mod theory;
mod trials;
mod watched;

use pyo3::prelude::*;

#[pymodule]
fn _driftline(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(table::hold, module)?)?;
    module.add_function(wrap_pyfunction!(table::joined, module)?)?;
    module.add_function(wrap_pyfunction!(table::plain, module)?)?;
    module.add_function(wrap_pyfunction!(table::of_plain, module)?)?;
    module.add_function(wrap_pyfunction!(table::periods, module)?)?;
    module.add_function(wrap_pyfunction!(table::class_names, module)?)?;
    module.add_class::<adapter::Adapter>()?;
    module.add_function(wrap_pyfunction!(adapter::encoding, module)?)?;
    module.add_function(wrap_pyfunction!(adapter::encoded, module)?)?;
    module.add_function(wrap_pyfunction!(adapter::run_report, module)?)?;
    module.add_function(wrap_pyfunction!(adapter::is_run_folder, module)?)?;
    module.add_class::<experiment::Results>()?;
    module.add_function(wrap_pyfunction!(experiment::experiment, module)?)?;
    module.add_class::<fleet::Fleet>()?;
    module.add_function(wrap_pyfunction!(fleet::fleet_piece, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::match_files, module)?)?;
    module.add_function(wrap_pyfunction!(fleet::extract_stream, module)?)?;
    module.add_class::<trials::Trials>()?;
    module.add_function(wrap_pyfunction!(trials::run_trials, module)?)?;
    module.add_function(wrap_pyfunction!(datasets::catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(datasets::table, module)?)?;
    module.add_function(wrap_pyfunction!(datasets::drawn, module)?)?;
    module.add_function(wrap_pyfunction!(align::align, module)?)?;
    module.add_function(wrap_pyfunction!(explain::explain, module)?)?;
    module.add_function(wrap_pyfunction!(theory::theory, module)?)?;
    Ok(())
}
