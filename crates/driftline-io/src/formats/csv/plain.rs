//! The fast way through a block without quotes, where every line is a record. What is odd is left to the careful way.

use super::checked::{self, plain_length};
use super::layout::{Growing, Layout, Parsed};
use crate::formats::text_table::Filling;

/// The rows of a block; none if a record has too many or too few fields, or one of them is not what it should be.
pub(super) fn parse(text: &[u8], layout: &Layout) -> Option<Vec<Parsed>> {
    let delimiter = layout.look.delimiter;
    if layout.all_checked
        && let Some(rows) = checked::rows(text, delimiter, layout.width())
    {
        return Some(layout.zeros(rows));
    }
    let mut growing = layout.growing(rows_about(text, layout.width()));
    // For every field of a record, the column that it goes to.
    let mut targets = vec![None; layout.width()];
    for (column, &place) in layout.places.iter().enumerate() {
        targets[place] = Some(column);
    }
    let (last, before) = targets.split_last()?;
    let read = |text: &[u8], at: usize, target: Option<usize>, growing: &mut Growing| match target {
        Some(column) => {
            let target = &mut growing.columns[column];
            let checked = check(text, at, delimiter, layout.only_checked[column], target);
            checked.or_else(|| push(text, at, delimiter, target))
        }
        None => Some(end_of_field(text, at, delimiter)),
    };
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        // The rest of an end of line, or an empty line.
        if matches!(byte, b'\n' | b'\r') {
            at += 1;
            continue;
        }
        for &target in before {
            at = read(text, at, target, &mut growing)?;
            if text.get(at) != Some(&delimiter) {
                return None;
            }
            at += 1;
        }
        at = read(text, at, *last, &mut growing)?;
        if text.get(at) == Some(&delimiter) {
            return None;
        }
        growing.end_row();
    }
    Some(growing.finish())
}

/// Appends 0 for a number of at most so many digits before the point, and says where it ends.
#[inline]
fn check(
    text: &[u8],
    at: usize,
    delimiter: u8,
    digits: usize,
    column: &mut Filling,
) -> Option<usize> {
    if digits == 0 {
        return None;
    }
    let end = at + plain_length(&text[at..], digits)?;
    let Filling::Numbers(values) = column else {
        return None;
    };
    ends_field(text.get(end), delimiter).then(|| {
        values.push(0.0);
        end
    })
}

/// Appends the field that begins at `at`, and says where it ends.
#[inline]
fn push(text: &[u8], at: usize, delimiter: u8, column: &mut Filling) -> Option<usize> {
    if let Filling::Numbers(values) = column
        && let Some((value, length)) = leading(&text[at..])
        && ends_field(text.get(at + length), delimiter)
    {
        values.push(value);
        return Some(at + length);
    }
    let end = end_of_field(text, at, delimiter);
    let field = std::str::from_utf8(&text[at..end]).ok()?;
    column.push(field).then_some(end)
}

/// The number at the start of `bytes`, to the nearest double, and how long it is. None if there is none that is finite.
#[inline]
fn leading(bytes: &[u8]) -> Option<(f64, usize)> {
    let number: Option<(f64, usize)> = fast_float2::parse_partial(bytes).ok();
    number.filter(|(value, _)| value.is_finite())
}

#[inline]
fn ends_field(byte: Option<&u8>, delimiter: u8) -> bool {
    byte.is_none_or(|&byte| byte == delimiter || matches!(byte, b'\n' | b'\r'))
}

fn end_of_field(text: &[u8], at: usize, delimiter: u8) -> usize {
    let rest = text[at..].iter();
    let length = rest.take_while(|byte| !ends_field(Some(byte), delimiter));
    at + length.count()
}

/// How many rows there are if all are about as long as the first; none is shorter than its delimiters.
fn rows_about(text: &[u8], width: usize) -> usize {
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let first = lines.find(|line| !line.is_empty()).map_or(0, <[u8]>::len);
    text.len() / (first + 1).max(width) * 17 / 16 + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn agrees(text: &str) {
        let parsed: f64 = text.parse().unwrap();
        for rest in ["", ",1", "\n", " "] {
            let (value, length) = leading(format!("{text}{rest}").as_bytes()).unwrap();
            assert_eq!(
                value.to_bits(),
                parsed.to_bits(),
                "{text}: {value:?} {parsed:?}"
            );
            assert_eq!(length, text.len(), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_hard_to_round() {
        for text in [
            "0",
            "-0",
            "+0.0",
            "1",
            "-1.5",
            ".5",
            "5.",
            "1e5",
            "1E-5",
            "2.5e+3",
            "12345678",
            "123456789012345678",
            "9007199254740992",
            "9007199254740993",
            "9007199254740993.0",
            "9007199254740995",
            "9223372036854775807",
            "18446744073709551615",
            "18446744073709551616",
            "9999999999999999999",
            "0.1",
            "0.3",
            "1e22",
            "1e23",
            "8.5e22",
            "123456789012345678901234567890",
            "1.7976931348623157e308",
            "4.9e-324",
            "2.2250738585072011e-308",
            "0.000000000000000000000000000001",
            "6.02214076e23",
            "1e-27",
            "1e-28",
            "9e27",
            "9e28",
            "7.2057594037927933e16",
            "0.500000000000000166533453693773481063544750213623046875",
            "3.518437208883201171875e13",
            "1e-400",
        ] {
            agrees(text);
        }
        for none in [
            "", "-", "+", ".", "-.", "x", "e5", " 1", "NaN", "inf", "\"1\"",
        ] {
            assert_eq!(leading(none.as_bytes()), None, "{none}");
        }
        // Left to the careful way, which says that it is infinite.
        for other in ["1e999", "1e9999999999", "-1e400", "infinity", "-inf"] {
            assert_eq!(leading(other.as_bytes()), None, "{other}");
        }
        assert_eq!(leading(b"1.5x"), Some((1.5, 3)));
        assert_eq!(leading(b"1e"), Some((1.0, 1)));
        assert_eq!(leading(b"2e+,"), Some((2.0, 1)));
    }

    /// Halves between doubles, where rounding is decided by the last digit.
    #[test]
    fn ties_go_to_even() {
        for odd in [1u64, 3, 5, 123_456_789, (1 << 52) + 1] {
            let base = (1u64 << 53) + 2 * odd;
            for digits in [base - 1, base, base + 1] {
                agrees(&digits.to_string());
                agrees(&format!("{digits}.0"));
                agrees(&format!("{digits}e1"));
                agrees(&format!("0.{digits}"));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_double_comes_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            agrees(&format!("{value:e}"));
        }

        #[test]
        fn numbers_as_tables_have_them(value in -1e6f64..1e6, small in -1f64..1.0, decimals in 0usize..20) {
            agrees(&value.to_string());
            agrees(&small.to_string());
            agrees(&format!("{value:.decimals$}"));
            agrees(&format!("{small:.decimals$}"));
        }

        #[test]
        fn any_digits_and_any_power(digits: u64, power in -40i32..40, point in 0usize..19) {
            agrees(&format!("{digits}e{power}"));
            let mut text = format!("{digits:020}");
            text.insert(point, '.');
            agrees(&text);
        }
    }
}
