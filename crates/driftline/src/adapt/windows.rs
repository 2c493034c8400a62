//! A stream cut into windows, wherever it is: in memory here, on disk in `runs::stream`.

use super::curriculum::Stage;
use crate::Result;
use crate::data::{Domain, Inputs, Pool, Remainder, Split, Stream, Task, Windowing};

/// What a curriculum may ask of a stream. Windows are counted from 0 and are cheapest in their order.
pub trait Windows {
    fn count(&self) -> usize;

    fn window(&mut self, index: usize) -> Result<Domain>;

    /// Windows 0 to `index` together.
    fn up_to(&mut self, index: usize) -> Result<Domain>;

    /// The whole stream, rows that fill no window included.
    fn all(&mut self) -> Result<Domain>;

    /// Unlabelled examples at the end of the drift: those that a benchmark has, else the last window.
    fn target_pool(&mut self) -> Result<Domain>;

    /// What became of the rows that fill no window.
    fn remainder(&self) -> Remainder;
}

/// A stream in memory. Windows share its array.
#[derive(Clone, Debug)]
pub struct MemoryWindows {
    stream: Stream,
    split: Split,
    target_pool: Option<Pool>,
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
        })
    }

    /// The stream of a benchmark, with its own target pool.
    pub fn of_task(task: &Task, windowing: Option<&Windowing>) -> Result<Self> {
        let windows = Self::new(task.intermediate.inputs().clone(), windowing)?;
        Ok(Self {
            target_pool: Some(task.target_pool.clone()),
            ..windows
        })
    }
}

impl MemoryWindows {
    /// Where the windows lie in the stream.
    pub fn ranges(&self) -> &[std::ops::Range<usize>] {
        &self.split.windows
    }
}

impl Windows for MemoryWindows {
    fn count(&self) -> usize {
        self.split.windows.len()
    }

    fn window(&mut self, index: usize) -> Result<Domain> {
        Ok(self.stream.window(self.split.windows[index].clone()))
    }

    fn up_to(&mut self, index: usize) -> Result<Domain> {
        Ok(self.stream.window(0..self.split.windows[index].end))
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
}

/// Stages that are there already, for tests and for domains without a stream: each is learned from in turn.
impl Windows for Vec<Domain> {
    fn count(&self) -> usize {
        self.len()
    }

    fn window(&mut self, index: usize) -> Result<Domain> {
        Ok(self[index].clone())
    }

    fn up_to(&mut self, index: usize) -> Result<Domain> {
        let mut all = self[0].inputs.clone();
        for domain in &self[1..=index] {
            all = all.followed_by(&domain.inputs)?;
        }
        Ok(Domain::new(all))
    }

    fn all(&mut self) -> Result<Domain> {
        self.up_to(self.len() - 1)
    }

    fn target_pool(&mut self) -> Result<Domain> {
        self.window(self.len() - 1)
    }

    fn remainder(&self) -> Remainder {
        Remainder::None
    }
}

impl Stage {
    /// A window that has arrived, to be learned from.
    pub fn window(window: Domain) -> Self {
        Self {
            learn: Some(window.clone()),
            arrived: Some(window),
        }
    }
}
