//! The header of an NPY array: a Python dictionary of type, order and shape, checked against the size of the file.

use std::io::Read;
use std::path::Path;

use crate::elements::{Element, Order};
use crate::formats::bytes::{broken, torn};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// The longest header that is read; NumPy's own are 128 bytes.
const LONGEST: u32 = 1 << 16;

/// What an NPY header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub element: Element,
    pub order: Order,
    /// Stored with the first dimension fastest ("Fortran order").
    pub columns_first: bool,
    pub dimensions: Vec<usize>,
    /// Bytes before the values.
    length: u64,
}

impl Header {
    pub fn read(reader: &mut dyn Read, path: &Path) -> Result<Self> {
        let mut start = [0; 8];
        fill(reader, &mut start, path)?;
        if &start[..6] != b"\x93NUMPY" {
            return Err(DataFault::new(path, "does not begin as an NPY array does").into());
        }
        let (size_bytes, length) = match start[6] {
            1 => {
                let mut bytes = [0; 2];
                fill(reader, &mut bytes, path)?;
                (2, u32::from(u16::from_le_bytes(bytes)))
            }
            2 | 3 => {
                let mut bytes = [0; 4];
                fill(reader, &mut bytes, path)?;
                (4, u32::from_le_bytes(bytes))
            }
            other => {
                let message = format!("has NPY version {other}; versions 1 to 3 can be read");
                return Err(DataFault::new(path, message).into());
            }
        };
        if length > LONGEST {
            let message = format!("has a header of {length} bytes; at most {LONGEST} are allowed");
            return Err(DataFault::new(path, message).into());
        }
        let mut text = vec![0; length as usize];
        fill(reader, &mut text, path)?;
        let text = String::from_utf8_lossy(&text);
        Self::parse(&text, 8 + size_bytes + u64::from(length))
            .map_err(|message| DataFault::new(path, message).into())
    }

    fn parse(text: &str, length: u64) -> Result<Self, String> {
        let after = |key: &str| {
            let at = text
                .find(&format!("'{key}'"))
                .ok_or_else(|| format!("its NPY header names no `{key}`"))?;
            let rest = text[at + key.len() + 2..].trim_start();
            let value = rest.strip_prefix(':').map(str::trim_start);
            value.ok_or_else(|| format!("its NPY header gives no value for `{key}`"))
        };
        let descr = after("descr")?;
        let quoted = descr
            .strip_prefix('\'')
            .and_then(|rest| rest.split_once('\''))
            .map(|(inside, _)| inside);
        let descr = quoted.ok_or(
            "holds records with named fields, which are not read; save each field as an array of its own in an NPZ file",
        )?;
        let (element, order) = element(descr)?;
        let fortran = after("fortran_order")?;
        let columns_first = match fortran {
            text if text.starts_with("True") => true,
            text if text.starts_with("False") => false,
            _ => {
                return Err(
                    "its NPY header says neither True nor False for `fortran_order`".into(),
                );
            }
        };
        let shape = after("shape")?
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map(|(inside, _)| inside)
            .ok_or("its NPY header gives no shape")?;
        let dimensions: Vec<usize> = shape
            .split(',')
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .map(|n| {
                n.parse()
                    .map_err(|_| format!("its NPY header has the shape ({shape})"))
            })
            .collect::<Result<_, _>>()?;
        if dimensions.len() > 32 {
            return Err(format!("has {} dimensions", dimensions.len()));
        }
        Ok(Self {
            element,
            order,
            columns_first,
            dimensions,
            length,
        })
    }

    /// How many bytes the values take, if that is a number of this world.
    pub fn value_bytes(&self) -> Option<u64> {
        let size = self.element.size() as u64;
        self.dimensions
            .iter()
            .try_fold(size, |product, &n| product.checked_mul(n as u64))
    }

