//! Whether a block without quotes holds nothing but short plain numbers, `[±]digits[.digits]`, told for 64 bytes at a time: a bit
//! stands for a byte, and adding a bit to a run of ones finds where the run ends (Langdale and Lemire 2019, Parsing
//! Gigabytes of JSON per Second). The first pass over a stream wants to know no more.

/// Digits before the point, at most.
pub(super) const DIGITS: usize = 8;

/// How many rows of `width` numbers the block has; none if something else is in it. Every line ends with `\n`.
pub(super) fn rows(text: &[u8], delimiter: u8, width: usize) -> Option<usize> {
    let (chunks, rest) = text.as_chunks::<64>();
    let mut last = [b'\n'; 64];
    last[..rest.len()].copy_from_slice(rest);
    let rest = (!rest.is_empty()).then_some((&last, rest.len()));
    let mut before = Before {
        starts: 1,
        ..Before::default()
    };
    let (mut rows, mut fields) = (0, 1);
    for (chunk, length) in chunks.iter().map(|chunk| (chunk, 64)).chain(rest) {
        let kinds = Kinds::of(chunk, delimiter);
        let there = u64::MAX >> (64 - length);
        if before.odd(&kinds, there) {
            return None;
        }
        let (mut ends, mut delimiters) = (kinds.ends & there, kinds.delimiters);
        while ends != 0 {
            let line = ends ^ (ends - 1);
            if fields + (delimiters & line).count_ones() as usize != width {
                return None;
            }
            (rows, fields) = (rows + 1, 1);
            delimiters &= !line;
            ends &= ends - 1;
        }
        fields += delimiters.count_ones() as usize;
    }
    text.ends_with(b"\n").then_some(rows)
}

/// Which of 64 bytes are what.
struct Kinds {
    digits: u64,
    points: u64,
    signs: u64,
    delimiters: u64,
    ends: u64,
}

impl Kinds {
    fn of(text: &[u8; 64], delimiter: u8) -> Self {
        Self {
            digits: bits(text, |byte| byte.wrapping_sub(b'0') < 10),
            points: bits(text, |byte| byte == b'.'),
            signs: bits(text, |byte| byte == b'-' || byte == b'+'),
            delimiters: bits(text, |byte| byte == delimiter),
            ends: bits(text, |byte| byte == b'\n'),
        }
    }
}

/// All bytes are compared in a few steps, and eight answers gathered in one.
#[inline(always)]
fn bits(text: &[u8; 64], is: impl Fn(u8) -> bool) -> u64 {
    let flags: [u8; 64] = std::array::from_fn(|at| u8::from(is(text[at])));
    let (eights, _) = flags.as_chunks::<8>();
    let gather =
        |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let eights = eights.iter().enumerate();
    eights.fold(0, |bits, (at, eight)| bits | gather(eight) << (8 * at))
}

/// What the bytes before the next 64 say about them; a number may run on.
#[derive(Default)]
struct Before {
    /// Whether the next byte starts a field, follows a sign, goes on with digits before a point: 0 or 1.
    starts: u64,
    sign: u64,
    runs_on: u64,
    /// The digits before points.
    whole: u64,
}

impl Before {
    /// Whether something in the next bytes is no short plain number. Goes on behind them.
    fn odd(&mut self, kinds: &Kinds, there: u64) -> bool {
        let &Kinds { digits, signs, .. } = kinds;
        let stops = kinds.delimiters | kinds.ends;
        let starts = stops << 1 | self.starts;
        let first_digits = ((starts & !signs) | signs << 1 | self.sign) & there;
        // What is added runs through the digits up to the first byte that is none.
        let (sum, over) = digits.overflowing_add(first_digits & digits);
        let (sum, also_over) = sum.overflowing_add(self.runs_on);
        let whole = digits & !sum;
        let points_allowed = sum & !digits;
        let odd = !(digits | kinds.points | signs | stops)
            | (signs & !starts)
            | (first_digits & !digits)
            | (kinds.points & !points_allowed)
            | nine_in_a_row(whole, self.whole);
        *self = Self {
            starts: stops >> 63,
            sign: signs >> 63,
            runs_on: u64::from(over | also_over),
            whole,
        };
        odd & there != 0
    }
}

/// Where a run of ones has become longer than eight; it may have begun in the 64 before.
fn nine_in_a_row(ones: u64, before: u64) -> u64 {
    let moved = |ones: u64, before: u64, by: u32| ones << by | before >> (64 - by);
    let two = (ones & moved(ones, before, 1), before & before << 1);
    let four = (two.0 & moved(two.0, two.1, 2), two.1 & two.1 << 2);
    let eight = four.0 & moved(four.0, four.1, 4);
    eight & moved(ones, before, 8)
}

