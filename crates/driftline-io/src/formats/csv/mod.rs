//! CSV, plain or gzip. Delimiter, header and the kinds of columns are found in a first look, and stated; then the file is
//! read in blocks, several of them parsed side by side while the next ones are read.

mod blocks;
mod checked;
mod detection;
mod layout;
mod plain;
mod records;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::path::Path;

use rayon::prelude::*;

use super::bytes::up_to;
use super::cp1252;
use super::text_file::{TextFile, damaged};
use crate::{Batch, Batches, Head, InputDigest, NoteCode, ReadOptions, TextEncoding};
use blocks::{BLOCK, Block, Blocks};
use detection::{Detection, LOOK};
use driftline_core::Result;
use layout::{Layout, Parsed};
use records::Before;

/// A CSV file being read.
pub struct CsvFrames {
    head: Head,
    layout: Layout,
    blocks: Blocks,
    /// Blocks that were read, and blocks that were parsed.
    waiting: Vec<Block>,
    parsed: VecDeque<Done>,
    /// Rows of a block that was passed, ready to be given.
    ready: VecDeque<Parsed>,
    next_row: u64,
    /// What ended the reading, to be told after the rows before it.
    fault: Option<std::io::Error>,
    before: Before,
    ended: bool,
}

/// A block, and its rows unless something is wrong with one.
struct Done {
    block: Block,
    parsed: Option<Vec<Parsed>>,
    adds: Before,
}

impl CsvFrames {
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::in_blocks_of(BLOCK, path, options)
    }

    fn in_blocks_of(size: usize, path: &Path, options: &ReadOptions) -> Result<Self> {
        let mut file = TextFile::open(path, u64::MAX, options.digest)?;
        let mut start = up_to(&mut file, LOOK + 1).map_err(|error| damaged(path, error))?;
        // Some files have two marks of byte order, and one was left out before.
        if start.starts_with(b"\xef\xbb\xbf") {
            start.drain(..3);
        }
        let detected = cp1252::detect(&start);
        let encoding = options.encoding.unwrap_or(detected);
        let plain = options.delimiter.is_none_or(|byte| byte.is_ascii());
        if encoding == TextEncoding::Cp1252 && plain && !has_zeros(&start) {
            start = cp1252::to_utf8(&start);
            file.recode();
        }
        let look = Detection::at(path, &start, options)?;
        let layout = Layout::new(path.to_path_buf(), look, options);
        let limit = options.limits.record;
        let blocks = Blocks::new(start, file, layout.look.delimiter, limit, size);
        let mut head = layout.head(options);
        if encoding == TextEncoding::Cp1252 && options.encoding.is_none() {
            head.remark(NoteCode::Recoded, "is not UTF-8 and was read as cp1252");
        }
        if layout.look.repeats > 0 {
            head.remark(
                NoteCode::HeaderRepeated,
                "repeats its header among the rows; these lines were left out",
            );
        }
        let mut frames = Self {
            head,
            layout,
            blocks,
            waiting: vec![],
            parsed: VecDeque::new(),
            ready: VecDeque::new(),
            next_row: 1,
            fault: None,
            before: Before::default(),
            ended: false,
        };
        if frames.layout.look.header {
            frames.skip_header()?;
        }
        Ok(frames)
    }

    fn skip_header(&mut self) -> Result<()> {
        let fault = |error| records::fault(&self.layout, error, 0);
        while let Some(mut block) = self.blocks.next().map_err(fault)? {
            let delimiter = self.layout.look.delimiter;
            let length = records::length_of_first(block.bytes(), delimiter);
            let passed = &block.bytes()[..length.unwrap_or(block.bytes().len())];
            self.before = self.before.followed_by(Before::of(passed, 0));
            if let Some(length) = length {
                block.start += length;
                self.waiting.push(block);
                break;
            }
        }
        Ok(())
    }

    /// Parses the blocks that wait, on all threads, while the next ones are read.
    fn advance(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let (layout, blocks, fault) = (&self.layout, &mut self.blocks, &mut self.fault);
        let most = (2 * rayon::current_num_threads()).min(MOST_BLOCKS);
        let (parsed, next) = rayon::join(
            || {
                let blocks = waiting.into_par_iter();
                let done = blocks.map(|block| Done::new(block, layout));
                done.collect::<Vec<_>>()
            },
            || {
                let mut next = vec![];
                while next.len() < most && fault.is_none() {
                    match blocks.next() {
                        Ok(Some(block)) => next.push(block),
                        Ok(None) => break,
                        Err(error) => *fault = Some(error),
                    }
                }
                next
            },
        );
        self.parsed.extend(parsed);
        self.waiting = next;
    }

    /// Passes the next block, so that its rows are ready; false at the end.
    fn pass_block(&mut self) -> Result<bool> {
        if self.parsed.is_empty() {
            self.advance();
        }
        let Some(done) = self.parsed.pop_front() else {
            if !self.waiting.is_empty() {
                return Ok(true);
            }
            return match self.fault.take() {
                Some(error) => Err(records::fault(&self.layout, error, self.next_row)),
                None => Ok(false),
            };
        };
        let parts = match done.parsed {
            Some(parts) => parts,
            // Once more, now that the numbers of its rows and lines are known.
            None => records::read(done.block.bytes(), &self.layout, self.before)?,
        };
        self.ready.extend(parts);
        self.before = self.before.followed_by(done.adds);
        self.blocks.recycle(done.block);
        Ok(true)
    }

    fn next_part(&mut self) -> Result<Option<Batch>> {
        while self.ready.is_empty() {
            if !self.pass_block()? {
                return Ok(None);
            }
        }
        let first_row = self.next_row;
        Ok(self.ready.pop_front().map(|Parsed { columns, rows }| {
            self.next_row += rows as u64;
            Batch::new(first_row, columns, rows)
        }))
    }
}

/// Text in UTF-16 and binary files have zeros, and are told by them.
fn has_zeros(start: &[u8]) -> bool {
    start[..start.len().min(1 << 12)].contains(&0)
}

/// Many threads need not hold many blocks each.
const MOST_BLOCKS: usize = 64;

impl Done {
    fn new(block: Block, layout: &Layout) -> Self {
        let parsed = match block.plain && layout.look.repeats == 0 {
            true => plain::parse(block.bytes(), layout),
            false => records::read(block.bytes(), layout, Before::default()).ok(),
        };
        let rows = parsed.iter().flatten().map(|part| part.rows).sum();
        Self {
            adds: Before::of(block.bytes(), rows),
            block,
            parsed,
        }
    }
}

impl Batches for CsvFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        let frame = self.next_part();
        self.ended = !matches!(frame, Ok(Some(_)));
        frame
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(self.blocks.digest().into_iter().collect())
    }
}

impl std::fmt::Debug for CsvFrames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvFrames")
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}
