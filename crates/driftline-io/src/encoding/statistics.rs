//! What a column of the source holds in all: mean and spread of numbers, categories of text.

use std::collections::BTreeMap;

use super::Coding;
use crate::formats::text_table::number;
use crate::selection::cell_text;
use crate::{Column, Numbers};
use driftline_core::data::{EncodeOptions, NumberColumn, Variation};

/// One column of the source in pieces: each with the rows of it that count.
pub(super) type Pieces<'a> = Vec<(&'a Column, &'a [usize])>;

/// What is wrong with a column as a feature.
pub(super) enum Unfit {
    /// Not one value in it.
    Empty,
    /// More different texts than can be one-hot encoded.
    Categories(usize),
}

/// The coding of a number column, and how much it varies, as far as that is asked for. Missing values do not count.
pub(super) fn of_numbers(
    pieces: &Pieces,
    how: EncodeOptions,
) -> Result<(Coding, Variation), Unfit> {
    let fitted = how.numbers(|see| each(pieces, see));
    let (NumberColumn { shift, scale, mean }, variation) = fitted.ok_or(Unfit::Empty)?;
    let coding = Coding::Number {
        shift,
        scale,
        mean,
        mark: false,
    };
    Ok((coding, variation))
}

const LARGEST: f64 = 1e150;

/// Infinities, and numbers whose squares are infinite, do not count here: they are refused when the rows are encoded, with
/// their place, which the rows before them would take if one such number had moved the mean.
pub(super) fn each(pieces: &Pieces, see: &mut dyn FnMut(f64)) {
    let mut see = |value: f64| {
        see(if value.abs() > LARGEST {
            f64::NAN
        } else {
            value
        })
    };
    for (column, rows) in pieces {
        match column {
            Column::Numbers(Numbers::Single(values)) => {
                rows.iter().for_each(|&row| see(f64::from(values[row])));
            }
            Column::Numbers(Numbers::Double(values)) => {
                rows.iter().for_each(|&row| see(values[row]));
            }
            Column::Text(texts) => rows.iter().for_each(|&row| {
                let value = texts.get(row).and_then(number);
                see(value.unwrap_or(f64::NAN));
            }),
            Column::Times(_) | Column::Images(_) => {}
        }
    }
}

/// The coding of a text column: its categories in alphabetical order, and how much it varies.
pub(super) fn of_texts(
    pieces: &Pieces,
    allowed: usize,
    how: EncodeOptions,
) -> Result<(Coding, Variation), Unfit> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (column, rows) in pieces {
        for text in rows.iter().filter_map(|&row| cell_text(column, row)) {
            match counts.get_mut(&text) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(text, 1);
                }
            }
            if counts.len() > allowed {
                return Err(Unfit::Categories(allowed));
            }
        }
    }
    // The first of the most frequent ones.
    let (most_frequent, _) = counts
        .values()
        .enumerate()
        .rev()
        .max_by_key(|(_, count)| **count)
        .ok_or(Unfit::Empty)?;
    let variation = how.categories(counts.values().copied());
    let coding = Coding::OneHot {
        categories: counts.into_keys().collect(),
        most_frequent,
        mark: false,
    };
    Ok((coding, variation))
}

/// Whether some row of a column has no value.
pub(super) fn has_missing(pieces: &Pieces) -> bool {
    pieces
        .iter()
        .any(|(column, rows)| rows.iter().any(|&row| is_missing(column, row)))
}

/// Whether every value is missing.
pub(super) fn is_empty(pieces: &Pieces) -> bool {
    pieces
        .iter()
        .all(|(column, rows)| rows.iter().all(|&row| is_missing(column, row)))
}

fn is_missing(column: &Column, row: usize) -> bool {
    match column {
        Column::Numbers(numbers) => numbers.get(row).is_nan(),
        Column::Text(texts) => {
            let text = texts.get(row);
            text.is_none_or(|text| number(text).is_some_and(f64::is_nan))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Texts;
    use driftline_core::data::ColumnCleaning;

    fn how(standardize: bool) -> EncodeOptions {
        EncodeOptions {
            standardize,
            cleaning: ColumnCleaning::ON,
        }
    }

    #[test]
    fn means_and_deviations_skip_what_is_missing() {
        let column = Column::Numbers(Numbers::Double(vec![1.0, f64::NAN, 3.0, 100.0]));
        let rows = [0, 1, 2];
        let Ok((coding, variation)) = of_numbers(&vec![(&column, &rows[..])], how(true)) else {
            panic!()
        };
        assert_eq!(variation, Variation::Some);
        let [shift, scale, mean] = [2.0, 1.0, 2.0];
        let mark = false;
        assert_eq!(
            coding,
            Coding::Number {
                shift,
                scale,
                mean,
                mark
            }
        );
        let Ok((coding, _)) = of_numbers(&vec![(&column, &rows[..])], how(false)) else {
            panic!()
        };
        assert_eq!(
            coding,
            Coding::Number {
                shift: 0.0,
                scale: 1.0,
                mean,
                mark
            }
        );
    }

    #[test]
    fn one_enormous_number_moves_neither_mean_nor_scale() {
        let column = Column::Numbers(Numbers::Double(vec![1.0, 3.0, 1e300]));
        let Ok((Coding::Number { shift, scale, .. }, _)) =
            of_numbers(&vec![(&column, &[0, 1, 2][..])], how(true))
        else {
            panic!()
        };
        assert_eq!((shift, scale), (2.0, 1.0));
    }

    #[test]
    fn a_constant_column_is_only_centred() {
        let column = Column::Numbers(Numbers::Single(vec![0.1; 3]));
        let Ok((Coding::Number { shift, scale, .. }, variation)) =
            of_numbers(&vec![(&column, &[0, 1, 2][..])], how(true))
        else {
            panic!()
        };
        assert_eq!(variation, Variation::None);
        assert_eq!((shift, scale), (f64::from(0.1f32), 1.0));
    }

    #[test]
    fn categories_are_sorted_and_limited() {
        let texts: Texts = [Some("b"), None, Some("a"), Some("b")]
            .into_iter()
            .collect();
        let column = Column::Text(texts);
        let pieces: Pieces = vec![(&column, &[0, 1, 2, 3])];
        let Ok((coding, _)) = of_texts(&pieces, 2, how(true)) else {
            panic!()
        };
        let categories = vec!["a".to_string(), "b".into()];
        assert_eq!(
            coding,
            Coding::OneHot {
                categories,
                most_frequent: 1,
                mark: false
            }
        );
        assert!(matches!(
            of_texts(&pieces, 1, how(true)),
            Err(Unfit::Categories(1))
        ));
        assert!(matches!(
            of_texts(&vec![(&column, &[1][..])], 2, how(true)),
            Err(Unfit::Empty)
        ));
    }
}