/// How long the number at the start of `bytes` is, if it has one to `most` digits (up to eight) before its point and no
/// exponent. None also close to the end of `bytes`: it is for others then.
#[inline]
pub(super) fn plain_length(bytes: &[u8], most: usize) -> Option<usize> {
    let start = usize::from(matches!(bytes.first()?, b'-' | b'+'));
    let before = leading_digits(bytes, start)?;
    if before == 0 || before > most {
        return None;
    }
    let mut at = start + before;
    if *bytes.get(at)? == b'.' {
        at += 1;
        loop {
            let more = leading_digits(bytes, at)?;
            at += more;
            if more < 8 {
                break;
            }
        }
    }
    Some(at)
}

/// How many of the eight bytes from `at` on are digits before the first that is none.
#[inline]
fn leading_digits(bytes: &[u8], at: usize) -> Option<usize> {
    let eight = bytes.get(at..)?.first_chunk::<8>()?;
    Some(no_digits(u64::from_le_bytes(*eight)).trailing_zeros() as usize / 8)
}

/// The highest bit of a byte is set if it is no digit; those after the first such byte may err.
#[inline]
fn no_digits(text: u64) -> u64 {
    let values = text.wrapping_sub(0x3030_3030_3030_3030);
    let above = text.wrapping_add(0x4646_4646_4646_4646);
    (values | above) & 0x8080_8080_8080_8080
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The plain twin: line by line and field by field.
    fn twin(text: &str, width: usize) -> Option<usize> {
        let number = |field: &str| {
            let padded = format!("{field},,,,,,,,");
            plain_length(padded.as_bytes(), DIGITS) == Some(field.len())
        };
        let lines: Vec<&str> = text.strip_suffix('\n')?.split('\n').collect();
        let fine = |line: &&str| {
            let fields: Vec<&str> = line.split(',').collect();
            fields.len() == width && fields.into_iter().all(number)
        };
        lines.iter().all(fine).then_some(lines.len())
    }

    #[test]
    fn one_odd_byte_is_enough() {
        let table = "12345678.123456789,-1,+0.5\n7.,3,-12345678\n".repeat(20);
        assert_eq!(rows(table.as_bytes(), b',', 3), Some(40));
        assert_eq!(rows(table.as_bytes(), b',', 2), None);
        assert_eq!(rows(table.trim_end().as_bytes(), b',', 3), None);
        for at in 0..table.len() {
            for odd in "x e.-+,\n\r15".chars() {
                let mut other = table.clone();
                other.replace_range(at..=at, &odd.to_string());
                let found = rows(other.as_bytes(), b',', 3);
                assert_eq!(found, twin(&other, 3), "{odd:?} at {at}");
            }
        }
    }

    #[test]
    fn plain_numbers_are_measured_as_they_are_read() {
        for text in [
            "0",
            "-1.5",
            "+12345678",
            "5.",
            "1.23456789012345678901",
            "7.12345678",
            "-0.0000",
        ] {
            let bytes = format!("{text},1,2,3,4,5,6");
            let length = text.len();
            assert_eq!(plain_length(bytes.as_bytes(), 8), Some(length), "{text}");
        }
        for other in ["", "-", ".5", "x", "123456789", "1e5,.......", "NaN"] {
            let bytes = format!("{other},1,2,3,4,5,6");
            let length = plain_length(bytes.as_bytes(), 8);
            assert!(
                length.is_none_or(|length| bytes.as_bytes()[length] != b','),
                "{other}"
            );
        }
        assert_eq!(plain_length(b"1234,1,2,3,4,5", 3), None);
        assert_eq!(plain_length(b"1.5,1", 8), None, "too close to the end");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn any_text_is_judged_as_its_twin_judges_it(text in "[0-9]{0,9}([-+.,0-9]{0,40}\n){0,8}", width in 1usize..5) {
            prop_assert_eq!(rows(text.as_bytes(), b',', width), twin(&text, width));
        }

        #[test]
        fn tables_of_numbers_are_told(
            table in prop::collection::vec(["-?[0-9]{1,9}(\\.[0-9]{0,20})?", "[+-]?[0-9]{1,3}", "[0-9]{8}\\.[0-9]"], 1..20),
        ) {
            let text: String = table.iter().map(|row| row.join(",") + "\n").collect();
            prop_assert_eq!(rows(text.as_bytes(), b',', 3), twin(&text, 3));
        }
    }
}
