//! Columns of the source that are hardly what they are taken for: numbers of rows, decimals with a comma, and labels that
//! are quantities rather than classes.

use std::collections::{BTreeMap, HashSet};

use super::statistics::Pieces;
use crate::columns::list;
use crate::formats::text_table::{number, number_with_comma};
use crate::selection::cell_text;
use crate::{Column, NoteCode, Notes};

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

/// Whether a column of numbers surely does: they are those of a range of which at most half is left out, in any order.
pub(super) fn counts_rows(pieces: &Pieces) -> bool {
    let (mut least, mut most, mut rows) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for (column, picked) in pieces {
        let Column::Numbers(numbers) = column else {
            return false;
        };
        rows += picked.len();
        for value in picked.iter().map(|&row| numbers.get(row)) {
            (least, most) = (least.min(value), most.max(value));
        }
    }
    most - least < 2.0 * rows as f64 && numbers_rows(pieces)
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

/// A number of nines, such as −9999, that is far from all other values of a column, with them in words.
pub(super) fn sentinel(pieces: &Pieces) -> Option<String> {
    // In ranges of the other values: nearer numbers may be measurements.
    const FAR: f64 = 5.0;
    let values = || {
        pieces.iter().flat_map(|(column, rows)| {
            let numbers = match column {
                Column::Numbers(numbers) => Some(numbers),
                _ => None,
            };
            numbers
                .into_iter()
                .flat_map(|numbers| rows.iter().map(|&row| numbers.get(row)))
        })
    };
    let present = || values().filter(|value| value.is_finite());
    let (least, most) = present().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    for suspect in [least, most].into_iter().filter(|&end| is_nines(end)) {
        let others = || present().filter(|&value| value != suspect);
        let low = others().fold(f64::INFINITY, f64::min);
        let high = others().fold(f64::NEG_INFINITY, f64::max);
        let gap = (low - suspect).max(suspect - high);
        if others().take(TELLING).count() == TELLING && gap > FAR * (high - low) {
            let count = present().filter(|&value| value == suspect).count();
            let rows = if count == 1 { "row" } else { "rows" };
            return Some(format!(
                "{suspect} in {count} {rows} and otherwise {low} to {high}"
            ));
        }
    }
    None
}

/// 99, −999, 9999 and so on.
fn is_nines(value: f64) -> bool {
    let digits = value.abs().to_string();
    digits.len() > 1 && digits.bytes().all(|digit| digit == b'9')
}

/// Notes classes that differ only in capitals or spaces.
pub(super) fn note_alike(classes: &[String], notes: &mut Notes) {
    let plain = |class: &String| -> String {
        let letters = class.chars().filter(|letter| !letter.is_whitespace());
        letters.flat_map(char::to_lowercase).collect()
    };
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for class in classes {
        alike.entry(plain(class)).or_default().push(class);
    }
    for names in alike.values().filter(|names| names.len() > 1) {
        notes.add(NoteCode::ClassesAlike, names[0], 1, || {
            let names = list(names.iter().copied());
            format!("the classes {names} differ only in how they are written")
        });
    }
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
    fn nines_far_from_everything_are_told() {
        let rows: Vec<usize> = (0..30).collect();
        let told = |value: f64| {
            let mut values: Vec<f64> = (0..30).map(f64::from).collect();
            values[7] = value;
            let column = Column::Numbers(Numbers::Double(values));
            sentinel(&vec![(&column, &rows[..])])
        };
        let expected = "-9999 in 1 row and otherwise 0 to 29";
        assert_eq!(told(-9999.0).as_deref(), Some(expected));
        assert!(told(999.0).is_some() && told(99.0).is_none() && told(-1234.0).is_none());
    }

    #[test]
    fn classes_that_look_alike_are_noted() {
        let mut notes = Notes::new();
        note_alike(&["OK".into(), "jam".into(), "ok".into()], &mut notes);
        let said = notes.as_slice()[0].to_string();
        assert_eq!(
            said,
            "the classes `OK`, `ok` differ only in how they are written"
        );
        assert_eq!(notes.as_slice().len(), 1);
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
