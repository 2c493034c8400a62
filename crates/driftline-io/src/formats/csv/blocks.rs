//! A CSV file in blocks that end where a record does, so that they can be read side by side.

use std::io::{Chain, Cursor, Error, ErrorKind, Read, Result};

use crate::InputDigest;
use crate::formats::text_file::{TextFile, TooLong};

/// About so many bytes make a block.
pub(super) const BLOCK: usize = 1 << 20;

/// The text of a file, of which the first part may have been read already.
pub(super) struct Blocks {
    input: Chain<Cursor<Vec<u8>>, TextFile>,
    delimiter: u8,
    /// The longest record that is allowed.
    limit: u64,
    size: usize,
    /// What follows the last block that was given.
    rest: Vec<u8>,
    ended: bool,
    /// Why it ended, where that was no end of the file.
    fault: Option<Error>,
    /// Memory to be used again.
    spare: Vec<Vec<u8>>,
}

/// Whole records, the last one perhaps without its end.
#[derive(Debug)]
pub(super) struct Block {
    memory: Vec<u8>,
    /// What of it is text.
    pub start: usize,
    end: usize,
    /// Whether no field is in quotes: every line is a record.
    pub plain: bool,
}

impl Block {
    fn new(memory: Vec<u8>, end: usize, plain: bool) -> Self {
        Self {
            memory,
            start: 0,
            end,
            plain,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }
}

impl Blocks {
    pub fn new(start: Vec<u8>, file: TextFile, delimiter: u8, limit: u64, size: usize) -> Self {
        Self {
            input: Cursor::new(start).chain(file),
            delimiter,
            limit,
            size,
            rest: vec![],
            ended: false,
            fault: None,
            spare: vec![],
        }
    }

    /// What the file is known by, once the last block was given.
    pub fn digest(&self) -> Option<InputDigest> {
        self.input.get_ref().1.digest()
    }

    /// Takes back the memory of a block that is done with.
    pub fn recycle(&mut self, block: Block) {
        self.spare.push(block.memory);
    }

    /// The next block, or none at the end. Records before a fault come first; after an error comes the end.
    pub fn next(&mut self) -> Result<Option<Block>> {
        let mut memory = self.spare.pop().unwrap_or_default();
        let mut filled = self.rest.len();
        if memory.len() < filled + self.size {
            memory.resize(filled + self.size, 0);
        }
        memory[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        let mut plain = true;
        while !self.ended {
            self.fill(&mut memory, &mut filled);
            let end;
            (end, plain) = last_end(&memory[..filled], self.delimiter);
            if (filled - end) as u64 > self.limit && self.fault.is_none() {
                self.ended = true;
                self.fault = Some(Error::other(TooLong(self.limit)));
            }
            if end > 0 && (!self.ended || self.fault.is_some()) {
                if !self.ended {
                    self.rest.extend_from_slice(&memory[end..filled]);
                }
                return Ok(Some(Block::new(memory, end, plain)));
            }
            if !self.ended {
                let longer = 2 * memory.len();
                memory.resize(longer, 0);
            }
        }
        match self.fault.take() {
            Some(fault) => Err(fault),
            None if filled > 0 => Ok(Some(Block::new(memory, filled, plain))),
            None => Ok(None),
        }
    }

    /// Reads until the memory is full, or to the end, or to a fault.
    fn fill(&mut self, memory: &mut [u8], filled: &mut usize) {
        while *filled < memory.len() && !self.ended {
            match self.input.read(&mut memory[*filled..]) {
                Ok(0) => self.ended = true,
                Ok(n) => *filled += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.fault = Some(error);
                }
            }
        }
    }
}

/// Delimiters that stand for nothing else, so that a plain block can be taken apart by looking for them.
pub(super) fn is_ordinary(delimiter: u8) -> bool {
    !matches!(
        delimiter,
        b'"' | b'\n' | b'\r' | b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E'
    )
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Where the last record ends in text that begins with a record, 0 if none does; and whether no field is in quotes.
fn last_end(text: &[u8], delimiter: u8) -> (usize, bool) {
    if text.contains(&b'"') || !is_ordinary(delimiter) {
        return (last_end_quoted(text, delimiter), false);
    }
    let last = |byte: u8| text.iter().rposition(|&b| b == byte);
    let end = last(b'\n').or_else(|| last(b'\r'));
    (end.map_or(0, |at| at + 1), true)
}

/// The same by the rules of the `csv` crate: quotes count at the start of a field only, and what follows the closing
/// one still belongs to the field.
fn last_end_quoted(text: &[u8], delimiter: u8) -> usize {
    #[derive(Clone, Copy)]
    enum State {
        Record,
        Field,
        Inside,
        Quoted,
        /// After a quote within quotes: the end of them, or the first of two.
        Quote,
    }
    let (mut end, mut state) = (0, State::Record);
    for (at, &byte) in text.iter().enumerate() {
        state = match (state, byte) {
            (State::Quoted, b'"') => State::Quote,
            (State::Quoted, _) | (State::Quote, b'"') => State::Quoted,
            (State::Record, _) if is_end(byte) => State::Record,
            (State::Record | State::Field, b'"') => State::Quoted,
            (_, _) if byte == delimiter => State::Field,
            (_, _) if is_end(byte) => State::Record,
            _ => State::Inside,
        };
        if matches!(state, State::Record) {
            end = at + 1;
        }
    }
    end
}
