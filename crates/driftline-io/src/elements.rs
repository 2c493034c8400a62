//! The element types of binary arrays, and how their bytes become columns.

use super::{Column, Kind, Numbers, Texts};

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
    /// So many bytes of UTF-8, filled up with zeros.
    Bytes(usize),
    /// So many 32-bit code points, filled up with zeros.
    Unicode(usize),
    /// Ticks since 1970: so many per second, or so many seconds each.
    Ticks {
        per_second: i64,
        seconds: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    /// The bytes of an element, its lowest first.
    pub fn to_little<const N: usize>(self, mut element: [u8; N]) -> [u8; N] {
        if self == Order::Big {
            element.reverse();
        }
        element
    }
}

impl Element {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Element::Bool | Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 | Element::F16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 | Element::Ticks { .. } => 8,
            Element::Bytes(n) => n,
            Element::Unicode(n) => n.saturating_mul(4),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Element::Bool => "truth values",
            Element::U8 => "unsigned bytes",
            Element::F16 | Element::F32 | Element::F64 => "floats",
            Element::Bytes(_) | Element::Unicode(_) => "text",
            Element::Ticks { .. } => "times",
            _ => "integers",
        }
    }

    pub fn kind(self, as_text: bool) -> Kind {
        match self {
            Element::Bytes(_) | Element::Unicode(_) => Kind::Text,
            Element::Ticks { .. } => Kind::Time,
            _ if as_text => Kind::Text,
            _ => Kind::Number,
        }
    }

    /// What pixels of this type are divided by, if it can hold pixels.
    pub fn brightness(self) -> Option<f32> {
        match self {
            Element::U8 => Some(255.0),
            Element::U16 => Some(65_535.0),
            Element::Bool | Element::F16 | Element::F32 | Element::F64 => Some(1.0),
            _ => None,
        }
    }

    /// All elements as pixels.
    pub fn pixels(self, bytes: &[u8], order: Order) -> Vec<f32> {
        let white = self.brightness().unwrap_or(1.0);
        match self {
            Element::U8 => bytes
                .iter()
                .map(|&pixel| f32::from(pixel) / white)
                .collect(),
            _ => self
                .numbers(bytes, order, 0, 1)
                .iter()
                .map(|value| value as f32 / white)
                .collect(),
        }
    }

    /// All elements as doubles in the same byte order.
    pub fn widened(self, bytes: &[u8], order: Order) -> Vec<u8> {
        let values = self.numbers(bytes, order, 0, 1);
        // Turning the bytes round works in both directions.
        let bytes = values.iter().map(f64::to_le_bytes);
        let bytes = bytes.flat_map(|value| order.to_little(value));
        bytes.collect()
    }

    /// Column `column` of rows of `width` elements; an error is the row and what is wrong there.
    pub fn column(
        self,
        bytes: &[u8],
        order: Order,
        column: usize,
        width: usize,
        text: bool,
    ) -> Result<Column, (usize, String)> {
        match self {
            Element::Bytes(_) | Element::Unicode(_) => {
                self.texts(bytes, order, column, width).map(Column::Text)
            }
            Element::Ticks {
                per_second,
                seconds,
            } => {
                let ticks = each(bytes, order, column, width).map(i64::from_le_bytes);
                let times = ticks.map(|tick| micros(tick, per_second, seconds));
                Ok(Column::Times(times.collect()))
            }
            Element::I64 | Element::U64 if text => {
                let mut texts = Texts::new();
                for value in each(bytes, order, column, width).map(u64::from_le_bytes) {
                    let shown = match self {
                        Element::I64 => (value as i64).to_string(),
                        _ => value.to_string(),
                    };
                    texts.push(Some(&shown));
                }
                Ok(Column::Text(texts))
            }
            _ if text => {
                let mut texts = Texts::new();
                for value in self.numbers(bytes, order, column, width).iter() {
                    texts.push((!value.is_nan()).then(|| value.to_string()).as_deref());
                }
                Ok(Column::Text(texts))
            }
            _ => Ok(Column::Numbers(self.numbers(bytes, order, column, width))),
        }
    }

    fn numbers(self, bytes: &[u8], order: Order, column: usize, width: usize) -> Numbers {
        macro_rules! numbers {
            ($kind:ident, $to:ty, $type:ty) => {{
                let values = each(bytes, order, column, width).map(<$type>::from_le_bytes);
                Numbers::$kind(values.map(|value| value as $to).collect())
            }};
        }
        match self {
            Element::U8 => numbers!(Single, f32, u8),
            Element::Bool => {
                let values = bytes.iter().skip(column).step_by(width.max(1));
                let truth = |&value: &u8| f32::from(u8::from(value != 0));
                Numbers::Single(values.map(truth).collect())
            }
            Element::I8 => numbers!(Single, f32, i8),
            Element::U16 => numbers!(Single, f32, u16),
            Element::I16 => numbers!(Single, f32, i16),
            Element::F32 => numbers!(Single, f32, f32),
            Element::U32 => numbers!(Double, f64, u32),
            Element::I32 => numbers!(Double, f64, i32),
            Element::U64 => numbers!(Double, f64, u64),
            Element::I64 => numbers!(Double, f64, i64),
            Element::F64 => numbers!(Double, f64, f64),
            Element::F16 => {
                let bits = each(bytes, order, column, width).map(u16::from_le_bytes);
                Numbers::Single(bits.map(half).collect())
            }
            Element::Bytes(_) | Element::Unicode(_) | Element::Ticks { .. } => {
                Numbers::Single(vec![])
            }
        }
    }

    fn texts(
        self,
        bytes: &[u8],
        order: Order,
        column: usize,
        width: usize,
    ) -> Result<Texts, (usize, String)> {
        let size = self.size();
        let mut texts = Texts::new();
        if size == 0 {
            return Err((0, "holds texts of length 0".into()));
        }
        let fields = bytes.chunks_exact(size).skip(column).step_by(width.max(1));
        for (row, field) in fields.enumerate() {
            let text: Option<String> = match self {
                Element::Unicode(_) => field
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|&unit| u32::from_le_bytes(order.to_little(unit)))
                    .take_while(|&unit| unit != 0)
                    .map(char::from_u32)
                    .collect(),
                _ => {
                    let end = field.iter().position(|&b| b == 0).unwrap_or(size);
                    std::str::from_utf8(&field[..end]).ok().map(String::from)
                }
            };
            let text = text.ok_or_else(|| (row, "holds text that is not Unicode".to_string()))?;
            let text = text.trim();
            texts.push((!text.is_empty()).then_some(text));
        }
        Ok(texts)
    }
}

