//! Advice before anything is trained: how fast the stream drifts against how far apart the classes are, and which windows
//! suit it. Source and stream are read; nothing learns from the stream.

use serde::Serialize;

use super::adapt::{Adapt, Ready, Start};
use crate::drift::{Pace, PointFrame};
use crate::random::Seed;
use crate::reading::{FrameSource, Notes};
use crate::{Error, Result};

/// What to expect of a stream.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PlanAhead {
    pub source_rows: usize,
    pub rows: usize,
    pub classes: usize,
    pub columns: usize,
    pub pace: Pace,
    /// Multiplications for one pass of the model over a window of the advised size.
    pub work: f64,
    /// Bytes that source and window take in memory.
    pub memory: usize,
    pub notes: Notes,
}

impl Adapt {
    /// Looks at source and stream.
    pub fn plan_ahead(
        &self,
        start: Start,
        stream: impl FrameSource + 'static,
    ) -> Result<PlanAhead> {
        let stream: Box<dyn FrameSource> = Box::new(stream);
        self.runtime.install(|| self.look_ahead(start, stream))
    }

    fn look_ahead(&self, start: Start, stream: Box<dyn FrameSource>) -> Result<PlanAhead> {
        use crate::adapt::Windows;
        let plan = self.plan()?;
        let ready = self.ready(start)?;
        let mut files = self.windows(ready.encoding(), stream, &plan)?;
        let mut notes = files.notes();
        files.all()?;
        let whole = files.arrived().ok_or_else(|| Error::empty("the stream"))?;
        notes.extend(whole.notes.clone());
        let inputs = &whole.rows.inputs;
        let source = match &ready {
            Ready::Source(_, source) => source.domain.clone(),
            Ready::Model(bundle, _) => bundle.card.clone().ok_or(Error::SourceMissing)?,
        };
        let frame =
            PointFrame::of(source.inputs()).ok_or_else(|| Error::empty("the columns that vary"))?;
        let classes = source.labels().n_classes();
        let card = source.card();
        let pace = Pace::of(
            &frame.points(card.inputs()),
            card.labels().as_slice(),
            classes,
            &frame.points(inputs),
            Seed::new(self.seed).named("plan"),
        );
        let shape = inputs.shape();
        let window = pace.window.unwrap_or(pace.wanted);
        Ok(PlanAhead {
            source_rows: source.len(),
            rows: inputs.len(),
            classes,
            columns: shape.size(),
            work: plan.candidate.learner.work(shape, classes) * window as f64,
            memory: (source.len() + 2 * window) * shape.size() * size_of::<f32>(),
            pace,
            notes,
        })
    }
}
