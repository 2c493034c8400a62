//! Looking on while an adapter works: a reader predicts with the newest version that is whole, and lists the windows that are
//! finished. It never waits for a step.

use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Adapter, Prediction};
use crate::fit::limited;
use crate::model_file::ModelFile;
use crate::record::WindowRecord;
use driftline_core::Result;
use driftline_core::data::{Labels, Probabilities};
use driftline_io::{ColumnChoice, Notes, ReadOptions, TableSource, read_all};
use driftline_models::{Classifier, Runtime};

/// Reads from an [`Adapter`] that may be adapting on another thread. Clones share what they see.
#[derive(Clone, Debug)]
pub struct Reader {
    seen: Arc<RwLock<Seen>>,
    /// With threads of its own, so that it need not wait for those that adapt.
    runtime: Runtime,
    imputes: bool,
}

#[derive(Debug)]
struct Seen {
    /// The version in use.
    model: Arc<ModelFile>,
    records: Vec<WindowRecord>,
    /// For each window that came since the reader looks on, its number and the version in use when it came.
    served: Vec<(usize, usize)>,
}

impl Adapter {
    /// A reader, kept up to date from now on. It computes as `runtime` says.
    pub fn reader(&mut self, runtime: Runtime) -> Result<Reader> {
        let model = self.session.current().with_runtime(&runtime)?;
        let reader = Reader {
            seen: Arc::new(RwLock::new(Seen {
                model: Arc::new(model),
                records: self.kept.records.clone(),
                served: vec![],
            })),
            runtime,
            imputes: self.imputes(),
        };
        self.kept.reader = Some(reader.clone());
        Ok(reader)
    }
}

impl Reader {
    /// The version in use, with all that is needed to predict.
    pub fn model(&self) -> Arc<ModelFile> {
        self.seen(|seen| seen.model.clone())
    }

    /// The records of some windows, of those that are finished.
    pub fn records(&self, windows: Range<usize>) -> Vec<WindowRecord> {
        self.seen(|seen| {
            let end = windows.end.min(seen.records.len());
            seen.records[windows.start.min(end)..end].to_vec()
        })
    }

    /// How many windows are finished.
    pub fn windows(&self) -> usize {
        self.seen(|seen| seen.records.len())
    }

    /// The version that was in use when a window came; none of windows that were there before the reader.
    pub fn served(&self, window: usize) -> Option<usize> {
        self.seen(|seen| {
            let found = seen.served.iter().rfind(|(number, _)| *number == window);
            found.map(|(_, version)| *version)
        })
    }

    /// Class and probabilities of every row by the version in use, one and the same for all of them. The rows come piece by
    /// piece, so that few are in memory twice.
    pub fn predict_from<T: TableSource>(
        &self,
        pieces: impl IntoIterator<Item = T> + Send,
    ) -> Result<Prediction> {
        self.predict_with(&self.model(), pieces)
    }

    /// The same by a version of your choice.
    pub fn predict_with<T: TableSource>(
        &self,
        model: &ModelFile,
        pieces: impl IntoIterator<Item = T> + Send,
    ) -> Result<Prediction> {
        let choice = ColumnChoice {
            impute: self.imputes,
            ..ColumnChoice::default()
        };
        let read = limited(&ReadOptions::default(), &self.runtime);
        self.runtime.install(|| {
            let (mut labels, mut shares) = (vec![], vec![]);
            for piece in pieces {
                let rows = read_all(&piece, &model.encoding, &choice, &read, &mut Notes::new())?;
                let (found, probabilities) = model.version.assess(&rows.inputs)?;
                labels.extend_from_slice(found.as_slice());
                shares.extend(probabilities.iter().flatten());
            }
            let n_classes = model.classes().len();
            Ok(Prediction {
                labels: Labels::new(labels, n_classes)?,
                probabilities: Probabilities::new(shares, n_classes)?,
                classes: model.classes().to_vec(),
            })
        })
    }

    fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        // What is behind the lock is replaced at once: a thread that panicked has left it whole.
        look(&self.seen.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn show(&self, model: ModelFile) -> Result<()> {
        self.change(None, model)
    }

    pub(super) fn add(&self, record: WindowRecord, model: ModelFile) -> Result<()> {
        self.change(Some(record), model)
    }

    fn change(&self, record: Option<WindowRecord>, model: ModelFile) -> Result<()> {
        let model = Arc::new(model.with_runtime(&self.runtime)?);
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(record) = &record {
            let version = seen.model.number();
            seen.served.push((record.window, version));
        }
        seen.model = model;
        seen.records.extend(record);
        Ok(())
    }
}
