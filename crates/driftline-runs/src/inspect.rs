//! `inspect`: what a file, a model or a run holds, for people and programs alike.

use std::io::Read;
use std::path::Path;

use serde::Serialize;

use super::column_view::Seen;
use super::folder::{FileState, RunFolder, RunManifest};
use super::model_file::ModelFile;
use super::record::WindowRecord;
use super::verdict::Verdict;
use driftline_core::Result;
use driftline_core::error::DataFault;
use driftline_io as reading;
use driftline_io::ReadOptions;
use driftline_models::{AnyLearner, Classifier};

/// What was found at a path.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Inspection {
    Table(TableView),
    Model(Box<ModelView>),
    Run(Box<RunView>),
}

/// A file of rows.
#[derive(Clone, Debug, Serialize)]
pub struct TableView {
    pub detected: String,
    pub rows: u64,
    pub columns: Vec<ColumnView>,
}

/// A column, with what its values are like.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnView {
    pub name: String,
    pub holds: String,
    pub missing: u64,
    /// The least and the greatest number or moment.
    pub range: Option<(String, String)>,
    /// Different values, where they are few.
    pub values: Option<Vec<String>>,
}

/// A model file.
#[derive(Clone, Debug, Serialize)]
pub struct ModelView {
    pub model: String,
    /// Windows adapted to; 0 is a source model.
    pub version: usize,
    pub input: String,
    pub features: Vec<String>,
    pub classes: Vec<String>,
    pub label: String,
    pub parameters: usize,
    pub learner: AnyLearner,
    pub source: super::model_file::SourceRecord,
}

/// A run folder.
#[derive(Clone, Debug, Serialize)]
pub struct RunView {
    pub manifest: RunManifest,
    pub windows: Vec<WindowRecord>,
    /// What is said of it; absent before the first window, and where the source model is damaged.
    pub verdict: Option<Verdict>,
    /// Files that are not what the manifest says; empty for a sound run.
    pub damaged: Vec<(String, FileState)>,
}

/// Looks at `path`: a run folder, a model file, or a table (a folder of images is one).
pub fn inspect(path: &Path, read: &ReadOptions) -> Result<Inspection> {
    if path.join("manifest.json").exists() {
        return run(path).map(|view| Inspection::Run(Box::new(view)));
    }
    if path.extension().is_some_and(|e| e == "safetensors") || is_model(path) {
        let model_file = ModelFile::load(path)?;
        return Ok(Inspection::Model(Box::new(ModelView::of(&model_file))));
    }
    if path.extension().is_some_and(|e| e == "onnx") {
        let fault = DataFault::new(path, "is a graph for other software, such as onnxruntime");
        let help = "inspect the run or the model file that it was exported from";
        return Err(fault.help(help).into());
    }
    let mut frames = reading::open(path, read)?;
    let mut columns: Vec<Seen> = frames.fields().iter().map(Seen::new).collect();
    let detected = frames.head().detected.clone();
    let mut rows = 0;
    while let Some(frame) = frames.next_frame()? {
        rows += frame.rows as u64;
        for (seen, column) in columns.iter_mut().zip(&frame.columns) {
            seen.see(column);
        }
    }
    Ok(Inspection::Table(TableView {
        detected,
        rows,
        columns: columns.into_iter().map(Seen::finish).collect(),
    }))
}

/// Whether a file of another name begins as a model does: with the length of a header, then the header.
fn is_model(path: &Path) -> bool {
    let mut start = [0; 9];
    let file = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    file.is_ok() && start[5..] == [0, 0, 0, b'{']
}

fn run(folder: &Path) -> Result<RunView> {
    let run = RunFolder::read(folder)?;
    let mut damaged = run.check_files()?;
    damaged.retain(|(_, state)| *state != FileState::Intact);
    Ok(RunView {
        manifest: run.manifest().clone(),
        windows: run.records().to_vec(),
        verdict: run.verdict().ok().flatten(),
        damaged,
    })
}

impl ModelView {
    pub fn of(model_file: &ModelFile) -> Self {
        Self {
            model: model_file.source.model.clone(),
            version: model_file.number(),
            input: model_file.encoding.shape().to_string(),
            features: model_file.encoding.input_names(),
            classes: model_file.classes().to_vec(),
            label: model_file.encoding.label().into(),
            parameters: model_file.version.model.n_parameters(),
            learner: model_file.learner.clone(),
            source: model_file.source.clone(),
        }
    }
}
