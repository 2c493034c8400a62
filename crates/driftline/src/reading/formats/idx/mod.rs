//! IDX, the format of MNIST: a type byte, the dimensions as big-endian u32, then the values, big-endian; plain or gzip.
//! No file makes it panic or allocate more than the file really holds.

mod frames;

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::{Error, Result};

pub(crate) use frames::open;

/// An array as an IDX file holds it: dimensions, and the values in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Idx {
    dimensions: Vec<usize>,
    values: Values,
}

/// The values of an IDX file, in the type it declares.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    U8(Vec<u8>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// No data set of this kind is larger: a header that claims more is a fault, not a reason to read on.
const LARGEST: u64 = 4 << 30;

impl Idx {
    /// Checks that `values` fill the dimensions.
    pub fn new(dimensions: Vec<usize>, values: Values) -> Result<Self> {
        let expected = dimensions
            .iter()
            .try_fold(1usize, |product, &n| product.checked_mul(n));
        if dimensions.is_empty() || dimensions.len() > 255 {
            return Err(Error::out_of_range(
                "the number of dimensions",
                dimensions.len(),
                "from 1 to 255",
            ));
        }
        if let Some(&large) = dimensions.iter().find(|&&n| u32::try_from(n).is_err()) {
            return Err(Error::out_of_range("a dimension", large, "below 2³²"));
        }
        if expected != Some(values.len()) {
            return Err(Error::mismatch(
                "an array",
                format!("as many values as its dimensions {dimensions:?} say"),
                values.len(),
            ));
        }
        Ok(Self { dimensions, values })
    }

    /// Reads a file, plain or gzip (told by its first bytes, not by its name).
    pub fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        Self::decode(BufReader::new(file), path)
    }

    /// Reads from `reader`; `path` only names the source in errors.
    pub fn decode(mut reader: impl Read, path: &Path) -> Result<Self> {
        let mut start = Vec::with_capacity(2);
        reader
            .by_ref()
            .take(2)
            .read_to_end(&mut start)
            .map_err(Error::io(path))?;
        let gzip = start == [0x1f, 0x8b];
        let whole = Cursor::new(start).chain(reader);
        if gzip {
            decode_plain(MultiGzDecoder::new(whole), path)
        } else {
            decode_plain(whole, path)
        }
    }

    pub fn dimensions(&self) -> &[usize] {
        &self.dimensions
    }

    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The dimensions and the values, which must be bytes; `path` names the source in the error.
    pub fn into_bytes(self, path: &Path) -> Result<(Vec<usize>, Vec<u8>)> {
        match self.values {
            Values::U8(values) => Ok((self.dimensions, values)),
            other => Err(Error::corrupt(
                path,
                format!("holds {}, but should hold unsigned bytes", other.name()),
            )),
        }
    }

    /// The file, uncompressed.
    pub fn encode(&self) -> Vec<u8> {
        let (type_code, _) = self.values.code();
        let mut bytes = vec![0, 0, type_code, self.dimensions.len() as u8];
        for &n in &self.dimensions {
            bytes.extend((n as u32).to_be_bytes());
        }
        match &self.values {
            Values::U8(values) => bytes.extend(values),
            Values::I8(values) => bytes.extend(values.iter().map(|&value| value as u8)),
            Values::I16(values) => bytes.extend(values.iter().flat_map(|v| v.to_be_bytes())),
            Values::I32(values) => bytes.extend(values.iter().flat_map(|v| v.to_be_bytes())),
            Values::F32(values) => bytes.extend(values.iter().flat_map(|v| v.to_be_bytes())),
            Values::F64(values) => bytes.extend(values.iter().flat_map(|v| v.to_be_bytes())),
        }
        bytes
    }
}

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Values::U8(values) => values.len(),
            Values::I8(values) => values.len(),
            Values::I16(values) => values.len(),
            Values::I32(values) => values.len(),
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type byte and the name for messages.
    fn code(&self) -> (u8, &'static str) {
        match self {
            Values::U8(_) => (0x08, "unsigned bytes"),
            Values::I8(_) => (0x09, "signed bytes"),
            Values::I16(_) => (0x0b, "16-bit integers"),
            Values::I32(_) => (0x0c, "32-bit integers"),
            Values::F32(_) => (0x0d, "32-bit floats"),
            Values::F64(_) => (0x0e, "64-bit floats"),
        }
    }

    fn name(&self) -> &'static str {
        self.code().1
    }

    fn from_big_endian(type_code: u8, bytes: Vec<u8>) -> Option<Values> {
        fn each<const N: usize, T>(bytes: &[u8], value: fn([u8; N]) -> T) -> Vec<T> {
            bytes.as_chunks::<N>().0.iter().map(|&b| value(b)).collect()
        }
        Some(match type_code {
            0x08 => Values::U8(bytes),
            0x09 => Values::I8(each(&bytes, i8::from_be_bytes)),
            0x0b => Values::I16(each(&bytes, i16::from_be_bytes)),
            0x0c => Values::I32(each(&bytes, i32::from_be_bytes)),
            0x0d => Values::F32(each(&bytes, f32::from_be_bytes)),
            0x0e => Values::F64(each(&bytes, f64::from_be_bytes)),
            _ => return None,
        })
    }
}

