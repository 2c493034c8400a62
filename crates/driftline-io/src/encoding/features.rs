//! Columns of numbers and categories into inputs.

use rayon::prelude::*;

use super::apply::Applied;
use super::classes::ClassLookup;
use super::classes::as_truth;
use super::{Coding, InputEncoding};
use crate::formats::text_table::{not_a_number, number};
use crate::selection::cell_text;
use crate::{Batch, Column, NoteCode, Notes, Numbers};
use driftline_core::data::scaled;
use driftline_core::{Error, Result};

/// Rows that are encoded together, at most, and bytes of their inputs: these stay in the processor's nearest cache while
/// column after column is filled in.
const BLOCK: usize = 256;
const BLOCK_BYTES: usize = 1 << 14;

impl Applied {
    pub(super) fn fill_features(
        &self,
        frame: &Batch,
        rows: &[usize],
        values: &mut [f32],
        notes: &mut Notes,
    ) -> Result<()> {
        let InputEncoding::Features(features) = &self.encoding.input else {
            return Ok(());
        };
        let width = self.width;
        let block = (BLOCK_BYTES / (4 * width.max(1))).clamp(16, BLOCK);
        // The plain case, numbers that are there, side by side on all threads; the rest afterwards, where it occurs.
        let numbers: Vec<(usize, &Numbers, f64, f64)> = self
            .columns
            .iter()
            .zip(features)
            .filter_map(
                |(&(at, input), feature)| match (&frame.columns[at], &feature.coding) {
                    (Column::Numbers(numbers), &Coding::Number { shift, scale, .. }) => {
                        Some((input, numbers, shift, scale))
                    }
                    _ => None,
                },
            )
            .collect();
        let blocks = values
            .par_chunks_mut(block * width)
            .with_min_len(BLOCK / block)
            .zip(rows.par_chunks(block));
        let odd = blocks
            .map(|(values, rows)| {
                let mut odd = vec![false; numbers.len()];
                for ((input, numbers, shift, scale), odd) in numbers.iter().zip(&mut odd) {
                    let column = &mut values[*input..];
                    *odd = fill(column, width, rows, numbers, (*shift, *scale), self.bound);
                }
                odd
            })
            .reduce(
                || vec![false; numbers.len()],
                |a, b| a.iter().zip(&b).map(|(a, b)| a | b).collect(),
            );
        let odd_inputs: Vec<usize> = numbers
            .iter()
            .zip(&odd)
            .filter(|(_, odd)| **odd)
            .map(|((input, ..), _)| *input)
            .collect();
        for ((&(at, input), feature), known) in
            self.columns.iter().zip(features).zip(&self.categories)
        {
            match &feature.coding {
                Coding::Number {
                    shift,
                    scale,
                    mean,
                    mark,
                } => {
                    let plain = matches!(&frame.columns[at], Column::Numbers(_));
                    if plain && !odd_inputs.contains(&input) {
                        continue;
                    }
                    let encode = |value: f64| scaled(value, *shift, *scale);
                    let filled = &mut values[input..];
                    self.slow_numbers(frame, rows, at, (*mean, *mark), encode, filled, notes)?;
                }
                Coding::OneHot {
                    categories,
                    most_frequent,
                    mark,
                } => {
                    let filled = &mut values[input..];
                    let Some(known) = known else { continue };
                    let fill = (!mark).then(|| (&*categories[*most_frequent], *most_frequent));
                    self.one_hot(frame, rows, at, known, fill, filled, notes)?;
                }
            }
        }
        Ok(())
    }

