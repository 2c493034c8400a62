//! A walk over Thrift's compact encoding that believes no length: used to check what the Parquet decoder will trust. It
//! gives none where the bytes end too soon or cannot mean anything.

/// The types of fields that matter here.
pub(super) const STRUCT: u8 = 12;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const BINARY: u8 = 8;
const DEEPEST: usize = 32;

/// A place in encoded bytes.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn left(&self) -> usize {
        self.rest.len()
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A signed integer of any width.
    pub fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The type and the number of the elements that follow; more than there are bytes is nonsense.
    pub fn list(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let n = match head >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        if n > self.rest.len() as u64 {
            return None;
        }
        Some((head & 15, n as usize))
    }

    /// Calls `visit` with the number and the type of every field; it returns false to have the field passed over.
    pub fn fields(
        &mut self,
        depth: usize,
        mut visit: impl FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut id = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            id = match head >> 4 {
                0 => self.integer()?,
                step => id.wrapping_add(i64::from(step)),
            };
            let kind = head & 15;
            if !visit(self, id, kind)? {
                self.skip(kind, depth + 1)?;
            }
        }
    }

    /// Passes over a value.
    pub fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // Truth values of fields are in the type; those of lists take a byte each and are passed over there.
            1 | 2 => Some(()),
            3 => self.byte().map(|_| ()),
            4..=6 => self.varint().map(|_| ()),
            7 => self.advance(8),
            BINARY => {
                let n = self.varint()?;
                self.advance(usize::try_from(n).ok()?)
            }
            LIST | SET => {
                let (element, n) = self.list()?;
                for _ in 0..n {
                    match element {
                        1 | 2 => self.advance(1)?,
                        _ => self.skip(element, depth + 1)?,
                    }
                }
                Some(())
            }
            MAP => {
                let n = self.varint()?;
                if n > self.rest.len() as u64 {
                    return None;
                }
                let kinds = if n > 0 { self.byte()? } else { 0 };
                for _ in 0..n {
                    self.skip(kinds >> 4, depth + 1)?;
                    self.skip(kinds & 15, depth + 1)?;
                }
                Some(())
            }
            STRUCT => self.fields(depth, |_, _, _| Some(false)),
            _ => None,
        }
    }

    fn advance(&mut self, n: usize) -> Option<()> {
        self.rest = self.rest.get(n..)?;
        Some(())
    }
}
