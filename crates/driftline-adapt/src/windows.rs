//! A stream cut into windows, wherever it is: in memory here, on disk in `runs::stream`.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::order::DomainOrder;
use super::version::Version;
use driftline_core::data::{
    Domain, Inputs, LabeledDomain, Pool, Remainder, Split, Stream, Task, Windowing,
};
use driftline_core::{Error, Result};

/// What a curriculum may ask of a stream. Windows are counted from 0 and are cheapest in their order.
pub trait Windows {
    fn count(&self) -> usize;

    fn window(&mut self, index: usize) -> Result<Domain>;

    /// Windows 0 to `index` together.
    fn up_to(&mut self, index: usize) -> Result<Domain>;

    /// The windows up to `index`, the last `count` of them together; fewer at the beginning.
    fn recent(&mut self, index: usize, count: NonZeroUsize) -> Result<Domain> {
        let first = (index + 1).saturating_sub(count.get());
        let mut all = self.window(first)?.inputs;
        for index in first + 1..=index {
            all = all.followed_by(&self.window(index)?.inputs)?;
        }
        Ok(Domain::new(all))
    }

    /// The whole stream, rows that fill no window included.
    fn all(&mut self) -> Result<Domain>;

    /// Unlabelled examples at the end of the drift: those that a benchmark has, else the last window.
    fn target_pool(&mut self) -> Result<Domain>;

    /// What became of the rows that fill no window.
    fn remainder(&self) -> Remainder;

    /// The windows as domains without time, in the order that is found for them; it is found once. `model` is asked
    /// where the order is by features or confidence.
    fn ordered(&mut self, _order: DomainOrder, _model: &Version) -> Result<Vec<usize>> {
        Err(Error::NotSupported {
            what: "a stream without its source in memory".into(),
            how: "put in order on the way; `driftline order` finds the order of domains, and the stream is then given in it".into(),
        })
    }
}

/// A stream in memory. Windows share its array.
#[derive(Clone, Debug)]
pub struct MemoryWindows {
    stream: Stream,
    split: Split,
    target_pool: Option<Pool>,
    /// Inputs of the source, where windows may have to be put in order.
    source: Option<Inputs>,
    found: Option<(DomainOrder, Vec<usize>)>,
}

impl MemoryWindows {
    /// Cuts `inputs`; the last window is the target pool. Without a windowing there are no windows.
    pub fn new(inputs: Inputs, windowing: Option<&Windowing>) -> Result<Self> {
        let stream = Stream::new(inputs);
        let split = match windowing {
            Some(windowing) => stream.split(windowing)?,
            None => Split {
                windows: vec![],
                remainder: Remainder::None,
            },
        };
        Ok(Self {
            stream,
            split,
            target_pool: None,
            source: None,
            found: None,
        })
    }

    /// The stream of a benchmark, with its own target pool.
    pub fn of_task(task: &Task, windowing: Option<&Windowing>) -> Result<Self> {
        let windows = Self::new(task.intermediate.inputs().clone(), windowing)?;
        Ok(Self {
            target_pool: Some(task.target_pool.clone()),
            source: Some(task.source.inputs().clone()),
            ..windows
        })
    }
}

impl MemoryWindows {
    /// With the inputs of the source at hand, so that windows can be put in order.
    pub fn with_source(self, source: Option<&LabeledDomain>) -> Self {
        let source = source.map(|source| source.inputs().clone());
        Self { source, ..self }
    }

    /// Where the windows lie in the stream.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.split.windows
    }

    fn range(&self, index: usize) -> Result<Range<usize>> {
        let range = self.split.windows.get(index).cloned();
        range.ok_or_else(|| no_window(index, self.split.windows.len()))
    }
}

impl Windows for MemoryWindows {
    fn count(&self) -> usize {
        self.split.windows.len()
    }

    fn window(&mut self, index: usize) -> Result<Domain> {
        self.stream.window(self.range(index)?)
    }

    fn up_to(&mut self, index: usize) -> Result<Domain> {
        self.stream.window(0..self.range(index)?.end)
    }

    fn recent(&mut self, index: usize, count: NonZeroUsize) -> Result<Domain> {
        let first = (index + 1).saturating_sub(count.get());
        self.stream
            .window(self.range(first)?.start..self.range(index)?.end)
    }

    fn all(&mut self) -> Result<Domain> {
        Ok(self.stream.pooled())
    }

    fn target_pool(&mut self) -> Result<Domain> {
        match (&self.target_pool, self.count()) {
            (Some(pool), _) => pool.domain(),
            (None, 0) => self.all(),
            (None, count) => self.window(count - 1),
        }
    }

    fn remainder(&self) -> Remainder {
        self.split.remainder
    }

    fn ordered(&mut self, order: DomainOrder, model: &Version) -> Result<Vec<usize>> {
        let known = self.found.as_ref().filter(|(known, _)| *known == order);
        if let Some((_, found)) = known {
            return Ok(found.clone());
        }
        let source = self.source.clone().ok_or(Error::SourceMissing)?;
        let windows = (0..self.count()).map(|index| Ok(self.window(index)?.inputs));
        let windows: Vec<Inputs> = windows.collect::<Result<_>>()?;
        let placed = order.of(&source, &windows, Some(model))?;
        let found: Vec<usize> = placed.iter().map(|placed| placed.domain).collect();
        self.found = Some((order, found.clone()));
        Ok(found)
    }
}

fn no_window(index: usize, count: usize) -> Error {
    let allowed = format!("below {count}, the number of windows");
    Error::out_of_range("the window, counted from 0,", index, allowed)
}

/// Stages that are there already, for tests and for domains without a stream: each is learned from in turn.
impl Windows for Vec<Domain> {
    fn count(&self) -> usize {
        self.len()
    }

    fn window(&mut self, index: usize) -> Result<Domain> {
        let window = self.get(index).cloned();
        window.ok_or_else(|| no_window(index, self.len()))
    }

    fn up_to(&mut self, index: usize) -> Result<Domain> {
        let windows = self.get(..=index).and_then(<[Domain]>::split_first);
        let (first, others) = windows.ok_or_else(|| no_window(index, self.len()))?;
        let mut all = first.inputs.clone();
        for domain in others {
            all = all.followed_by(&domain.inputs)?;
        }
        Ok(Domain::new(all))
    }

    fn all(&mut self) -> Result<Domain> {
        self.up_to(self.len().saturating_sub(1))
    }

    fn target_pool(&mut self) -> Result<Domain> {
        self.window(self.len().saturating_sub(1))
    }

    fn remainder(&self) -> Remainder {
        Remainder::None
    }
}
