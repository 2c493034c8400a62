//! Which unlabelled domains to self-train on, and in which order: all that the paper's methods differ in.

use std::num::NonZeroUsize;
use std::ops::Range;

use crate::Result;
use crate::data::{Domain, Remainder, Task, Windowing};
use crate::random::Seed;

/// A rule that turns a task into a sequence of domains.
pub trait Curriculum: Send + Sync {
    fn stages<'a>(&self, task: &'a Task, seed: Seed) -> Result<Stages<'a>>;
}

/// The domains of a curriculum, made one by one: a stream may be larger than memory.
pub struct Stages<'a> {
    domains: Box<dyn Iterator<Item = Result<Domain>> + Send + 'a>,
    /// What became of the examples that fill no window.
    pub remainder: Remainder,
}

impl<'a> Stages<'a> {
    pub fn new(
        domains: impl Iterator<Item = Result<Domain>> + Send + 'a,
        remainder: Remainder,
    ) -> Self {
        Self {
            domains: Box::new(domains),
            remainder,
        }
    }

    /// Stages that leave nothing out.
    pub fn of(domains: Vec<Domain>) -> Stages<'static> {
        Stages::new(domains.into_iter().map(Ok), Remainder::None)
    }

    fn repeated(domain: Domain, repeats: NonZeroUsize) -> Stages<'static> {
        let domains = std::iter::repeat_n(domain, repeats.get());
        Stages::new(domains.map(Ok), Remainder::None)
    }
}

impl Iterator for Stages<'_> {
    type Item = Result<Domain>;

    fn next(&mut self) -> Option<Self::Item> {
        self.domains.next()
    }
}

impl std::fmt::Debug for Stages<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stages")
            .field("remainder", &self.remainder)
            .finish_non_exhaustive()
    }
}

/// No adaptation: the baseline *Source*.
#[derive(Clone, Copy, Debug)]
pub struct SourceOnly;

/// The target pool, again and again: *Target ST*.
#[derive(Clone, Copy, Debug)]
pub struct TargetOnly {
    pub repeats: NonZeroUsize,
}

/// The whole stream at once, again and again: *All ST*.
#[derive(Clone, Copy, Debug)]
pub struct Pooled {
    pub repeats: NonZeroUsize,
    /// Pool the target with it, as the paper's text says; its numbers were made without.
    pub and_target: bool,
}

/// One window after the other: *Gradual ST*.
#[derive(Clone, Debug)]
pub struct Gradual {
    pub windowing: Windowing,
    /// End on the target pool, as the paper's text says; its numbers were made without.
    pub then_target: bool,
}

impl Pooled {
    pub fn new(repeats: NonZeroUsize) -> Self {
        Self {
            repeats,
            and_target: false,
        }
    }
}

impl Gradual {
    pub fn new(windowing: Windowing) -> Self {
        Self {
            windowing,
            then_target: false,
        }
    }
}

/// One window after the other, each together with all earlier ones.
#[derive(Clone, Debug)]
pub struct Accumulate {
    pub windowing: Windowing,
}

impl Curriculum for SourceOnly {
    fn stages<'a>(&self, _: &'a Task, _: Seed) -> Result<Stages<'a>> {
        Ok(Stages::of(Vec::new()))
    }
}

impl Curriculum for TargetOnly {
    fn stages<'a>(&self, task: &'a Task, _: Seed) -> Result<Stages<'a>> {
        Ok(Stages::repeated(task.target_pool.domain()?, self.repeats))
    }
}

impl Curriculum for Pooled {
    fn stages<'a>(&self, task: &'a Task, _: Seed) -> Result<Stages<'a>> {
        let mut pool = task.intermediate.pooled();
        if self.and_target {
            pool = Domain::new(
                pool.inputs
                    .followed_by(&task.target_pool.domain()?.inputs)?,
            );
        }
        Ok(Stages::repeated(pool, self.repeats))
    }
}

impl Curriculum for Gradual {
    fn stages<'a>(&self, task: &'a Task, _: Seed) -> Result<Stages<'a>> {
        let stages = windows(task, &self.windowing, |window| window)?;
        if !self.then_target {
            return Ok(stages);
        }
        let remainder = stages.remainder;
        Ok(Stages::new(
            stages.chain(std::iter::once_with(|| task.target_pool.domain())),
            remainder,
        ))
    }
}

impl Curriculum for Accumulate {
    fn stages<'a>(&self, task: &'a Task, _: Seed) -> Result<Stages<'a>> {
        windows(task, &self.windowing, |window| 0..window.end)
    }
}

fn windows<'a>(
    task: &'a Task,
    windowing: &Windowing,
    extent: fn(Range<usize>) -> Range<usize>,
) -> Result<Stages<'a>> {
    let split = task.intermediate.split(windowing)?;
    let domains = split
        .windows
        .into_iter()
        .map(move |window| Ok(task.intermediate.window(extent(window))));
    Ok(Stages::new(domains, split.remainder))
}
