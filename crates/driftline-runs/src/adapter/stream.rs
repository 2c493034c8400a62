//! Adapting: to one window, to a table, or to whatever can be read, of which at most a few windows are in memory.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::{Adapter, Store};
use crate::fit::limited;
use crate::record::WindowRecord;
use crate::stream::FileWindows;
use crate::watch::Watch;
use driftline_adapt::{After, Curriculum, MemoryWindows, Stage, Stages, Version};
use driftline_core::data::{Inputs, Windowing};
use driftline_core::{Error, Result};
use driftline_io::{ColumnChoice, ReadOptions, Rows, Table, TableSource, Window};

/// The one curriculum that has to see all windows before it takes the first.
const ORDERED: &str = "ordered";

impl Adapter {
    /// Adapts to one window.
    pub fn step(&mut self, window: impl Into<Table>) -> Result<&WindowRecord> {
        let window = window.into();
        let runtime = self.runtime.clone();
        self.take_labels()?;
        runtime.install(|| {
            let (rows, digests) = self.encode(&window, None)?;
            let window = Window::of(rows);
            self.session.arrive(window, digests, &mut self.kept)
        })?;
        Ok(self.kept.records.last().expect("a record was just added"))
    }

    /// Adapts to a stream, cut into windows as the curriculum wants it; fewer rows than a window are one window. The
    /// records of its windows.
    pub fn adapt(&mut self, stream: impl Into<Table>) -> Result<&[WindowRecord]> {
        self.adapt_from(Box::new(stream.into()), &())
    }

    /// The same for whatever can be read. Where the folder holds a run that was stopped within this stream, it goes on.
    pub fn adapt_from(
        &mut self,
        stream: Box<dyn TableSource>,
        watch: &dyn Watch,
    ) -> Result<&[WindowRecord]> {
        let before = self.kept.records.len();
        self.take_labels()?;
        let runtime = self.runtime.clone();
        runtime.install(
            || match self.session.engine().candidate().curriculum.name() {
                ORDERED => self.follow_in_memory(&*stream, watch),
                _ => self.follow(stream, watch),
            },
        )?;
        Ok(&self.kept.records[before..])
    }

    fn follow(&mut self, stream: Box<dyn TableSource>, watch: &dyn Watch) -> Result<()> {
        let curriculum = self.session.engine().candidate().curriculum.clone();
        let mut windows = self.windows(stream, curriculum.windowing())?;
        let digests = windows.outline().digests.clone();
        let planned = curriculum.stages(windows.outline().windows.len());
        // A later stream begins anew: its windows are counted from its own first.
        let mut first = self.session.engine().done();
        let mut later = digests;
        if let Store::Folder(run) = &mut self.kept.store {
            let found = std::mem::take(&mut self.found);
            let manifest = run.manifest();
            if manifest.stream.is_empty() && manifest.windows == 0 {
                run.begin_stream(std::mem::take(&mut later), planned, windows.notes())?;
            } else if found && manifest.stream == later {
                if manifest.windows >= planned {
                    return Ok(());
                }
                let rows = self.rows.clone();
                self.session = run.session(rows, &self.runtime, Some(&mut windows))?;
                (first, later) = (0, vec![]);
            }
        }
        watch.noted(&windows.notes());
        watch.begin(planned, self.session.engine().done() - first);
        let mut stream = After(first, &mut windows);
        let (session, kept) = (&mut self.session, &mut self.kept);
        session.record(&mut stream, first + planned, later, kept, watch)?;
        self.settle()
    }

    /// The stream, cut. Without a folder nobody asks what the rows are known by: they need not be gone through first.
    fn windows(
        &self,
        stream: Box<dyn TableSource>,
        windowing: Option<&Windowing>,
    ) -> Result<FileWindows> {
        let read = limited(&ReadOptions::default(), &self.runtime);
        let whole = Windowing::Count(NonZeroUsize::MIN);
        let rows = stream.open(&read)?.head().rows;
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
        let known = matches!(self.kept.store, Store::Memory(_))
            .then_some(rows)
            .flatten();
        match known {
            Some(rows) => {
                FileWindows::of_known_rows(stream, encoding, &choice, windowing, &read, rows)
            }
            None => FileWindows::open(stream, encoding, &choice, windowing, &read),
        }
    }

    fn follow_in_memory(&mut self, stream: &dyn TableSource, watch: &dyn Watch) -> Result<()> {
        let (rows, _) = self.encode(stream, None)?;
        let curriculum = self.session.engine().candidate().curriculum.clone();
        let windows = MemoryWindows::new(rows.inputs.clone(), curriculum.windowing());
        let windows = match windows {
            Err(Error::WindowTooLarge { .. }) => {
                let window = Window::of(rows);
                return self.session.arrive(window, vec![], &mut self.kept);
            }
            other => other?.with_source(self.session.engine().source()),
        };
        let first = self.session.engine().done();
        let planned = curriculum.stages(windows.ranges().len());
        watch.begin(planned, 0);
        let mut arrays = Arrays {
            windows,
            all: rows.inputs,
        };
        let mut stream = After(first, &mut arrays);
        let (session, kept) = (&mut self.session, &mut self.kept);
        session.record(&mut stream, first + planned, vec![], kept, watch)?;
        self.settle()
    }
}

/// Windows in memory, of whose rows no more is known than what they hold.
struct Arrays {
    windows: MemoryWindows,
    all: Inputs,
}

impl Stages for Arrays {
    type Rows = Arc<Window>;

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, Arc<Window>)>> {
        let stage = curriculum.next(place, &mut self.windows, teacher)?;
        Ok(stage.map(|stage| {
            let arrived = stage.arrived.as_ref().or(stage.learn.as_ref());
            let inputs = arrived.map_or(&self.all, |domain| &domain.inputs);
            let window = Window::of(Rows::of(inputs.clone()));
            (stage, Arc::new(window))
        }))
    }
}
