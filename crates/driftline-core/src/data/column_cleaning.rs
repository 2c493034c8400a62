//! Cleaning of a table's columns. A column that hardly varies in the source is divided by a tiny deviation, and then one odd value of
//! the stream outweighs all others: such columns are left out (fewer than 2 % of the source's rows differ from the
//! median), and standardised values are clipped (to ±4 in the source, to ±8 in a stream). Images are left alone.

use serde::{Deserialize, Serialize};

/// A column varies if at least this share of its values differs from their median.
const VARIES: f64 = 0.02;

/// What is done about columns; a part that is not named is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ColumnCleaning {
    /// Leave out columns of which fewer than 2 % of the source's rows differ from the median.
    pub drop: bool,
    /// Clip standardised values to ±4 in the source and ±8 in a stream.
    pub clip: bool,
}

/// How far from 0 a standardised value may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    pub source: f32,
    pub stream: f32,
}

impl ColumnCleaning {
    pub const ON: Self = Self {
        drop: true,
        clip: true,
    };
    pub const OFF: Self = Self {
        drop: false,
        clip: false,
    };
}

impl Default for ColumnCleaning {
    fn default() -> Self {
        Self::ON
    }
}

impl Default for Clip {
    fn default() -> Self {
        Self {
            source: 4.0,
            stream: 8.0,
        }
    }
}

impl Clip {
    /// Whether a file may say so.
    pub fn is_sound(&self) -> bool {
        let sound = |bound: f32| bound.is_finite() && bound > 0.0;
        sound(self.source) && sound(self.stream)
    }
}

/// Whether fewer than 2 % of the numbers differ from their (lower) median; what is not finite does not count.
pub(super) fn hardly_varies(mut numbers: Vec<f64>) -> bool {
    numbers.retain(|value| value.is_finite());
    if numbers.is_empty() {
        return true;
    }
    let middle = (numbers.len() - 1) / 2;
    let (_, &mut median, _) = numbers.select_nth_unstable_by(middle, f64::total_cmp);
    let others = numbers.iter().filter(|&&value| value != median).count();
    is_few(others, numbers.len())
}

/// Whether `others` of `all` rows are too few for a column to vary.
pub(super) fn is_few(others: usize, all: usize) -> bool {
    (others as f64) < VARIES * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_in_a_hundred_are_enough_to_vary() {
        let column = |odd: usize| {
            let mut values = vec![7.0; 100];
            values[..odd].fill(-1.0);
            hardly_varies(values)
        };
        assert!(column(0) && column(1));
        assert!(!column(2) && !column(50) && !column(98));
        assert!(column(99), "then the others are the odd ones");
        assert!(!hardly_varies((0..10).map(f64::from).collect()));
        assert!(!hardly_varies(vec![0.0, 1.0]));
        assert!(hardly_varies(vec![f64::NAN; 3]));
    }

    #[test]
    fn a_part_that_is_not_named_is_on() {
        let read = |text: &str| serde_json::from_str::<ColumnCleaning>(text).unwrap();
        assert_eq!(read("{}"), ColumnCleaning::ON);
        assert!(read(r#"{"drop":false}"#).clip && !read(r#"{"drop":false}"#).drop);
        assert!(serde_json::from_str::<ColumnCleaning>(r#"{"dropp":false}"#).is_err());
    }
}
