//! Class names: from the label column of the source to numbers, and back from answers that may be written otherwise.

use std::collections::BTreeMap;

use crate::reading::formats::text_table::number;

/// Whether two texts say the same: equal as they stand, or equal as numbers (`3` and `3.0`).
pub(crate) fn same_text(a: &str, b: &str) -> bool {
    a == b || as_number(a).is_some_and(|value| as_number(b) == Some(value))
}

/// A number, written so that it stays itself.
fn as_number(text: &str) -> Option<f64> {
    // Beyond 2⁵³ different integers are equal as floats.
    number(text).filter(|value| value.abs() < 9_007_199_254_740_992.0)
}

/// The names of the classes in the order of their numbers: ascending if all are numbers, else alphabetical.
pub(super) fn in_order<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let texts: Vec<&str> = texts.into_iter().collect();
    let numbers: Option<Vec<f64>> = texts.iter().map(|text| as_number(text)).collect();
    let mut names: Vec<String> = match numbers {
        Some(mut numbers) => {
            numbers.sort_by(f64::total_cmp);
            numbers.iter().map(f64::to_string).collect()
        }
        None => texts.iter().map(|text| text.to_string()).collect(),
    };
    if names.iter().any(|name| as_number(name).is_none()) {
        names.sort();
    }
    names.dedup();
    names
}

/// Finds the number of a class.
#[derive(Clone, Debug)]
pub(crate) struct ClassLookup {
    names: BTreeMap<String, u32>,
    /// By the bits of their values, where names are numbers.
    numbers: BTreeMap<u64, u32>,
}

impl ClassLookup {
    pub fn new(classes: &[String]) -> Self {
        let numbered = || classes.iter().zip(0u32..);
        Self {
            names: numbered().map(|(name, at)| (name.clone(), at)).collect(),
            numbers: numbered()
                .filter_map(|(name, at)| Some((bits(as_number(name)?), at)))
                .collect(),
        }
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        let named = self.names.get(text);
        named
            .or_else(|| self.numbers.get(&bits(as_number(text)?)))
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
        let lookup = ClassLookup::new(&["0".into(), "3".into(), "x".into()]);
        assert_eq!(lookup.find("3.0"), Some(1));
        assert_eq!(lookup.find("-0"), Some(0));
        assert_eq!(lookup.find("x"), Some(2));
        assert_eq!(lookup.find("4"), None);
        assert!(same_text("1e2", "100") && !same_text("a", "b") && !same_text("", "?"));
        assert!(!same_text("9007199254740993", "9007199254740992"));
    }
}