    /// Numbers one by one: those that are missing, infinite, or written as text.
    #[expect(
        clippy::too_many_arguments,
        reason = "one column of one frame, taken apart"
    )]
    fn slow_numbers(
        &self,
        frame: &Batch,
        rows: &[usize],
        at: usize,
        (mean, mark): (f64, bool),
        encode: impl Fn(f64) -> f32,
        values: &mut [f32],
        notes: &mut Notes,
    ) -> Result<()> {
        let name = &self.fields[at].name;
        let mut imputed = 0;
        for (&row, out) in rows.iter().zip(values.chunks_mut(self.width)) {
            let value = match &frame.columns[at] {
                Column::Numbers(numbers) => numbers.get(row),
                Column::Text(texts) => {
                    let text = texts.get(row).unwrap_or_default();
                    number(text).or_else(|| as_truth(text)).ok_or_else(|| {
                        let row = frame.number_of(row);
                        not_a_number(&self.files[frame.file], row, name, text)
                    })?
                }
                other => {
                    let message = format!(
                        "holds {}, but the source has numbers there",
                        match other {
                            Column::Times(_) => "times",
                            _ => "images",
                        }
                    );
                    return Err(self.place(frame, at, row, message).into());
                }
            };
            let value = if value.is_nan() {
                if mark {
                    out[1] = 1.0;
                } else if !self.impute {
                    return Err(self.missing(frame, at, row));
                }
                imputed += 1;
                mean
            } else {
                value
            };
            let encoded = encode(value);
            if !encoded.is_finite() {
                let message = format!("{value:?} is not a number a model can learn from");
                return Err(self.place(frame, at, row, message).into());
            }
            out[0] = encoded.clamp(-self.bound, self.bound);
        }
        notes.add(NoteCode::Imputed, name, imputed, || {
            let marked = if mark { ", and marked" } else { "" };
            format!(
                "column `{name}`: missing values were filled with the source's mean, {mean:.6}{marked}"
            )
        });
        Ok(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one column of one frame, taken apart"
    )]
    fn one_hot(
        &self,
        frame: &Batch,
        rows: &[usize],
        at: usize,
        known: &ClassLookup,
        fill: Option<(&str, usize)>,
        values: &mut [f32],
        notes: &mut Notes,
    ) -> Result<()> {
        let name = &self.fields[at].name;
        let (mut imputed, mut unseen, mut first) = (0, 0, None);
        for (index, &row) in rows.iter().enumerate() {
            let input = match cell_text(&frame.columns[at], row) {
                None if self.impute || fill.is_none() => {
                    imputed += 1;
                    fill.map(|(_, most_frequent)| most_frequent)
                }
                None => return Err(self.missing(frame, at, row)),
                Some(text) => {
                    let found = known.find(&text).map(|input| input as usize);
                    if found.is_none() {
                        unseen += 1;
                        first.get_or_insert(text);
                    }
                    found
                }
            };
            if let Some(input) = input {
                values[index * self.width + input] = 1.0;
            }
        }
        notes.add(NoteCode::Imputed, name, imputed, || {
            match fill {
                Some((fill, _)) => {
                    format!("column `{name}`: missing values were filled with the source's most frequent, `{fill}`")
                }
                None => format!("column `{name}`: missing values count as none of its categories"),
            }
        });
        notes.add(NoteCode::UnseenCategories, name, unseen, || {
            let first = first.unwrap_or_default();
            format!("column `{name}`: categories that the source lacks, the first of them `{first}`, count as none")
        });
        Ok(())
    }

    fn missing(&self, frame: &Batch, at: usize, row: usize) -> Error {
        self.place(frame, at, row, "the value is missing".into())
            .help("fill it in, fill missing values from the source with {impute}, or leave the column out with {exclude} when fitting")
            .into()
    }
}

/// Fills one input of a block of rows; true if some result is not finite, as it is before it is clipped.
fn fill(
    values: &mut [f32],
    width: usize,
    rows: &[usize],
    numbers: &Numbers,
    (shift, scale): (f64, f64),
    bound: f32,
) -> bool {
    let mut column = [0.0; BLOCK];
    let column = &mut column[..rows.len()];
    match numbers {
        Numbers::Single(numbers) => standardized(numbers, rows, column, shift, scale),
        Numbers::Double(numbers) => standardized(numbers, rows, column, shift, scale),
    }
    for (out, value) in values.iter_mut().step_by(width).zip(&*column) {
        *out = value.clamp(-bound, bound);
    }
    !column
        .iter()
        .fold(true, |finite, value| finite & value.is_finite())
}

/// (value − shift) / scale for some rows of a column, side by side in the processor where the rows are.
fn standardized<T: Copy + Into<f64>>(
    numbers: &[T],
    rows: &[usize],
    column: &mut [f32],
    shift: f64,
    scale: f64,
) {
    let encode = |value: T| scaled(value.into(), shift, scale);
    let first = rows.first().copied().unwrap_or(0);
    match rows.last() {
        Some(&last) if first + rows.len() == last + 1 => {
            for (out, &value) in column.iter_mut().zip(&numbers[first..=last]) {
                *out = encode(value);
            }
        }
        _ => {
            for (out, &row) in column.iter_mut().zip(rows) {
                *out = encode(numbers[row]);
            }
        }
    }
}
