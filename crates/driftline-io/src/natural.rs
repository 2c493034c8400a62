//! The order in which people number files: `part-2` before `part-10`.

use std::cmp::Ordering;

/// Compares text, but runs of digits by their value.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        let order = match (left.first(), right.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, rest_of_left) = digits(left);
                let (y, rest_of_right) = digits(right);
                (left, right) = (rest_of_left, rest_of_right);
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
            (Some(x), Some(y)) => {
                (left, right) = (&left[1..], &right[1..]);
                x.cmp(y)
            }
            // `01` and `1` are equal so far: the plain order decides.
            (x, y) => return x.cmp(&y).then_with(|| a.cmp(b)),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The digits at the start, without leading zeros, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|c| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let start = digits.iter().position(|&c| c != b'0');
    (&digits[start.unwrap_or(digits.len())..], rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_count_by_value() {
        let mut names = ["b-10", "b-9", "a", "b-09x", "b-", "b-010", "B-1"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["B-1", "a", "b-", "b-9", "b-09x", "b-010", "b-10"]);
    }

    proptest! {
        #[test]
        fn it_is_a_total_order(a in "[a0-2]{0,5}", b in "[a0-2]{0,5}", c in "[a0-2]{0,5}") {
            prop_assert_eq!(natural_order(&a, &b), natural_order(&b, &a).reverse());
            prop_assert_eq!(natural_order(&a, &b) == Ordering::Equal, a == b);
            if natural_order(&a, &b).is_le() && natural_order(&b, &c).is_le() {
                prop_assert!(natural_order(&a, &c).is_le());
            }
        }
    }
}
