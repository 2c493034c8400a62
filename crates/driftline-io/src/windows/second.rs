//! The second pass over a stream: rows into windows. Rows in time order are read once; others are read as often as it
//! takes to gather all windows with the memory allowed.

use std::collections::VecDeque;

use super::Window;
use super::plan::WindowPlan;
use crate::ahead::Ahead;
use crate::encoding::Applied;
use crate::rows::RowBuffer;
use crate::time::Clock;
use crate::{Batch, Notes, ReadOptions, TableSource};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

pub(super) struct SecondPass {
    source: Box<dyn TableSource>,
    options: ReadOptions,
    /// The reader of the current pass; none before one.
    frames: Option<Ahead>,
    applied: Applied,
    plan: WindowPlan,
    /// The next window, from 0.
    next: usize,
    /// Rows that count and are still to be passed over.
    skip: usize,
    /// A frame that is not used up, the rows of it that count, and how many of them are used.
    pending: Option<(Batch, Vec<usize>, usize)>,
    /// Windows gathered from an unsorted stream.
    ready: VecDeque<Window>,
}

impl SecondPass {
    pub fn new(
        source: Box<dyn TableSource>,
        options: ReadOptions,
        applied: Applied,
        plan: WindowPlan,
    ) -> Self {
        Self {
            source,
            options,
            frames: None,
            applied,
            plan,
            next: 0,
            skip: 0,
            pending: None,
            ready: VecDeque::new(),
        }
    }

    /// Makes one window of all rows, and says how many they are.
    pub fn join_windows(&mut self) -> usize {
        let rows = self.plan.rows as usize;
        self.plan.sizes = vec![rows];
        // A clock belongs to a cut by the calendar.
        self.plan.clock = Clock::AsIs;
        rows
    }

    pub fn start_at(&mut self, number: usize) {
        self.next = number.saturating_sub(1);
        let before = self.plan.sizes.iter().take(self.next);
        self.skip = before.sum();
    }

    pub fn next(&mut self) -> Result<Option<Window>> {
        if self.next >= self.plan.sizes.len() {
            return Ok(None);
        }
        let window = match self.plan.ranks {
            None => self.next_in_order(),
            Some(_) => self.next_sorted(),
        };
        match window {
            Ok(window) => {
                self.next += 1;
                Ok(Some(window))
            }
            Err(error) => {
                self.next = usize::MAX;
                Err(error)
            }
        }
    }

    fn next_in_order(&mut self) -> Result<Window> {
        let size = self.plan.sizes[self.next];
        self.expect_room(size)?;
        let mut buffer = self.applied.buffer();
        let mut notes = Notes::new();
        let width = self.applied.encoding().shape().size();
        buffer.values.reserve_exact(size * width);
        while buffer.len() < size {
            let (frame, rows, used) = match self.pending.take() {
                Some(pending) => pending,
                None => self.next_pending()?,
            };
            let passed = self.skip.min(rows.len() - used);
            self.skip -= passed;
            let start = used + passed;
            let end = rows.len().min(start + size - buffer.len());
            self.applied
                .encode(&frame, &rows[start..end], &mut buffer, &mut notes)?;
            if end < rows.len() {
                self.pending = Some((frame, rows, end));
            }
        }
        self.finish(self.next, buffer, notes)
    }

    fn next_pending(&mut self) -> Result<(Batch, Vec<usize>, usize)> {
        self.options.cancel.check()?;
        let mut frames = match self.frames.take() {
            Some(frames) => frames,
            None => self.reopen()?,
        };
        let frame = frames.next()?.ok_or_else(|| self.changed())?;
        self.frames = Some(frames);
        let rows = self.applied.selected(&frame);
        Ok((frame, rows, 0))
    }

    fn next_sorted(&mut self) -> Result<Window> {
        if let Some(window) = self.ready.pop_front() {
            return Ok(window);
        }
        self.ready = self.gather()?.into();
        self.ready.pop_front().ok_or_else(|| self.changed())
    }

    /// As many of the next windows as fit into the memory allowed, at least one, in one pass over the stream.
    fn gather(&mut self) -> Result<Vec<Window>> {
        let sizes = &self.plan.sizes;
        let start: usize = sizes[..self.next].iter().sum();
        let room = self.rows_that_fit() / 2;
        let mut ends = vec![];
        let mut end = start;
        for &size in &sizes[self.next..] {
            if !ends.is_empty() && end + size - start > room {
                break;
            }
            end += size;
            ends.push(end);
        }
        self.expect_room(ends[0] - start)?;
        let mut gathered: Vec<(RowBuffer, Notes, Vec<u32>)> = ends
            .iter()
            .map(|_| (self.applied.buffer(), Notes::new(), vec![]))
            .collect();
        let mut frames = self.reopen()?;
        let ranks = self.plan.ranks.as_deref().unwrap_or_default();
        let mut row = 0;
        while let Some(frame) = frames.next()? {
            self.options.cancel.check()?;
            let mut wanted: Vec<Vec<usize>> = vec![vec![]; ends.len()];
            for own in self.applied.selected(&frame) {
                let rank = *ranks.get(row).ok_or_else(|| self.changed())?;
                row += 1;
                let place = rank as usize;
                if (start..end).contains(&place) {
                    let window = ends.partition_point(|&end| end <= place);
                    wanted[window].push(own);
                    gathered[window].2.push(rank);
                }
            }
            for (rows, (buffer, notes, _)) in wanted.iter().zip(&mut gathered) {
                if !rows.is_empty() {
                    self.applied.encode(&frame, rows, buffer, notes)?;
                }
            }
        }
        let width = self.applied.encoding().shape().size();
        let mut windows = vec![];
        for (at, (mut buffer, notes, ranks)) in gathered.into_iter().enumerate() {
            if ranks.len() != self.plan.sizes[self.next + at] {
                return Err(self.changed());
            }
            let mut order: Vec<usize> = (0..ranks.len()).collect();
            order.sort_by_key(|&row| ranks[row]);
            buffer.reorder(&order, width);
            windows.push(self.finish(self.next + at, buffer, notes)?);
        }
        Ok(windows)
    }

    fn finish(&self, index: usize, mut buffer: RowBuffer, notes: Notes) -> Result<Window> {
        for time in &mut buffer.times {
            *time = self.plan.clock.read(*time);
        }
        let (first, last) = (buffer.times.first(), buffer.times.last());
        let span = first.copied().zip(last.copied());
        Ok(Window {
            number: index + 1,
            rows: buffer.finish(&self.applied)?,
            span,
            notes,
        })
    }

    /// A reader at the first row, which must still give the columns that were surveyed.
    fn reopen(&self) -> Result<Ahead> {
        let frames = self.source.open(&self.options)?;
        match self.applied.fits(&*frames) {
            true => Ok(Ahead::new(frames)),
            false => Err(self.changed()),
        }
    }

    /// Encoded rows that the memory allowed holds.
    fn rows_that_fit(&self) -> usize {
        // Beside the inputs: time, answer, origin.
        let row = 4 * self.applied.encoding().shape().size() as u64 + 40;
        (self.options.limits.memory / row) as usize
    }

    fn expect_room(&self, rows: usize) -> Result<()> {
        if rows <= self.rows_that_fit() {
            return Ok(());
        }
        let memory = self.options.limits.memory;
        let message = format!("a window of {rows} rows needs more than {memory} bytes of memory");
        let fault = DataFault::new(&self.applied.files[0], message);
        Err(fault.help("choose smaller windows").into())
    }

    fn changed(&self) -> Error {
        let message = "changed while it was being read";
        DataFault::new(&self.applied.files[0], message).into()
    }
}
