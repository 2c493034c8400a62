//! The one loop. Files, arrays, comparisons, experiments, fleets and Python all come through [`Engine::run`]; they differ in
//! the stream that the stages come from and in the sink that the steps go to.

use std::sync::Arc;

use super::{Engine, Step};
use crate::curriculum::{Curriculum, Stage};
use crate::policy::Expert;
use crate::version::{Archive, Version};
use crate::windows::MemoryWindows;
use driftline_core::Result;
use driftline_core::data::Domain;

/// A stream that gives a stage together with the rows that arrive with it.
pub trait Stages {
    /// What is known of the rows and is not for learning: where they come from, when, and perhaps their answers. The engine
    /// hands it on unseen.
    type Rows;

    /// The stage at `place`, or none at the end.
    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, Self::Rows)>>;

    /// Who knows the classes of these rows and may be asked about a few, if anybody.
    fn expert(&self, _rows: &Self::Rows) -> Option<Arc<dyn Expert>> {
        None
    }
}

/// Where finished steps go, and where earlier versions are found.
pub trait Sink<R> {
    fn archive(&self) -> &dyn Archive;

    /// Takes a step; `engine` stands behind it.
    fn accept(&mut self, engine: &Engine, step: Step<R>) -> Result<()>;
}

impl Engine {
    /// Goes on to the end of `stream`, or until it is interrupted.
    pub fn run<S: Stages>(&mut self, stream: &mut S, sink: &mut dyn Sink<S::Rows>) -> Result<()> {
        while let Some(step) = self.next_step(stream, sink.archive())? {
            sink.accept(self, step)?;
        }
        Ok(())
    }

    /// The same where only the last version is wanted.
    pub fn finish(mut self, stream: &mut impl Stages) -> Result<Version> {
        let mut sink = EachStep::new(&self, |_| Ok(()));
        self.run(stream, &mut sink)?;
        Ok(self.deployed)
    }

    fn next_step<S: Stages>(
        &mut self,
        stream: &mut S,
        archive: &dyn Archive,
    ) -> Result<Option<Step<S::Rows>>> {
        self.runtime.cancel().check()?;
        let curriculum = &*self.candidate().curriculum;
        let Some((stage, rows)) = stream.stage(curriculum, self.done, &self.deployed)? else {
            return Ok(None);
        };
        if let Some(expert) = stream.expert(&rows) {
            self.expert = Some(expert);
        }
        self.process(stage, rows, archive).map(Some)
    }
}

/// Keeps all versions in memory and shows every step to `see`.
#[derive(Debug)]
pub struct EachStep<F> {
    versions: Vec<Version>,
    see: F,
}

impl<F> EachStep<F> {
    /// For an engine before its first stage.
    pub fn new<R>(engine: &Engine, see: F) -> Self
    where
        F: FnMut(&Step<R>) -> Result<()>,
    {
        Self {
            versions: vec![engine.first().clone()],
            see,
        }
    }
}

impl<R, F: FnMut(&Step<R>) -> Result<()>> Sink<R> for EachStep<F> {
    fn archive(&self) -> &dyn Archive {
        &self.versions
    }

    fn accept(&mut self, _: &Engine, step: Step<R>) -> Result<()> {
        (self.see)(&step)?;
        self.versions.push(step.version);
        Ok(())
    }
}

/// A stream that begins after so many stages of others.
#[derive(Debug)]
pub struct After<'a, S>(pub usize, pub &'a mut S);

impl<S: Stages> Stages for After<'_, S> {
    type Rows = S::Rows;

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, S::Rows)>> {
        self.1.stage(curriculum, place - self.0, teacher)
    }

    fn expert(&self, rows: &S::Rows) -> Option<Arc<dyn Expert>> {
        self.1.expert(rows)
    }
}

impl Stages for MemoryWindows {
    type Rows = ();

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, ())>> {
        in_memory(curriculum.next(place, self, teacher))
    }
}

impl Stages for Vec<Domain> {
    type Rows = ();

    fn stage(
        &mut self,
        curriculum: &dyn Curriculum,
        place: usize,
        teacher: &Version,
    ) -> Result<Option<(Stage, ())>> {
        in_memory(curriculum.next(place, self, teacher))
    }
}

/// Of rows in memory nothing else is known.
fn in_memory(stage: Result<Option<Stage>>) -> Result<Option<(Stage, ())>> {
    Ok(stage?.map(|stage| (stage, ())))
}
