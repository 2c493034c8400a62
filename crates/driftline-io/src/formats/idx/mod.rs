//! IDX, the format of MNIST: a type byte, the dimensions as big-endian u32, then the values, big-endian; plain or gzip.
//! No file makes it panic or allocate more than the file really holds.

mod frames;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::bytes::{unpacked, up_to};
use super::text_file::damaged;
use crate::elements::Element;
use driftline_core::{Error, Result};

pub(crate) use frames::open;

/// An array as an IDX file holds it: dimensions, and the values in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Idx {
    kind: Kind,
    dimensions: Vec<usize>,
    /// The values, big-endian.
    bytes: Vec<u8>,
}

/// A type of values: its byte in the file, and its name in messages.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    code: u8,
    element: Element,
    name: &'static str,
}

const KINDS: [Kind; 6] = [
    kind(0x08, Element::U8, "unsigned bytes"),
    kind(0x09, Element::I8, "signed bytes"),
    kind(0x0b, Element::I16, "16-bit integers"),
    kind(0x0c, Element::I32, "32-bit integers"),
    kind(0x0d, Element::F32, "32-bit floats"),
    kind(0x0e, Element::F64, "64-bit floats"),
];
const BYTES: Kind = KINDS[0];
const SHORTS: Kind = KINDS[2];

const fn kind(code: u8, element: Element, name: &'static str) -> Kind {
    Kind {
        code,
        element,
        name,
    }
}

/// No data set of this kind is larger: a header that claims more is a fault, not a reason to read on.
const LARGEST: u64 = 4 << 30;

impl Idx {
    /// An array of unsigned bytes.
    pub fn of_bytes(dimensions: Vec<usize>, values: Vec<u8>) -> Result<Self> {
        Self::new(BYTES, dimensions, values)
    }

    /// An array of 16-bit integers.
    pub fn of_shorts(dimensions: Vec<usize>, values: &[i16]) -> Result<Self> {
        let bytes = values.iter().flat_map(|value| value.to_be_bytes());
        Self::new(SHORTS, dimensions, bytes.collect())
    }

    /// Checks that the values fill the dimensions.
    fn new(kind: Kind, dimensions: Vec<usize>, bytes: Vec<u8>) -> Result<Self> {
        if dimensions.is_empty() || dimensions.len() > 255 {
            let (what, allowed) = ("the number of dimensions", "from 1 to 255");
            return Err(Error::out_of_range(what, dimensions.len(), allowed));
        }
        if let Some(&large) = dimensions.iter().find(|&&n| u32::try_from(n).is_err()) {
            return Err(Error::out_of_range("a dimension", large, "below 2³²"));
        }
        if size(kind, &dimensions) != bytes.len() as u64 {
            let expected = format!("as many values as its dimensions {dimensions:?} say");
            let values = bytes.len() / kind.element.size();
            return Err(Error::mismatch("an array", expected, values));
        }
        Ok(Self {
            kind,
            dimensions,
            bytes,
        })
    }

    /// Reads a file, plain or gzip (told by its first bytes, not by its name).
    pub fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        Self::decode(BufReader::new(file), path)
    }

    /// Reads from `reader`; `path` only names the source in errors.
    pub fn decode(reader: impl Read + Send, path: &Path) -> Result<Self> {
        let mut reader = unpacked(reader).map_err(Error::io(path))?;
        let (kind, dimensions) = read_dimensions(&mut reader, path)?;
        let size = size(kind, &dimensions);
        let fault = |message: String| Err(Error::corrupt(path, message));
        if size > LARGEST {
            return fault(format!(
                "claims {dimensions:?} values, more than the {LARGEST} bytes allowed"
            ));
        }
        // One byte more than claimed, so that a file that goes on is noticed. The buffer grows with what is really there.
        let bytes = up_to(&mut reader, size + 1).map_err(|error| damaged(path, error))?;
        let found = match bytes.len() as u64 {
            found if found > size => "more".to_string(),
            found if found < size => format!("only {found}"),
            _ => return Self::new(kind, dimensions, bytes),
        };
        fault(format!(
            "should hold {size} bytes of values for {dimensions:?}, but holds {found}"
        ))
    }

    pub fn dimensions(&self) -> &[usize] {
        &self.dimensions
    }

    /// The dimensions and the values, which must be bytes; `path` names the source in the error.
    pub fn into_bytes(self, path: &Path) -> Result<(Vec<usize>, Vec<u8>)> {
        if self.kind == BYTES {
            return Ok((self.dimensions, self.bytes));
        }
        let message = format!("holds {}, but should hold unsigned bytes", self.kind.name);
        Err(Error::corrupt(path, message))
    }

    /// The values, if they are 16-bit integers.
    pub fn shorts(&self) -> Option<Vec<i16>> {
        let (values, _) = self.bytes.as_chunks::<2>();
        let values = values.iter().map(|&bytes| i16::from_be_bytes(bytes));
        (self.kind == SHORTS).then(|| values.collect())
    }

    /// The file, uncompressed.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0, 0, self.kind.code, self.dimensions.len() as u8];
        for &n in &self.dimensions {
            bytes.extend((n as u32).to_be_bytes());
        }
        bytes.extend(&self.bytes);
        bytes
    }
}

