//! Adapting: to one window, to a table, or to whatever can be read, of which at most a few windows are in memory.

use std::num::NonZeroUsize;

use super::{Adapter, Store};
use crate::adapt::{MemoryWindows, Step};
use crate::data::Windowing;
use crate::reading::{ColumnChoice, FrameSource, InputDigest, ReadOptions, Rows, Table, Window};
use crate::runs::fit::limited;
use crate::runs::predictions::WindowTable;
use crate::runs::record::WindowRecord;
use crate::runs::session::Session;
use crate::runs::stream::FileWindows;
use crate::runs::watch::Watch;
use crate::{Error, Result};

/// The one curriculum that has to see all windows before it takes the first.
const ORDERED: &str = "ordered";

impl Adapter {
    /// Adapts to one window.
    pub fn step(&mut self, window: impl Into<Table>) -> Result<&WindowRecord> {
        let window = window.into();
        let runtime = self.runtime.clone();
        runtime.install(|| {
            let (rows, digests) = self.encode(&window, None)?;
            let step = self.session.arrive(&rows, &self.store)?;
            self.keep(&step, Window::of(rows), digests, true)
        })
    }

    /// Adapts to a stream, cut into windows as the curriculum wants it; fewer rows than a window are one window. The
    /// records of its windows.
    pub fn adapt(&mut self, stream: impl Into<Table>) -> Result<&[WindowRecord]> {
        self.adapt_from(Box::new(stream.into()), &())
    }

    /// The same for whatever can be read. Where the folder holds a run that was stopped within this stream, it goes on.
    pub fn adapt_from(
        &mut self,
        stream: Box<dyn FrameSource>,
        watch: &dyn Watch,
    ) -> Result<&[WindowRecord]> {
        let before = self.records.len();
        let runtime = self.runtime.clone();
        runtime.install(
            || match self.session.adaptation().candidate().curriculum.name() {
                ORDERED => self.follow_in_memory(&*stream, watch),
                _ => self.follow(stream, watch),
            },
        )?;
        Ok(&self.records[before..])
    }

    fn follow(&mut self, stream: Box<dyn FrameSource>, watch: &dyn Watch) -> Result<()> {
        let curriculum = self.session.adaptation().candidate().curriculum.clone();
        let mut windows = self.windows(stream, curriculum.windowing())?;
        let digests = windows.outline().digests.clone();
        let planned = curriculum.stages(windows.outline().windows.len());
        // A later stream begins anew: its windows are counted from its own first.
        let mut first = self.session.done();
        let mut later = digests;
        if let Store::Folder(run) = &mut self.store {
            let found = std::mem::take(&mut self.found);
            let manifest = run.manifest();
            if manifest.stream.is_empty() && manifest.windows == 0 {
                run.begin_stream(std::mem::take(&mut later), planned, windows.notes())?;
            } else if found && manifest.stream == later {
                if manifest.windows >= planned {
                    return Ok(());
                }
                let stopped = run.stopped()?;
                self.session = Session::resumed(
                    run.model(Some(0))?,
                    self.rows.clone(),
                    &self.settings,
                    &self.registry,
                    &self.runtime,
                    stopped,
                    Some(&mut windows),
                )?;
                (first, later) = (0, vec![]);
            }
        }
        watch.noted(&windows.notes());
        watch.begin(planned, self.session.done() - first);
        let repeats = curriculum.repeats();
        while let Some(step) = self
            .session
            .advance_from(first, &mut windows, &self.store)?
        {
            let window = windows.arrived().cloned();
            let window = window.ok_or_else(|| Error::empty("the window that arrived"))?;
            // Rows that come again are predicted for the last time only.
            let predicted = !repeats || step.version.number == first + planned;
            let digests = std::mem::take(&mut later);
            let record = self.keep(&step, window, digests, predicted)?;
            watch.window(record, first + planned);
        }
        self.settle()
    }

    /// The stream, cut. Without a folder nobody asks what the rows are known by: they need not be gone through first.
    fn windows(
        &self,
        stream: Box<dyn FrameSource>,
        windowing: Option<&Windowing>,
    ) -> Result<FileWindows> {
        let read = limited(&ReadOptions::default(), &self.runtime);
        let whole = Windowing::Count(NonZeroUsize::MIN);
        let rows = stream.open(&read)?.rows();
        let short = |windowing: &&Windowing| {
            let rows = rows.and_then(|rows| usize::try_from(rows).ok());
            let split = rows.map(|rows| windowing.split(rows));
            !matches!(split, Some(Err(Error::WindowTooLarge { .. })))
        };
        let windowing = windowing.filter(short).unwrap_or(&whole);
        let choice = ColumnChoice {
            impute: self.imputes(),
            ..self.settings.choice.clone()
        };
        let encoding = &self.session.source().encoding;
        let known = matches!(self.store, Store::Memory(_))
            .then_some(rows)
            .flatten();
        match known {
            Some(rows) => {
                FileWindows::of_known_rows(stream, encoding, &choice, windowing, &read, rows)
            }
            None => FileWindows::open(stream, encoding, &choice, windowing, &read),
        }
    }

    fn follow_in_memory(&mut self, stream: &dyn FrameSource, watch: &dyn Watch) -> Result<()> {
        let (rows, _) = self.encode(stream, None)?;
        let curriculum = self.session.adaptation().candidate().curriculum.clone();
        let windows = MemoryWindows::new(rows.inputs.clone(), curriculum.windowing());
        let mut windows = match windows {
            Err(Error::WindowTooLarge { .. }) => {
                let step = self.session.arrive(&rows, &self.store)?;
                return self.keep(&step, Window::of(rows), vec![], true).map(drop);
            }
            other => other?.with_source(self.session.adaptation().source()),
        };
        let first = self.session.done();
        let planned = curriculum.stages(windows.ranges().len());
        watch.begin(planned, 0);
        while let Some(step) = self
            .session
            .advance_from(first, &mut windows, &self.store)?
        {
            let arrived = step.stage.arrived.clone().or(step.stage.learn.clone());
            let inputs = arrived.map_or_else(|| rows.inputs.clone(), |domain| domain.inputs);
            let record = self.keep(&step, Window::of(Rows::of(inputs)), vec![], true)?;
            watch.window(record, first + planned);
        }
        self.settle()
    }

    fn keep(
        &mut self,
        step: &Step,
        window: Window,
        digests: Vec<InputDigest>,
        predicted: bool,
    ) -> Result<&WindowRecord> {
        let Window {
            rows, span, notes, ..
        } = window;
        let span = span.map(|(from, to)| (from.to_string(), to.to_string()));
        let mut measured = self.session.measure(step, &rows, span, notes)?;
        measured.record.inputs = digests;
        self.records.push(measured.record.clone());
        match &mut self.store {
            Store::Memory(versions) => versions.push(self.session.current().without_card()),
            Store::Folder(run) => {
                let table = predicted.then(|| WindowTable {
                    rows,
                    classes: self.session.source().classes().to_vec(),
                    labels: measured.labels,
                    probabilities: measured.probabilities,
                });
                let standing = self.session.standing();
                let bundle = self.session.current();
                run.add_window(measured.record, bundle, standing, table)?;
            }
        }
        Ok(self.records.last().expect("a record was just added"))
    }
}
