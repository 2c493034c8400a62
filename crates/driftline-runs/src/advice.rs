//! Advice before anything is adapted: how fast the stream drifts against how far apart the classes are, which windows suit
//! it, and what a rehearsal on the moved source prefers and expects. A model of the source may be trained; nothing learns
//! from the stream.

use serde::Serialize;

use super::file_run::{FileRun, Ready, Start};
use super::session::Session;
use super::watch::Watch;
use driftline_adapt::Forecast;
use driftline_core::data::{Inputs, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_drift::{Pace, Standardizer};
use driftline_io::{Notes, TableSource};
use driftline_models::Learner;

/// Windows that are rehearsed, from the beginning of the stream to its end.
const REHEARSED: usize = 6;

/// What to expect of a stream.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Advice {
    pub source_rows: usize,
    pub rows: usize,
    pub classes: usize,
    pub columns: usize,
    pub pace: Pace,
    /// What the policy prefers and expects with windows of the advised size; none where it does not rehearse: for images,
    /// and for any policy but `guarded`.
    pub outlook: Option<Forecast>,
    /// Multiplications for learning from a window of the advised size.
    pub work: f64,
    /// Bytes that source and window take in memory.
    pub memory: usize,
    pub notes: Notes,
}

impl FileRun {
    /// Looks at source and stream. `watch` hears of the beginning of the rehearsal.
    pub fn plan_ahead(
        &self,
        start: Start,
        stream: impl TableSource + 'static,
        watch: &dyn Watch,
    ) -> Result<Advice> {
        let stream: Box<dyn TableSource> = Box::new(stream);
        let own = self.inheriting(&start);
        self.runtime
            .install(|| own.look_ahead(start, stream, watch))
    }

    fn look_ahead(
        &self,
        start: Start,
        stream: Box<dyn TableSource>,
        watch: &dyn Watch,
    ) -> Result<Advice> {
        let plan = self.plan()?;
        let ready = self.ready(start)?;
        let mut files = self.windows(ready.encoding(), stream, &plan)?;
        let mut notes = files.notes();
        let whole = files.whole()?;
        notes.extend(whole.notes.clone());
        let inputs = &whole.rows.inputs;
        let source = match &ready {
            Ready::Source(_, source) => source.domain.clone(),
            Ready::Model(model_file, _) => model_file
                .source_sample
                .clone()
                .ok_or(Error::SourceMissing)?,
        };
        let frame = Standardizer::of(source.inputs())
            .ok_or_else(|| Error::empty("the columns that vary"))?;
        let classes = source.labels().n_classes();
        let sample = source.source_sample();
        let pace = Pace::of(
            &frame.points(sample.inputs()),
            sample.labels().as_slice(),
            classes,
            &frame.points(inputs),
            Seed::new(self.seed).named("plan"),
        );
        let shape = inputs.shape();
        let window = pace.rows();
        Ok(Advice {
            source_rows: source.len(),
            rows: inputs.len(),
            classes,
            columns: shape.size(),
            outlook: self.outlook(&ready, inputs, window, watch)?,
            work: plan.candidate.learner.work(shape, classes) * window as f64,
            memory: (source.len() + 2 * window) * shape.size() * size_of::<f32>(),
            pace,
            notes,
        })
    }

    /// What a rehearsal along the stream says.
    fn outlook(
        &self,
        ready: &Ready,
        stream: &Inputs,
        window: usize,
        watch: &dyn Watch,
    ) -> Result<Option<Forecast>> {
        // Images are not moved, and their networks not trained for nothing.
        let Shape::Vector(_) = stream.shape() else {
            return Ok(None);
        };
        let settings = self.run_settings();
        let session = Session::new(
            ready.train()?,
            ready.rows(),
            &settings,
            &self.registry,
            &self.runtime,
        )?;
        let windows = spread(stream, window);
        let rows = windows.first().map_or(0, Inputs::len);
        let ready = session.engine().clone().prepared(rows)?;
        watch.begin(windows.len(), 0);
        ready.outlook(&windows)
    }
}

/// A few windows of so many rows: the first, the last, and some between.
fn spread(stream: &Inputs, window: usize) -> Vec<Inputs> {
    let window = window.clamp(1, stream.len().max(1));
    let count = REHEARSED.min(stream.len() / window).max(1);
    let room = stream.len() - window;
    // Counted from the end, so that the only one is the last.
    let first = |back: usize| room - room * back / (count - 1).max(1);
    let cut = |back: usize| stream.slice(first(back)..first(back) + window);
    (0..count).rev().map(cut).collect()
}