/// How many bytes the values take; too many to count are more than is allowed.
fn size(kind: Kind, dimensions: &[usize]) -> u64 {
    let each = kind.element.size() as u64;
    dimensions
        .iter()
        .fold(each, |size, &n| size.saturating_mul(n as u64))
}

/// The header: the type of the values, and the dimensions, at least one.
fn read_dimensions(reader: &mut impl Read, path: &Path) -> Result<(Kind, Vec<usize>)> {
    let [zero_a, zero_b, code, rank] = read_header(reader, path)?;
    let fault = |message: String| Err(Error::corrupt(path, message));
    if (zero_a, zero_b) != (0, 0) {
        return fault(format!(
            "is not an IDX file: it begins with bytes {zero_a} and {zero_b}, which must be 0"
        ));
    }
    let Some(kind) = KINDS.into_iter().find(|kind| kind.code == code) else {
        return fault(format!(
            "declares type {code:#04x}; IDX knows 0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e"
        ));
    };
    if rank == 0 {
        return fault("declares 0 dimensions; at least 1 is needed".into());
    }
    let dimensions = (0..rank).map(|_| {
        let bytes = read_header(reader, path)?;
        Ok(u32::from_be_bytes(bytes) as usize)
    });
    Ok((kind, dimensions.collect::<Result<_>>()?))
}

fn read_header(reader: &mut impl Read, path: &Path) -> Result<[u8; 4]> {
    let mut bytes = [0; 4];
    match reader.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            let message = "ends within the header of an IDX file";
            Err(Error::corrupt(path, message))
        }
        Err(error) => Err(damaged(path, error)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn decode(bytes: &[u8]) -> Result<Idx> {
        Idx::decode(bytes, Path::new("digits"))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_type_survives_a_round_trip_plain_and_gzip() {
        for kind in KINDS {
            let bytes: Vec<u8> = (0..2 * kind.element.size() as u8)
                .map(|b| 250 - b)
                .collect();
            let idx = Idx::new(kind, vec![1, 2], bytes).unwrap();
            assert_eq!(decode(&idx.encode()).unwrap(), idx, "{}", kind.name);
            assert_eq!(decode(&gzip(&idx.encode())).unwrap(), idx);
            assert_eq!(idx.shorts().is_some(), kind == SHORTS);
            let bytes = idx.into_bytes(Path::new("digits"));
            match kind == BYTES {
                true => assert_eq!(bytes.unwrap(), (vec![1, 2], vec![250, 249])),
                false => assert!(bytes.unwrap_err().to_string().contains(kind.name)),
            }
        }
    }

    #[test]
    fn values_must_fill_their_dimensions() {
        let said = |dimensions: Vec<usize>| {
            let idx = Idx::of_shorts(dimensions, &[1, -2]);
            idx.map(|idx| idx.shorts()).map_err(|e| e.to_string())
        };
        assert_eq!(said(vec![2, 1]).unwrap(), Some(vec![1, -2]));
        assert!(said(vec![3]).unwrap_err().contains("its dimensions [3]"));
        assert!(said(vec![usize::MAX, 3]).is_err() && said(vec![]).is_err());
    }

    #[test]
    fn years_are_big_endian() {
        let bytes = [0, 0, 0x0b, 1, 0, 0, 0, 1, 0x07, 0x71];
        assert_eq!(decode(&bytes).unwrap().shorts(), Some(vec![1905]));
    }

    #[test]
    fn faults_are_named() {
        let message = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 0, 8]),
            "digits: ends within the header of an IDX file"
        );
        assert_eq!(
            message(b"PK\x03\x04"),
            "digits: is not an IDX file: it begins with bytes 80 and 75, which must be 0"
        );
        assert!(message(&[0, 0, 7, 1]).contains("declares type 0x07"));
        assert!(message(&[0, 0, 8, 0]).contains("0 dimensions"));
        assert_eq!(
            message(&[0, 0, 8, 1, 0, 0, 0, 3, 1]),
            "digits: should hold 3 bytes of values for [3], but holds only 1"
        );
        assert!(message(&[0, 0, 8, 1, 0, 0, 0, 1, 1, 1]).ends_with("but holds more"));
        assert!(message(&[0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255]).contains("claims"));
        let half = gzip(&Idx::of_bytes(vec![4], vec![1; 4]).unwrap().encode());
        assert!(message(&half[..half.len() - 6]).contains("not a whole gzip file"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes: Vec<u8>, like_idx: bool, zip: bool) {
            if like_idx && bytes.len() >= 4 {
                bytes[..2].fill(0);
                bytes[2] = 8 + bytes[2] % 7;
                bytes[3] %= 4;
            }
            let _ = decode(&if zip { gzip(&bytes) } else { bytes });
        }

        #[test]
        fn every_truncation_is_noticed(values: Vec<u8>, cut in 0.0..1.0f64, zip: bool) {
            let whole = Idx::of_bytes(vec![values.len()], values).unwrap().encode();
            let whole = if zip { gzip(&whole) } else { whole };
            let part = &whole[..(whole.len() as f64 * cut) as usize];
            prop_assert!(decode(part).is_err());
        }
    }
}