fn decode_plain(mut reader: impl Read, path: &Path) -> Result<Idx> {
    let (type_code, dimensions) = read_dimensions(&mut reader, path)?;
    let size = dimensions
        .iter()
        .fold(width(type_code), |size, &n| size.saturating_mul(n as u64));
    if size > LARGEST {
        return Err(Error::corrupt(
            path,
            format!("claims {dimensions:?} values, more than the {LARGEST} bytes allowed"),
        ));
    }
    // One byte more than claimed, so that a file that goes on is noticed. The buffer grows with what is really there.
    let mut bytes = Vec::new();
    reader
        .take(size + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| broken(error, path))?;
    if bytes.len() as u64 != size {
        let found = if bytes.len() as u64 > size {
            "more".to_string()
        } else {
            format!("only {}", bytes.len())
        };
        return Err(Error::corrupt(
            path,
            format!("should hold {size} bytes of values for {dimensions:?}, but holds {found}"),
        ));
    }
    let values = Values::from_big_endian(type_code, bytes).expect("the type was checked above");
    Ok(Idx { dimensions, values })
}

/// The header: the type of the values, and the dimensions, at least one.
fn read_dimensions(reader: &mut impl Read, path: &Path) -> Result<(u8, Vec<usize>)> {
    let mut magic = [0; 4];
    read_header(reader, &mut magic, path)?;
    let [zero_a, zero_b, type_code, rank] = magic;
    if (zero_a, zero_b) != (0, 0) {
        return Err(Error::corrupt(
            path,
            format!(
                "is not an IDX file: it begins with bytes {zero_a} and {zero_b}, which must be 0"
            ),
        ));
    }
    if width(type_code) == 0 {
        return Err(Error::corrupt(
            path,
            format!("declares type {type_code:#04x}; IDX knows 0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e"),
        ));
    }
    if rank == 0 {
        return Err(Error::corrupt(
            path,
            "declares 0 dimensions; at least 1 is needed",
        ));
    }
    let mut dimensions = Vec::with_capacity(usize::from(rank));
    for _ in 0..rank {
        let mut bytes = [0; 4];
        read_header(reader, &mut bytes, path)?;
        dimensions.push(u32::from_be_bytes(bytes) as usize);
    }
    Ok((type_code, dimensions))
}

/// Bytes of one value; 0 for a type that there is not.
fn width(type_code: u8) -> u64 {
    match type_code {
        0x08 | 0x09 => 1,
        0x0b => 2,
        0x0c | 0x0d => 4,
        0x0e => 8,
        _ => 0,
    }
}

fn read_header(reader: &mut impl Read, bytes: &mut [u8; 4], path: &Path) -> Result<()> {
    reader
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::corrupt(path, "ends within the header of an IDX file")
            }
            _ => broken(error, path),
        })
}

/// Decompression reports its faults as I/O errors; those are faults of the file.
fn broken(error: std::io::Error, path: &Path) -> Error {
    match error.kind() {
        std::io::ErrorKind::InvalidInput
        | std::io::ErrorKind::InvalidData
        | std::io::ErrorKind::UnexpectedEof => {
            Error::corrupt(path, format!("is not a whole gzip file ({error})"))
        }
        _ => Error::io(path)(error),
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
        for values in [
            Values::U8(vec![0, 255]),
            Values::I8(vec![-128, 127]),
            Values::I16(vec![1905, -2]),
            Values::I32(vec![i32::MIN, 3]),
            Values::F32(vec![0.5, -1e30]),
            Values::F64(vec![1e-300, 2.0]),
        ] {
            let idx = Idx::new(vec![1, 2], values).unwrap();
            assert_eq!(decode(&idx.encode()).unwrap(), idx);
            assert_eq!(decode(&gzip(&idx.encode())).unwrap(), idx);
        }
    }

    #[test]
    fn years_are_big_endian() {
        let bytes = [0, 0, 0x0b, 1, 0, 0, 0, 1, 0x07, 0x71];
        assert_eq!(decode(&bytes).unwrap().values(), &Values::I16(vec![1905]));
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
        let half = gzip(&Idx::new(vec![4], Values::U8(vec![1; 4])).unwrap().encode());
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
            let whole = Idx::new(vec![values.len()], Values::U8(values)).unwrap().encode();
            let whole = if zip { gzip(&whole) } else { whole };
            let part = &whole[..(whole.len() as f64 * cut) as usize];
            prop_assert!(decode(part).is_err());
        }
    }
}
