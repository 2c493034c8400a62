//! Windows' western European encoding, of which Latin-1 is the part that people mean: each byte is a character.

use std::io::{Read, Result};

use crate::TextEncoding;

/// The characters from 0x80 to 0x9f, where Latin-1 has none that print. Bytes without one keep their number, as browsers do it.
const MIDDLE: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn character(byte: u8) -> char {
    match byte {
        0x80..=0x9f => MIDDLE[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

/// The same text in UTF-8.
pub(crate) fn to_utf8(bytes: &[u8]) -> Vec<u8> {
    let text: String = bytes.iter().map(|&byte| character(byte)).collect();
    text.into_bytes()
}

/// How `start`, the beginning of a file, writes its characters: UTF-8, unless it holds bytes that cannot be and no character
/// that takes several bytes there. A damaged file in UTF-8 stays one.
pub(crate) fn detect(start: &[u8]) -> TextEncoding {
    let (mut wide, mut wrong) = (false, false);
    for chunk in start.utf8_chunks() {
        wide |= !chunk.valid().is_ascii();
        // The last character may be cut off.
        let invalid = chunk.invalid();
        wrong |= !invalid.is_empty() && !std::ptr::eq(end_of(start), end_of(invalid));
    }
    match wrong && !wide {
        true => TextEncoding::Cp1252,
        false => TextEncoding::Utf8,
    }
}

fn end_of(bytes: &[u8]) -> *const u8 {
    bytes.as_ptr_range().end
}

/// A reader that gives UTF-8.
pub(crate) struct Recoded<R> {
    inner: R,
    /// What was recoded and did not fit.
    rest: Vec<u8>,
}

impl<R> Recoded<R> {
    pub fn new(inner: R) -> Self {
        let rest = vec![];
        Self { inner, rest }
    }
}

impl<R: Read> Read for Recoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.rest.is_empty() && !buffer.is_empty() {
            let mut bytes = vec![0; buffer.len()];
            let n = self.inner.read(&mut bytes)?;
            if bytes[..n].is_ascii() {
                buffer[..n].copy_from_slice(&bytes[..n]);
                return Ok(n);
            }
            self.rest = to_utf8(&bytes[..n]);
        }
        let n = self.rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.rest[..n]);
        self.rest.drain(..n);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_character() {
        let all: Vec<u8> = (0..=255).collect();
        let text = String::from_utf8(to_utf8(&all)).unwrap();
        assert_eq!(text.chars().count(), 256);
        assert!(text.contains('€') && text.ends_with("üýþÿ"));
        let mut read = String::new();
        let mut small = Recoded::new(&all[..]);
        let mut byte = [0; 1];
        let mut bytes = vec![];
        while small.read(&mut byte).unwrap() == 1 {
            bytes.push(byte[0]);
        }
        Recoded::new(&all[..]).read_to_string(&mut read).unwrap();
        assert_eq!(
            (read.as_bytes(), bytes),
            (text.as_bytes(), text.clone().into_bytes())
        );
    }

    #[test]
    fn what_cannot_be_utf8_is_told_from_what_was_damaged() {
        assert_eq!(detect("Fräse".as_bytes()), TextEncoding::Utf8);
        assert_eq!(detect(b"Fr\xe4se;1"), TextEncoding::Cp1252);
        assert_eq!(
            detect("Fräse \u{20ac}".as_bytes().split_last().unwrap().1),
            TextEncoding::Utf8
        );
        assert_eq!(
            detect(&[&b"Fr\xe4se "[..], "Größe".as_bytes()].concat()),
            TextEncoding::Utf8
        );
        assert_eq!(detect(b"plain"), TextEncoding::Utf8);
    }
}
