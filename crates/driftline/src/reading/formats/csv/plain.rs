//! The fast way through a block without quotes, where every line is a record. What is odd is left to the careful way.

use super::checked;
use super::decimal::{leading, plain_length};
use super::layout::{Growing, Layout, Parsed};
use crate::reading::formats::text_table::Filling;

/// The rows of a block; none if a record has too many or too few fields, or one of them is not what it should be.
pub(super) fn parse(text: &[u8], layout: &Layout) -> Option<Vec<Parsed>> {
    let delimiter = layout.look.delimiter;
    if layout.all_checked
        && let Some(rows) = checked::rows(text, delimiter, layout.width())
    {
        return Some(layout.zeros(rows));
    }
    let mut growing = layout.growing(rows_about(text, layout.width()));
    // For every field of a record, the column that it goes to.
    let mut targets = vec![None; layout.width()];
    for (column, &place) in layout.places.iter().enumerate() {
        targets[place] = Some(column);
    }
    let (last, before) = targets.split_last()?;
    let read = |text: &[u8], at: usize, target: Option<usize>, growing: &mut Growing| match target {
        Some(column) => {
            let target = &mut growing.columns[column];
            let checked = check(text, at, delimiter, layout.only_checked[column], target);
            checked.or_else(|| push(text, at, delimiter, target))
        }
        None => Some(end_of_field(text, at, delimiter)),
    };
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        // The rest of an end of line, or an empty line.
        if matches!(byte, b'\n' | b'\r') {
            at += 1;
            continue;
        }
        for &target in before {
            at = read(text, at, target, &mut growing)?;
            if text.get(at) != Some(&delimiter) {
                return None;
            }
            at += 1;
        }
        at = read(text, at, *last, &mut growing)?;
        if text.get(at) == Some(&delimiter) {
            return None;
        }
        growing.end_row();
    }
    Some(growing.finish())
}

/// Appends 0 for a number of at most so many digits before the point, and says where it ends.
#[inline]
fn check(
    text: &[u8],
    at: usize,
    delimiter: u8,
    digits: usize,
    column: &mut Filling,
) -> Option<usize> {
    if digits == 0 {
        return None;
    }
    let end = at + plain_length(&text[at..], digits)?;
    let Filling::Numbers(values) = column else {
        return None;
    };
    ends_field(text.get(end), delimiter).then(|| {
        values.push(0.0);
        end
    })
}

/// Appends the field that begins at `at`, and says where it ends.
#[inline]
fn push(text: &[u8], at: usize, delimiter: u8, column: &mut Filling) -> Option<usize> {
    if let Filling::Numbers(values) = column
        && let Some((value, length)) = leading(&text[at..])
        && ends_field(text.get(at + length), delimiter)
    {
        values.push(value);
        return Some(at + length);
    }
    let end = end_of_field(text, at, delimiter);
    let field = std::str::from_utf8(&text[at..end]).ok()?;
    column.push(field).then_some(end)
}

#[inline]
fn ends_field(byte: Option<&u8>, delimiter: u8) -> bool {
    byte.is_none_or(|&byte| byte == delimiter || matches!(byte, b'\n' | b'\r'))
}

fn end_of_field(text: &[u8], at: usize, delimiter: u8) -> usize {
    let rest = text[at..].iter();
    let length = rest.take_while(|byte| !ends_field(Some(byte), delimiter));
    at + length.count()
}

/// How many rows there are if all are about as long as the first; none is shorter than its delimiters.
fn rows_about(text: &[u8], width: usize) -> usize {
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let first = lines.find(|line| !line.is_empty()).map_or(0, <[u8]>::len);
    text.len() / (first + 1).max(width) * 17 / 16 + 1
}
