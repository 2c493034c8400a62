//! An alignment by itself: rows brought to where a source is, without a model. What a loop does between two windows, as a step
//! of anybody's pipeline.

use std::sync::OnceLock;

use driftline_adapt::{AlignmentParts, Context, PartSpec, Stage, Version};
use driftline_core::data::{ColumnCleaning, Domain, Inputs, LabeledDomain, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_core::{Cancel, Error, Result};
use driftline_io::{ColumnChoice, EncodeOptions, Encoding, Notes, ReadOptions, read_all};
use driftline_models::{AnyModel, Classifier, Runtime};
use driftline_runs::method::Registry;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::errors::wrong;
use crate::interrupt::work;
use crate::numbers;
use crate::table::Table;

/// Alignments look at inputs; the version before has none to tell.
#[derive(Clone)]
struct NoModel(Shape);

impl Classifier for NoModel {
    fn shape(&self) -> Shape {
        self.0
    }

    fn n_classes(&self) -> usize {
        2
    }

    fn probabilities(&self, _inputs: &Inputs) -> Result<Probabilities> {
        Err(Error::empty("the model of an alignment that stands alone"))
    }
}

/// The rows of `window` as `how` (JSON) brings them to the source, and how many numbers each has. `source` has a column
/// `label` of two classes, which is not looked at.
#[pyfunction]
pub fn align<'py>(
    py: Python<'py>,
    how: &str,
    source: Table,
    window: Table,
    label: &str,
) -> PyResult<(Bound<'py, PyByteArray>, usize)> {
    let how: PartSpec<AlignmentParts> =
        serde_json::from_str(how).map_err(wrong("the alignment"))?;
    let (runtime, cancel) = (Runtime::all_cores(), Cancel::new());
    let aligned = work(py, &cancel, || {
        runtime.install(|| aligned(&how, &source, &window, label, &runtime))
    })?;
    let width = aligned.shape().size();
    Ok((numbers::bytes(py, &aligned.contiguous())?, width))
}

fn aligned(
    how: &PartSpec<AlignmentParts>,
    source: &Table,
    window: &Table,
    label: &str,
    runtime: &Runtime,
) -> Result<Inputs> {
    let alignment = Registry::default().alignment(how)?;
    let choice = ColumnChoice {
        label: Some(label.into()),
        ..ColumnChoice::default()
    };
    let plain = EncodeOptions {
        standardize: false,
        cleaning: ColumnCleaning::OFF,
    };
    let (read, mut notes) = (ReadOptions::default(), Notes::new());
    let (encoding, rows) = Encoding::fit(source, &choice, &read, plain, &mut notes)?;
    let stream = ColumnChoice::default();
    let window = read_all(window, &encoding, &stream, &read, &mut notes)?.inputs;
    let source = LabeledDomain::new(rows.inputs, rows.labels)?.with_layout(encoding.layout());
    let first = Version::source(AnyModel::new("none", NoModel(window.shape())));
    let (stage, frame) = (Stage::window(Domain::new(window.clone())), OnceLock::new());
    let moment = Context {
        source: Some(&source),
        source_sample: Some(&source),
        frame: &frame,
        first: &first,
        teacher: &first,
        deployed: &first,
        previous: None,
        stage: &stage,
        number: 1,
        seed: Seed::new(0),
        runtime,
        single_candidate: true,
        expert: None,
        told: None,
        archive: &Vec::<Version>::new(),
    };
    alignment.fit(&moment)?.apply(&window)
}
