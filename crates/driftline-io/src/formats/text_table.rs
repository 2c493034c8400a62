//! Columns that are filled field by field from text: what CSV and ARFF share.

use std::path::Path;

use crate::{Column, Kind, Numbers, Texts};
use driftline_core::Result;
use driftline_core::error::DataFault;

/// Fields that mean "no value" in a column of numbers or categories.
const MISSING: [&str; 12] = [
    "", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A",
];

/// Whether a field means "no value" in a column of numbers or categories.
pub fn is_missing(field: &str) -> bool {
    field.len() <= 4 && MISSING.contains(&field)
}

/// The number in a field, NaN if it is missing, none if it is something else.
pub(crate) fn number(field: &str) -> Option<f64> {
    // `parse` knows words such as `inf`; they begin with a letter, or with a sign and a letter.
    let mut bytes = field.bytes();
    let first = match bytes.next() {
        Some(b'+' | b'-') => bytes.next(),
        first => first,
    };
    match first {
        Some(b'0'..=b'9' | b'.') => field.parse().ok().filter(|value: &f64| value.is_finite()),
        _ => is_missing(field).then_some(f64::NAN),
    }
}

/// The same for numbers with a comma before their decimals. A point is refused: it may stand for thousands.
pub(crate) fn number_with_comma(field: &str) -> Option<f64> {
    match field.contains('.') {
        true => None,
        false => number(&field.replacen(',', ".", 1)),
    }
}

/// A column under construction.
#[derive(Clone, Debug)]
pub(crate) enum Filling {
    Numbers(Vec<f64>),
    /// Numbers with a comma before their decimals.
    CommaNumbers(Vec<f64>),
    /// Text in which some words mean "missing".
    Text(Texts),
    /// Text as it stands: labels and identifiers. Only an empty field is missing.
    Verbatim(Texts),
}

impl Filling {
    pub(crate) fn new(kind: Kind, verbatim: bool) -> Self {
        match kind {
            Kind::Number => Filling::Numbers(vec![]),
            _ if verbatim => Filling::Verbatim(Texts::new()),
            _ => Filling::Text(Texts::new()),
        }
    }

    /// Takes memory for some rows beforehand.
    pub(crate) fn reserve(&mut self, rows: usize) {
        if let Filling::Numbers(values) | Filling::CommaNumbers(values) = self {
            values.reserve_exact(rows);
        }
    }

    /// Appends a field; false if it should be a number and is not.
    pub(crate) fn push(&mut self, field: &str) -> bool {
        let field = field.trim();
        match self {
            Filling::Numbers(values) => match number(field) {
                Some(value) => values.push(value),
                None => return false,
            },
            Filling::CommaNumbers(values) => match number_with_comma(field) {
                Some(value) => values.push(value),
                None => return false,
            },
            Filling::Text(texts) => texts.push((!is_missing(field)).then_some(field)),
            Filling::Verbatim(texts) => texts.push((!field.is_empty()).then_some(field)),
        }
        true
    }

    /// The column so far; what is filled next begins a new one.
    pub(crate) fn take(&mut self) -> Column {
        match self {
            Filling::Numbers(values) | Filling::CommaNumbers(values) => {
                Column::Numbers(Numbers::Double(std::mem::take(values)))
            }
            Filling::Text(texts) | Filling::Verbatim(texts) => Column::Text(std::mem::take(texts)),
        }
    }
}

/// What is wrong with a field that should be a number.
pub(crate) fn not_a_number(path: &Path, row: u64, column: &str, field: &str) -> DataFault {
    let shown: String = field.trim().chars().take(40).collect();
    let comma = shown.contains(',') && number_with_comma(&shown).is_some();
    let infinite = shown.parse::<f64>().is_ok_and(|value| !value.is_finite());
    let help = match (comma, infinite) {
        (true, _) => {
            "if the file uses decimal commas throughout, use {decimal} , ; otherwise correct the field"
        }
        (_, true) => "leave the field empty where there is no value, and use {impute}",
        _ => {
            "the fields before it are numbers: correct the field, leave the column out with {exclude}, or read the column as categories with {category}"
        }
    };
    DataFault::new(path, format!("`{shown}` is not a finite number"))
        .row(row)
        .column(column)
        .help(help)
}

/// Refuses a name that occurs twice, and more columns than allowed.
pub(crate) fn check_names<'a>(
    path: &Path,
    names: impl IntoIterator<Item = &'a str>,
    allowed: usize,
) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(
                DataFault::new(path, format!("has two columns called `{name}`"))
                    .help("columns are known by their names: rename one of them")
                    .into(),
            );
        }
        if seen.len() > allowed {
            let message = format!("has more than {allowed} columns, the most that are read");
            return Err(DataFault::new(path, message).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_words() {
        assert_eq!(number("-1.5e3"), Some(-1500.0));
        assert_eq!(number("+.5"), Some(0.5));
        for missing in ["", "?", "NA", "NaN", "null", "None"] {
            assert!(number(missing).unwrap().is_nan(), "{missing}");
        }
        for word in ["inf", "-inf", "infinity", "1e999", "1,5", "x", "-", "0x10"] {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn help_depends_on_what_is_wrong() {
        let help = |field| {
            let fault = not_a_number(Path::new("t"), 1, "a", field);
            fault.help.unwrap().to_string()
        };
        assert!(help("1,5").contains("`decimal` ,"));
        assert_eq!(number_with_comma("-1,5e3"), Some(-1500.0));
        assert!(
            ["1.5", "1.234,5", "1,2,3"]
                .iter()
                .all(|text| number_with_comma(text).is_none())
        );
        assert!(help("inf").contains("`impute`"));
        assert!(help("blue").contains("`category`"));
    }
}