    /// Refuses a header that announces more or less than there is.
    pub fn expect_length(&self, length: u64, path: &Path, what: &str) -> Result<()> {
        let needed = self.value_bytes().and_then(|n| n.checked_add(self.length));
        if needed == Some(length) {
            return Ok(());
        }
        let claimed = needed.map_or("more bytes than can be counted".into(), |n| {
            format!("{n} bytes")
        });
        let shape = &self.dimensions;
        let message = format!(
            "announces the shape {shape:?}, for which {what} should have {claimed}, but it has {length}"
        );
        Err(torn(path, message).into())
    }

    pub fn detected(&self) -> String {
        let sizes: Vec<String> = self.dimensions.iter().map(usize::to_string).collect();
        format!("{} of {}", sizes.join("×"), self.element.name())
    }
}

/// A NumPy type string: byte order, kind, size.
fn element(descr: &str) -> Result<(Element, Order), String> {
    let unknown = || format!("holds elements of type `{descr}`, which cannot be read");
    let mut chars = descr.chars();
    let order = match chars.next() {
        Some('<' | '|' | '=') => Order::Little,
        Some('>') => Order::Big,
        _ => return Err(unknown()),
    };
    let kind = chars.next().ok_or_else(unknown)?;
    let rest = chars.as_str();
    let size = |text: &str| text.parse::<usize>().map_err(|_| unknown());
    let element = match (kind, rest) {
        ('b', "1") => Element::Bool,
        ('u', "1") => Element::U8,
        ('i', "1") => Element::I8,
        ('u', "2") => Element::U16,
        ('i', "2") => Element::I16,
        ('u', "4") => Element::U32,
        ('i', "4") => Element::I32,
        ('u', "8") => Element::U64,
        ('i', "8") => Element::I64,
        ('f', "2") => Element::F16,
        ('f', "4") => Element::F32,
        ('f', "8") => Element::F64,
        ('S', n) => Element::Bytes(size(n)?),
        ('U', n) => Element::Unicode(size(n)?),
        ('M', unit) => ticks(unit).ok_or_else(unknown)?,
        ('O', _) => {
            return Err(
                "holds Python objects, which only Python can read; save numbers or fixed-length text"
                    .into(),
            );
        }
        _ => return Err(unknown()),
    };
    match element {
        Element::Bytes(n) | Element::Unicode(n) if n == 0 || n > 1 << 20 => Err(unknown()),
        element => Ok((element, order)),
    }
}

/// `8[ms]` and the like.
fn ticks(unit: &str) -> Option<Element> {
    let unit = unit.strip_prefix("8[")?.strip_suffix(']')?;
    let (per_second, seconds) = match unit {
        "D" => (1, 86_400),
        "h" => (1, 3_600),
        "m" => (1, 60),
        "s" => (1, 1),
        "ms" => (1_000, 1),
        "us" => (1_000_000, 1),
        "ns" => (1_000_000_000, 1),
        _ => return None,
    };
    Some(Element::Ticks {
        per_second,
        seconds,
    })
}

fn fill(reader: &mut dyn Read, bytes: &mut [u8], path: &Path) -> Result<()> {
    reader
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::from(DataFault::new(
                path,
                "ends within the header of an NPY array",
            )),
            _ => broken(path, error),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numpys_own_headers_are_understood() {
        let parse = |text: &str| Header::parse(text, 0);
        let header =
            parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }        \n").unwrap();
        assert_eq!(header.element, Element::F64);
        assert_eq!(header.dimensions, [3, 4]);
        assert_eq!(header.value_bytes(), Some(96));
        let one = parse("{'descr': '|u1', 'fortran_order': True, 'shape': (7,), }").unwrap();
        assert_eq!((one.dimensions, one.columns_first), (vec![7], true));
        let none = parse("{'descr': '>i2', 'fortran_order': False, 'shape': (), }").unwrap();
        assert!(none.dimensions.is_empty() && none.order == Order::Big);
        for bad in [
            "",
            "{}",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3 }",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