/// The elements of one column, each with its lowest byte first.
fn each<const N: usize>(
    bytes: &[u8],
    order: Order,
    column: usize,
    width: usize,
) -> impl Iterator<Item = [u8; N]> {
    let (elements, _) = bytes.as_chunks::<N>();
    let own = elements.iter().skip(column).step_by(width.max(1));
    own.map(move |&element| order.to_little(element))
}

/// Microseconds since 1970; NumPy's "not a time" is the smallest integer.
fn micros(tick: i64, per_second: i64, seconds: i64) -> Option<i64> {
    if tick == i64::MIN {
        return None;
    }
    let micros = i128::from(tick) * i128::from(seconds) * 1_000_000 / i128::from(per_second.max(1));
    i64::try_from(micros).ok()
}

/// A 16-bit float: sign, 5 bits of exponent, 10 of fraction.
pub(crate) fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction / 16_777_216.0, // 2²⁴
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits(((exponent + 112) as u32) << 23) * (1.0 + fraction / 1024.0),
    };
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_is_understood_in_both_orders() {
        let numbers = |element: Element, bytes: &[u8], order| match element
            .column(bytes, order, 0, 1, false)
            .unwrap()
        {
            Column::Numbers(numbers) => numbers.iter().collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        use Order::{Big, Little};
        assert_eq!(numbers(Element::Bool, &[0, 2], Little), [0.0, 1.0]);
        assert_eq!(numbers(Element::U8, &[255], Little), [255.0]);
        assert_eq!(numbers(Element::I8, &[255], Little), [-1.0]);
        assert_eq!(numbers(Element::U16, &[0, 1], Little), [256.0]);
        assert_eq!(numbers(Element::I16, &[0xff, 0xfe], Big), [-2.0]);
        assert_eq!(
            numbers(Element::U32, &[0, 0, 0, 128], Little),
            [2147483648.0]
        );
        assert_eq!(numbers(Element::I32, &[255; 4], Big), [-1.0]);
        assert_eq!(numbers(Element::I64, &[255; 8], Big), [-1.0]);
        assert_eq!(numbers(Element::U64, &1u64.to_be_bytes(), Big), [1.0]);
        assert_eq!(numbers(Element::F32, &1.5f32.to_le_bytes(), Little), [1.5]);
        assert_eq!(numbers(Element::F64, &0.1f64.to_be_bytes(), Big), [0.1]);
    }

    #[test]
    fn half_floats_cover_all_their_cases() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f32.powi(-24)),
            (0x0400, 2f32.powi(-14)),
            (0x3555, 0.333_251_95),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn texts_and_large_integers_stay_exact() {
        let column = |element: Element, bytes: &[u8]| match element
            .column(bytes, Order::Little, 0, 1, true)
            .unwrap()
        {
            Column::Text(texts) => texts.get(0).map(String::from),
            other => panic!("{other:?}"),
        };
        let large = 9_007_199_254_740_993i64;
        assert_eq!(
            column(Element::I64, &large.to_le_bytes()).unwrap(),
            large.to_string()
        );
        assert_eq!(column(Element::Bytes(3), b"ab\0").unwrap(), "ab");
        assert_eq!(
            column(Element::Unicode(2), &[0x42, 1, 0, 0, 0, 0, 0, 0]).unwrap(),
            "ł"
        );
        assert_eq!(column(Element::Unicode(1), &[0; 4]), None);
        let bad = Element::Unicode(1).column(&[255; 4], Order::Little, 0, 1, true);
        assert!(bad.is_err());
    }

    #[test]
    fn ticks_become_microseconds() {
        assert_eq!(micros(1_500, 1_000, 1), Some(1_500_000));
        assert_eq!(micros(2, 1, 86_400), Some(172_800_000_000));
        assert_eq!(micros(i64::MIN, 1, 1), None);
        assert_eq!(micros(i64::MAX, 1, 86_400), None);
    }

    #[test]
    fn both_orders_give_the_same_columns() {
        let turned = |bytes: &[u8], size: usize| -> Vec<u8> {
            let elements = bytes.chunks_exact(size);
            elements
                .flat_map(|element| element.iter().rev().copied())
                .collect()
        };
        let bytes: Vec<u8> = (0..48u8).map(|at| at.wrapping_mul(37) % 120).collect();
        for element in [
            Element::I16,
            Element::F16,
            Element::U32,
            Element::F32,
            Element::U64,
            Element::F64,
            Element::Ticks {
                per_second: 1_000,
                seconds: 1,
            },
        ] {
            let other = turned(&bytes, element.size());
            for (at, text) in [(0, false), (1, false), (1, true)] {
                let little = element.column(&bytes, Order::Little, at, 2, text).unwrap();
                let big = element.column(&other, Order::Big, at, 2, text).unwrap();
                assert_eq!(little, big, "{element:?}");
            }
            let wide = element.widened(&bytes, Order::Little);
            assert_eq!(turned(&wide, 8), element.widened(&other, Order::Big));
        }
        let letters = ['a', 'ł'].map(|letter| u32::from(letter).to_be_bytes());
        let text = Element::Unicode(2).column(&letters.concat(), Order::Big, 0, 1, true);
        let Ok(Column::Text(text)) = text else {
            panic!()
        };
        assert_eq!(text.get(0), Some("ał"));
    }
}
