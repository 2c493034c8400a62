//! What becomes of the steps of a run: each is measured on the rows that arrived with it, told and kept. The same for a run
//! with a folder, one in memory, and one of the thousands of a fleet.

use std::sync::Arc;

use super::asked::TakenLabel;
use super::measure::Measured;
use super::model_file::ModelFile;
use super::predictions::WindowTable;
use super::record::WindowRecord;
use super::session::measured;
use super::watch::Watch;
use driftline_adapt::{Archive, Engine, Sink, Step};
use driftline_core::Result;
use driftline_io::{InputDigest, Window};

/// Where the finished windows of a run go, and where its earlier versions are found.
pub trait Keep: Archive {
    /// Keeps a window; `engine` stands behind it.
    fn keep(
        &mut self,
        record: WindowRecord,
        model_file: ModelFile,
        engine: &Engine,
        predictions: Option<WindowTable>,
    ) -> Result<()>;

    /// Whether predictions are wanted at all.
    fn keeps_predictions(&self) -> bool {
        true
    }
}

/// Measures every step and keeps it.
pub(super) struct Recorder<'a, K> {
    /// What everything is compared with.
    pub source: &'a ModelFile,
    pub kept: &'a mut K,
    pub watch: &'a dyn Watch,
    /// The number of the last window that is expected.
    pub last: usize,
    /// What the rows are known by, where the run does not know it yet: noted with the first window.
    pub inputs: Vec<InputDigest>,
    /// Late labels that the next decision has taken as evidence.
    pub taken: Vec<TakenLabel>,
}

impl<K: Keep> Sink<Arc<Window>> for Recorder<'_, K> {
    fn archive(&self) -> &dyn Archive {
        self.kept
    }

    fn accept(&mut self, engine: &Engine, step: Step<Arc<Window>>) -> Result<()> {
        let Measured {
            mut record,
            labels,
            probabilities,
        } = measured(self.source, engine, &step, &step.rows)?;
        record.inputs = std::mem::take(&mut self.inputs);
        record.labels_taken = std::mem::take(&mut self.taken);
        self.watch.window(&record, self.last);
        // Rows that come again are predicted for the last time only.
        let repeats = engine.candidate().curriculum.repeats();
        let predicted = !repeats || step.version.number == self.last;
        let table = (predicted && self.kept.keeps_predictions()).then(|| WindowTable {
            rows: step.rows.rows.clone(),
            classes: self.source.classes().to_vec(),
            labels,
            probabilities,
        });
        let model_file = self.source.at(engine.deployed());
        self.kept.keep(record, model_file, engine, table)
    }
}
