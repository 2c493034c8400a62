//! Columns of the source that are hardly what they are taken for: numbers of rows, decimals with a comma, and labels that
//! are quantities rather than classes.

use std::collections::HashSet;

use super::statistics::Pieces;
use crate::Column;
use crate::formats::text_table::{number, number_with_comma};
use crate::selection::cell_text;

/// Fewer rows than this say nothing about a column.
const TELLING: usize = 20;

/// Labels are hardly classes if there are more than twenty of them and fewer than two rows for each; or, if all are
/// numbers, more than a hundred and fewer than five rows for each.
pub(super) fn hardly_classes(classes: &[String], rows: usize) -> bool {
    let count = classes.len();
    let numbers = || {
        classes
            .iter()
            .all(|class| number(class).is_some_and(f64::is_finite))
    };
    count > TELLING && rows < 2 * count || count > 100 && rows < 5 * count && numbers()
}

/// Whether a column of numbers may number the rows: whole numbers, no two of them equal.
pub(super) fn numbers_rows(pieces: &Pieces) -> bool {
    let mut seen = HashSet::new();
    let different = pieces.iter().all(|(column, rows)| match column {
        Column::Numbers(numbers) => rows.iter().all(|&row| {
            let value = numbers.get(row);
            value.fract() == 0.0 && seen.insert(value.to_bits())
        }),
        _ => false,
    });
    different && seen.len() >= TELLING
}

/// A number with a decimal comma from a column of texts that holds nothing but such numbers.
pub(super) fn decimal_comma(pieces: &Pieces) -> Option<String> {
    let mut found = None;
    for (column, rows) in pieces {
        for text in rows.iter().filter_map(|&row| cell_text(column, row)) {
            number_with_comma(&text)?;
            if found.is_none() && text.contains(',') {
                found = Some(text);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Numbers, Texts};

    #[test]
    fn quantities_are_told_from_classes() {
        let classes = |n: usize| (0..n).map(|at| at.to_string()).collect::<Vec<_>>();
        let names = |n: usize| (0..n).map(|at| format!("user {at}")).collect::<Vec<_>>();
        assert!(hardly_classes(&names(445), 445) && hardly_classes(&classes(8_334), 20_000));
        assert!(!hardly_classes(&classes(3), 3) && !hardly_classes(&classes(100), 300));
        assert!(!hardly_classes(&names(1000), 2000) && !hardly_classes(&classes(1000), 5000));
    }

    #[test]
    fn row_numbers_are_whole_and_different() {
        let rows: Vec<usize> = (0..30).collect();
        let number = |value: &dyn Fn(usize) -> f64| {
            let column = Column::Numbers(Numbers::Double((0..30).map(value).collect()));
            numbers_rows(&vec![(&column, &rows[..])])
        };
        assert!(number(&|at| at as f64) && number(&|at| 1000.0 - 7.0 * at as f64));
        assert!(!number(&|at| at as f64 / 2.0) && !number(&|at| (at / 2) as f64));
    }

    #[test]
    fn decimal_commas_are_found_among_numbers_only() {
        let comma = |texts: &[Option<&str>]| {
            let texts: Texts = texts.iter().copied().collect();
            let (rows, column) = ((0..texts.len()).collect::<Vec<_>>(), Column::Text(texts));
            decimal_comma(&vec![(&column, &rows[..])])
        };
        assert_eq!(
            comma(&[Some("3"), None, Some("3,14")]).as_deref(),
            Some("3,14")
        );
        assert_eq!(comma(&[Some("3,14"), Some("red")]), None);
        assert_eq!(comma(&[Some("3"), Some("4")]), None);
    }
}
