//! Decimal numbers to the nearest double, as `str::parse` rounds them but faster: from 128 bits of the power of five (Lemire
//! 2021, Number Parsing at a Gigabyte per Second). Numbers of a table differ in sign and length, which a processor cannot
//! foresee, so neither is branched on. What is not covered goes to `str::parse`.

/// The number at the start of `bytes`, and how long it is. None if there is none; words and blanks are for others.
#[inline]
pub(super) fn leading(bytes: &[u8]) -> Option<(f64, usize)> {
    let first = *bytes.first()?;
    let start = usize::from(matches!(first, b'-' | b'+'));
    // Few before the point, many after it.
    let (mut digits, mut at) = digits::<1>(bytes, start, 0);
    let mut count = at - start;
    let mut power = 0;
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        (digits, at) = self::digits::<3>(bytes, point, digits);
        power = -((at - point) as i64);
        count += at - point;
    }
    if count == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let (exponent, end) = exponent(bytes, at + 1)?;
        power += exponent;
        at = end;
    }
    // More than 19 digits may have run over.
    if count <= 19
        && let Some(value) = nearest(digits, power)
    {
        let sign = u64::from(first == b'-') << 63;
        return Some((f64::from_bits(value.to_bits() | sign), at));
    }
    let value: f64 = std::str::from_utf8(&bytes[..at]).ok()?.parse().ok()?;
    value.is_finite().then_some((value, at))
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

/// `before` followed by the digits from `at` on, and where they end. They are looked at in steps of `N` times eight bytes.
#[inline(always)]
fn digits<const N: usize>(bytes: &[u8], mut at: usize, before: u64) -> (u64, usize) {
    let mut value = before;
    while let Some(next) = bytes.get(at..at + 8 * N) {
        let (eights, _) = next.as_chunks::<8>();
        // The second and third eight count only if all before them are digits.
        let mut all = true;
        let mut length = 0;
        for eight in eights {
            let (digits, count) = up_to_eight(*eight, all);
            value = value.wrapping_mul(POWERS[count]).wrapping_add(digits);
            all &= count == 8;
            length += count;
        }
        at += length;
        if length < 8 * N {
            return (value, at);
        }
    }
    while let Some(digit) = bytes
        .get(at)
        .map(|b| b.wrapping_sub(b'0'))
        .filter(|&d| d < 10)
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (value, at)
}

/// The number that the digits at the start of eight bytes write, and how many they are; none if they are not `wanted`. All
/// bytes are looked at in one step; then four pairs, two fours and one eight are put together.
#[inline]
fn up_to_eight(bytes: [u8; 8], wanted: bool) -> (u64, usize) {
    let text = u64::from_le_bytes(bytes);
    let values = text.wrapping_sub(0x3030_3030_3030_3030);
    let count = no_digits(text).trailing_zeros() as usize / 8 * usize::from(wanted);
    // Zeros before them make eight digits of fewer. In two steps: eight bytes at once would be too far.
    let half = 32 - 4 * count;
    let values = values << half << half;
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, count)
}

/// The signed number after the `e`, and where it ends.
fn exponent(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = bytes.get(at) == Some(&b'-');
    let start = at + usize::from(matches!(bytes.get(at), Some(b'-' | b'+')));
    let (value, end) = digits::<1>(bytes, start, 0);
    // None is so long in earnest.
    if end == start || end - start > 9 {
        return None;
    }
    let value = value as i64;
    Some((if negative { -value } else { value }, end))
}

/// The double nearest to digits·10^power; none if that is for others to say.
#[inline]
fn nearest(digits: u64, power: i64) -> Option<f64> {
    if !(-LARGEST..=LARGEST).contains(&power) {
        return None;
    }
    if digits == 0 {
        return Some(0.0);
    }
    let shift = digits.leading_zeros();
    let five = FIVES[(power + LARGEST) as usize];
    let (high, low) = product(digits << shift, five);
    let top = high >> 63;
    let kept = top as u32 + 9;
    let mut mantissa = high >> kept;
    // 10^power is five·2^…, and five was shifted to fill 128 bits: 217706/2^16 is log₂ 10.
    let binary = ((power * 217_706) >> 16) + 63 + top as i64 - i64::from(shift) + 1023;
    if low <= 1 && (-4..=23).contains(&power) && mantissa & 3 == 1 && mantissa << kept == high {
        // Half way between two doubles: to the even one.
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    // Rounding up may carry into the exponent, where it belongs.
    let bits = ((binary as u64) << 52) + (mantissa - (1 << 52));
    Some(f64::from_bits(bits))
}

/// The upper 128 bits of the product of 64 and 128 bits, as far as they are needed: high and low half.
#[inline]
fn product(digits: u64, five: u128) -> (u64, u64) {
    let wide = |half: u64| u128::from(digits) * u128::from(half);
    let first = wide((five >> 64) as u64);
    let (mut high, mut low) = ((first >> 64) as u64, first as u64);
    // Only where the bits below might carry does the other half matter.
    if high & 0x1ff == 0x1ff {
        let carry;
        (low, carry) = low.overflowing_add((wide(five as u64) >> 64) as u64);
        high += u64::from(carry);
    }
    (high, low)
}

/// Powers up to here need no more than 128 bits to decide.
const LARGEST: i64 = 27;

const POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// 5^power for powers from −27 to 27, shifted so that the highest of 128 bits is set; reciprocals are rounded up.
const FIVES: [u128; 2 * LARGEST as usize + 1] = {
    let mut all = [0; 2 * LARGEST as usize + 1];
    let mut power = 0;
    let mut five: u128 = 1;
    while power <= LARGEST as usize {
        all[LARGEST as usize + power] = five << five.leading_zeros();
        all[LARGEST as usize - power] = reciprocal(five);
        five *= 5;
        power += 1;
    }
    all[LARGEST as usize] = 1 << 127;
    all
};

/// 2^b / five rounded up, with the b that gives 128 bits.
const fn reciprocal(five: u128) -> u128 {
    let bits = 128 - (five - 1).leading_zeros();
    let (mut quotient, mut rest, mut left) = (0u128, 1u128, bits + 127);
    while left > 0 {
        rest <<= 1;
        quotient <<= 1;
        if rest >= five {
            rest -= five;
            quotient += 1;
        }
        left -= 1;
    }
    quotient + 1
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
        // Left to others: they know what is missing and what is infinite.
        for other in ["1e", "1e+", "1e999", "1e9999999999"] {
            assert_eq!(leading(other.as_bytes()), None, "{other}");
        }
        assert_eq!(leading(b"1.5x"), Some((1.5, 3)));
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
            let (_, length) = leading(bytes.as_bytes()).unwrap();
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
