//! Which inputs belong to one column of a table. Most models need not know; trees take such columns as one.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Columns that are several inputs. Every input that is not named here is a column of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Layout {
    /// The inputs of each column of categories: 1 for the row's, 0 for the others; all 0 where it is missing or unseen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_hot: Vec<Range<usize>>,
    /// Inputs that are followed by a mark: 1 where the value is missing and was filled, else 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<usize>,
}

impl Layout {
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether rows of `width` inputs can be so: ranges in order that neither overlap nor end behind the row.
    pub fn fits(&self, width: usize) -> bool {
        let marked = self.marked.iter().map(|&at| at..at.saturating_add(2));
        let mut all: Vec<Range<usize>> = self.one_hot.iter().cloned().chain(marked).collect();
        all.sort_unstable_by_key(|range| range.start);
        let apart = all.windows(2).all(|pair| pair[0].end <= pair[1].start);
        apart
            && all
                .iter()
                .all(|range| range.start < range.end && range.end <= width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lie_apart_and_within_the_row() {
        let layout = |one_hot: &[Range<usize>], marked: &[usize]| Layout {
            one_hot: one_hot.to_vec(),
            marked: marked.to_vec(),
        };
        assert!(layout(&[], &[]).fits(1) && layout(&[], &[]).is_plain());
        assert!(layout(&[2..4, 4..5], &[0]).fits(5));
        assert!(!layout(&[2..4, 3..5], &[]).fits(5));
        assert!(!layout(&[1..3, 4..5], &[0]).fits(5));
        assert!(!layout(&[], &[4]).fits(5));
        assert!(!layout(&[2..2, 3..4], &[]).fits(5));
    }
}
