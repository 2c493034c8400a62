//! Class names: from the label column of the source to numbers, and back from answers that may be written otherwise.

use std::collections::BTreeMap;

use crate::formats::text_table::number;

/// Whether two texts say the same: equal as they stand, as numbers (`3` and `3.0`) or as truth values (`True`, `true`, `1`).
pub fn same_text(a: &str, b: &str) -> bool {
    a == b || value_of(a).is_some_and(|value| value_of(b) == Some(value))
}

/// The number that a truth value is, however its format writes it.
pub(super) fn as_truth(text: &str) -> Option<f64> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match (is("true"), is("false")) {
        (true, _) => Some(1.0),
        (_, true) => Some(0.0),
        _ => None,
    }
}

fn value_of(text: &str) -> Option<f64> {
    as_number(text).or_else(|| as_truth(text))
}

/// A number, written so that it stays itself.
fn as_number(text: &str) -> Option<f64> {
    // Beyond 2⁵³ different integers are equal as floats.
    number(text).filter(|value| value.abs() < 9_007_199_254_740_992.0)
}

/// How a class is named that is written so: `1.0` and `01` are both `1`.
pub fn class_name(text: &str) -> String {
    as_number(text).map_or_else(|| text.to_owned(), |value| (value + 0.0).to_string())
}

/// The names of the classes in the order of their numbers: ascending if all are numbers, else alphabetical. Numbers are
/// written in one way, so that `1` and `1.0` are one class.
pub(super) fn in_order<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let texts: Vec<&str> = texts.into_iter().collect();
    let numbers: Option<Vec<f64>> = texts.iter().map(|text| as_number(text)).collect();
    let name = |value: f64| (value + 0.0).to_string();
    let mut names: Vec<String> = match numbers {
        Some(mut numbers) => {
            numbers.sort_by(f64::total_cmp);
            numbers.into_iter().map(name).collect()
        }
        None => {
            let mut names: Vec<String> = texts.into_iter().map(class_name).collect();
            names.sort();
            names
        }
    };
    names.dedup();
    names
}

/// Finds the number of a class.
#[derive(Clone, Debug)]
pub struct ClassLookup {
    names: BTreeMap<String, u32>,
    /// By the bits of their values, where names are numbers or truth values.
    numbers: BTreeMap<u64, u32>,
}

impl ClassLookup {
    pub fn new(classes: &[String]) -> Self {
        let numbered = || classes.iter().zip(0u32..);
        Self {
            names: numbered().map(|(name, at)| (name.clone(), at)).collect(),
            numbers: numbered()
                .filter_map(|(name, at)| Some((bits(value_of(name)?), at)))
                .collect(),
        }
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        let named = self.names.get(text);
        named
            .or_else(|| self.numbers.get(&bits(value_of(text)?)))
            .copied()
    }
}

/// The same bits for both zeros.
fn bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ordered_and_found_however_they_are_written() {
        assert_eq!(in_order(["10", "9", "9.0"]), ["9", "10"]);
        assert_eq!(in_order(["b", "10", "9"]), ["10", "9", "b"]);
        assert_eq!(in_order(["b", "1", "1.0", "0", "-0"]), ["0", "1", "b"]);
        assert_eq!(in_order(["0", "-0", "2"]), ["0", "2"]);
        let truths = ClassLookup::new(&["False".into(), "True".into()]);
        assert_eq!((truths.find("true"), truths.find("0")), (Some(1), Some(0)));
        assert!(same_text("TRUE", "1") && !same_text("true", "yes"));
        let lookup = ClassLookup::new(&["0".into(), "3".into(), "x".into()]);
        assert_eq!(lookup.find("3.0"), Some(1));
        assert_eq!(lookup.find("-0"), Some(0));
        assert_eq!(lookup.find("x"), Some(2));
        assert_eq!(lookup.find("4"), None);
        assert!(same_text("1e2", "100") && !same_text("a", "b") && !same_text("", "?"));
        assert!(!same_text("9007199254740993", "9007199254740992"));
    }
}
