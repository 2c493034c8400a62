//! The building blocks of a MAT file: tagged pieces of bytes, padded to eight.

use crate::elements::{Element, Order};

pub(super) const MATRIX: u32 = 14;
pub(super) const COMPRESSED: u32 = 15;
const UTF8: u32 = 16;
const UTF16: u32 = 17;

/// What precedes a piece of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub kind: u32,
    /// Bytes of data.
    pub size: usize,
    /// Where the data begin: a small piece stands within its own tag.
    pub start: usize,
}

impl Tag {
    pub fn parse(bytes: &[u8], order: Order) -> Option<Self> {
        let word = u32_at(bytes, 0, order)?;
        let size = u32_at(bytes, 4, order)?;
        if word >> 16 != 0 {
            let size = (word >> 16) as usize;
            return (size <= 4).then_some(Self {
                kind: word & 0xffff,
                size,
                start: 4,
            });
        }
        Some(Self {
            kind: word,
            size: size as usize,
            start: 8,
        })
    }
}

/// The pieces within a variable, one after another.
#[derive(Clone, Debug)]
pub(super) struct Pieces<'a> {
    pub rest: &'a [u8],
    pub order: Order,
}

impl<'a> Pieces<'a> {
    /// The kind and the data of the next piece; none if the bytes end before it does.
    pub fn next(&mut self) -> Option<(u32, &'a [u8])> {
        let tag = Tag::parse(self.rest, self.order)?;
        let end = tag.start.checked_add(tag.size)?;
        let data = self.rest.get(tag.start..end)?;
        // The last piece may lack its padding.
        let padded = end.next_multiple_of(8).min(self.rest.len());
        self.rest = &self.rest[padded..];
        Some((tag.kind, data))
    }
}

/// The type of a piece's numbers.
pub(super) fn element(kind: u32) -> Option<Element> {
    Some(match kind {
        1 => Element::I8,
        2 => Element::U8,
        3 => Element::I16,
        4 => Element::U16,
        5 => Element::I32,
        6 => Element::U32,
        7 => Element::F32,
        9 => Element::F64,
        12 => Element::I64,
        13 => Element::U64,
        _ => return None,
    })
}

/// The characters of a piece, each as one unit.
pub(super) fn characters(kind: u32, data: &[u8], order: Order) -> Option<Vec<char>> {
    match kind {
        1 | 2 | UTF8 => Some(std::str::from_utf8(data).ok()?.chars().collect()),
        3 | 4 | UTF16 => {
            let (units, _) = data.as_chunks::<2>();
            let units = units
                .iter()
                .map(|&unit| u16::from_le_bytes(order.to_little(unit)));
            char::decode_utf16(units).collect::<Result<_, _>>().ok()
        }
        _ => None,
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize, order: Order) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(order.to_little(*word)))
}
