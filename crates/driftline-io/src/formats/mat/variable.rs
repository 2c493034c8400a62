//! One variable of a MAT file.

use super::element::{MATRIX, Pieces, characters, element, u32_at};
use crate::elements::{Element, Order};

/// Classes of variables.
const CELL: u8 = 1;
const CHARACTERS: u8 = 4;
const NUMBERS: std::ops::RangeInclusive<u8> = 6..=15;
/// Double and single.
const FLOATS: [u8; 2] = [6, 7];
/// The flag of complex numbers.
const COMPLEX: u32 = 0x0800;

/// An array as it is stored: first dimension fastest. Texts are padded with zeros to one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub name: String,
    pub dimensions: Vec<usize>,
    pub element: Element,
    pub bytes: Vec<u8>,
}

impl Variable {
    /// The variable, or the name of one that is no array; an error says what is wrong with the file.
    pub fn parse(bytes: &[u8], order: Order) -> Result<Result<Self, String>, String> {
        let mut pieces = Pieces { rest: bytes, order };
        let cut = || "a variable is cut off".to_string();
        let (_, flags) = pieces.next().ok_or_else(cut)?;
        let flags = u32_at(flags, 0, order).ok_or_else(cut)?;
        let class = (flags & 0xff) as u8;
        let (_, sizes) = pieces.next().ok_or_else(cut)?;
        let dimensions: Vec<usize> = (0..sizes.len() / 4)
            .filter_map(|at| u32_at(sizes, 4 * at, order))
            .map(|n| n as usize)
            .collect();
        let (_, name) = pieces.next().ok_or_else(cut)?;
        let name = String::from_utf8_lossy(name).into_owned();
        let n = dimensions
            .iter()
            .try_fold(1usize, |product, &n| product.checked_mul(n))
            .ok_or_else(|| format!("variable {name} has the dimensions {dimensions:?}"))?;
        if dimensions.len() < 2 || dimensions.len() > 32 || n == 0 {
            return Ok(Err(name));
        }
        match class {
            class if NUMBERS.contains(&class) && flags & COMPLEX == 0 => {
                let (kind, data) = pieces.next().ok_or_else(cut)?;
                let element = element(kind)
                    .ok_or_else(|| format!("variable {name} has values of type {kind}"))?;
                if n.checked_mul(element.size()) != Some(data.len()) {
                    return Err(format!(
                        "variable {name} has {} bytes for the dimensions {dimensions:?}",
                        data.len()
                    ));
                }
                // Whole numbers are stored as bytes whatever they are: pixels of doubles must not be taken for bytes.
                let floats = FLOATS.contains(&class) && dimensions.len() > 2;
                let (element, bytes) = match floats && element.brightness() != Some(1.0) {
                    true => (Element::F64, element.widened(data, order)),
                    false => (element, data.to_vec()),
                };
                Ok(Ok(Self {
                    name,
                    dimensions,
                    element,
                    bytes,
                }))
            }
            CHARACTERS if dimensions.len() == 2 => {
                let (kind, data) = pieces.next().ok_or_else(cut)?;
                let all = characters(kind, data, order).filter(|all| all.len() == n);
                let all = all.ok_or_else(|| format!("variable {name} holds broken text"))?;
                let rows = dimensions[0];
                let texts = (0..rows).map(|row| all[row..].iter().step_by(rows).collect());
                Ok(Ok(Self::of_texts(name, texts.collect())))
            }
            CELL if dimensions.len() == 2 && dimensions.contains(&1) => {
                let mut texts = vec![];
                for _ in 0..n {
                    let (kind, data) = pieces.next().ok_or_else(cut)?;
                    match cell_text(kind, data, order) {
                        Some(text) => texts.push(text),
                        None => return Ok(Err(name)),
                    }
                }
                Ok(Ok(Self::of_texts(name, texts)))
            }
            _ => Ok(Err(name)),
        }
    }

    fn of_texts(name: String, texts: Vec<String>) -> Self {
        let length = texts
            .iter()
            .map(|text| text.len())
            .max()
            .unwrap_or(0)
            .max(1);
        // A single long text would otherwise be multiplied by the number of the others.
        let length = length.min(1 << 12);
        let mut bytes = vec![];
        for text in &texts {
            let within = (0..=length.min(text.len())).rev();
            let end = within.into_iter().find(|&at| text.is_char_boundary(at));
            let end = end.unwrap_or(0);
            bytes.extend_from_slice(&text.as_bytes()[..end]);
            bytes.resize(bytes.len() + length - end, 0);
        }
        Self {
            name,
            dimensions: vec![texts.len(), 1],
            element: Element::Bytes(length),
            bytes,
        }
    }

    /// The number of elements, if it has one row or one column only.
    pub fn vector_length(&self) -> Option<usize> {
        match self.dimensions[..] {
            [n, 1] | [1, n] => Some(n),
            _ => None,
        }
    }
}

/// The text in a cell; none if it holds something else.
fn cell_text(kind: u32, data: &[u8], order: Order) -> Option<String> {
    if kind != MATRIX {
        return None;
    }
    let mut pieces = Pieces { rest: data, order };
    let (_, flags) = pieces.next()?;
    if (u32_at(flags, 0, order)? & 0xff) as u8 != CHARACTERS {
        return None;
    }
    let (_, sizes) = pieces.next()?;
    pieces.next()?;
    if u32_at(sizes, 0, order)? > 1 {
        return None;
    }
    let Some((kind, text)) = pieces.next() else {
        return Some(String::new());
    };
    Some(characters(kind, text, order)?.into_iter().collect())
}
