//! Turning rows of a frame into inputs, as the source has fixed it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::classes::ClassLookup;
use super::{Coding, Encoding, InputEncoding};
use crate::error::DataFault;
use crate::reading::columns::find;
use crate::reading::formats::text_table::{not_a_number, number};
use crate::reading::rows::RowBuffer;
use crate::reading::selection::{Selection, cell_text};
use crate::reading::time::parse_moment;
use crate::reading::{Answer, Choice, Column, Field, Frame, Kind, NoteCode, Notes, Numbers, Time};
use crate::{Error, Result};

/// Rows that are encoded together: their inputs stay in the processor's cache while column after column is filled in.
const BLOCK: usize = 256;

/// An encoding, applied to the columns of one table.
pub(crate) struct Applied {
    encoding: Encoding,
    classes: ClassLookup,
    /// Where each column of the inputs stands, and which input it begins at.
    columns: Vec<(usize, usize)>,
    width: usize,
    time: Option<usize>,
    answers: Option<usize>,
    ids: Vec<(String, usize)>,
    selection: Selection,
    impute: bool,
    fields: Vec<Field>,
    pub files: Arc<[PathBuf]>,
}

impl Applied {
    pub fn new(
        encoding: &Encoding,
        choice: &Choice,
        fields: &[Field],
        files: &[PathBuf],
    ) -> Result<Self> {
        let path = &files[0];
        let mut columns = vec![];
        let mut width = 0;
        for (name, own) in encoding.columns().iter().zip(encoding.widths()) {
            let at = find(fields, name, "a feature of the model", path)?;
            columns.push((at, width));
            width += own;
        }
        if let InputEncoding::Images { shape, .. } = &encoding.input {
            let field = &fields[columns[0].0];
            if field.kind != Kind::Image(*shape) {
                let found = match field.kind {
                    Kind::Image(found) => found.to_string(),
                    other => other.name().to_string(),
                };
                return Err(DataFault::new(
                    path,
                    format!("holds {found}, but the model takes {shape}"),
                )
                .column(&field.name)
                .help("fit the source with --image-size HEIGHTxWIDTH to have all pictures resized")
                .into());
            }
        }
        let optional = |name: &Option<String>, part| {
            name.as_ref()
                .map(|name| find(fields, name, part, path))
                .transpose()
        };
        if let Some(answers) = &choice.answers
            && encoding.columns().contains(&answers.as_str())
        {
            return Err(DataFault::new(
                path,
                "is a feature of the model, so it cannot be the answers",
            )
            .column(answers)
            .help("leave it out of the source with --exclude")
            .into());
        }
        let ids = choice.ids.iter().map(|name| {
            let at = find(fields, name, "--id", path)?;
            Ok((name.clone(), at))
        });
        Ok(Self {
            classes: ClassLookup::new(&encoding.classes),
            encoding: encoding.clone(),
            columns,
            width,
            time: optional(&choice.time, "the time")?,
            answers: optional(&choice.answers, "the answers")?,
            ids: ids.collect::<Result<_>>()?,
            selection: Selection::new(choice, fields, path)?,
            impute: choice.impute,
            fields: fields.to_vec(),
            files: files.into(),
        })
    }

    pub fn buffer(&self) -> RowBuffer {
        let ids = self.ids.iter().map(|(name, _)| name.clone());
        RowBuffer::new(ids.collect(), self.time.is_some(), self.answers.is_some())
    }

    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The rows of a frame that count.
    pub fn selected(&self, frame: &Frame) -> Vec<usize> {
        self.selection.rows(frame)
    }

    /// Appends `rows` of `frame` to `buffer`.
    pub fn encode(
        &self,
        frame: &Frame,
        rows: &[usize],
        buffer: &mut RowBuffer,
        notes: &mut Notes,
    ) -> Result<()> {
        let start = buffer.values.len();
        buffer.values.resize(start + rows.len() * self.width, 0.0);
        let values = &mut buffer.values[start..];
        match &self.encoding.input {
            InputEncoding::Images { .. } => self.copy_images(frame, rows, values)?,
            InputEncoding::Features(_) => self.fill_features(frame, rows, values, notes)?,
        }
        buffer.origins.extend(
            rows.iter()
                .map(|&row| (frame.file as u32, frame.first_row + row as u64)),
        );
        if let Some(at) = self.time {
            buffer.times.reserve(rows.len());
            for &row in rows {
                buffer.times.push(self.time_in(frame, at, row)?);
            }
        }
        if let Some(at) = self.answers {
            self.answer(frame, rows, at, &mut buffer.answers, notes);
        }
        for ((_, at), id) in self.ids.iter().zip(&mut buffer.ids) {
            let cells = rows.iter().map(|&row| cell_text(&frame.columns[*at], row));
            id.values.extend(cells.map(Option::unwrap_or_default));
        }
        Ok(())
    }

    fn place(&self, frame: &Frame, at: usize, row: usize, message: String) -> DataFault {
        DataFault::new(&self.files[frame.file], message)
            .row(frame.first_row + row as u64)
            .column(&self.fields[at].name)
    }

    fn copy_images(&self, frame: &Frame, rows: &[usize], values: &mut [f32]) -> Result<()> {
        let (at, size) = (self.columns[0].0, self.width);
        let Column::Images(pixels) = &frame.columns[at] else {
            return Err(self.place(frame, at, 0, "is not a picture".into()).into());
        };
        for (&row, values) in rows.iter().zip(values.chunks_exact_mut(size)) {
            values.copy_from_slice(&pixels[row * size..(row + 1) * size]);
        }
        Ok(())
    }

    fn fill_features(
        &self,
        frame: &Frame,
        rows: &[usize],
        values: &mut [f32],
        notes: &mut Notes,
    ) -> Result<()> {
        let InputEncoding::Features(features) = &self.encoding.input else {
            return Ok(());
        };
        let width = self.width;
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
            .par_chunks_mut(BLOCK * width)
            .zip(rows.par_chunks(BLOCK));
        let odd = blocks
            .map(|(values, rows)| {
                let mut odd = vec![false; numbers.len()];
                for ((input, numbers, shift, scale), odd) in numbers.iter().zip(&mut odd) {
                    *odd = fill(&mut values[*input..], width, rows, numbers, *shift, *scale);
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
        for (&(at, input), feature) in self.columns.iter().zip(features) {
            match &feature.coding {
                Coding::Number { shift, scale, mean } => {
                    let plain = matches!(&frame.columns[at], Column::Numbers(_));
                    if plain && !odd_inputs.contains(&input) {
                        continue;
                    }
                    let encode = |value: f64| ((value - shift) / scale) as f32;
                    let filled = &mut values[input..];
                    self.slow_numbers(frame, rows, at, *mean, encode, filled, notes)?;
                }
                Coding::OneHot {
                    categories,
                    most_frequent,
                } => {
                    let filled = &mut values[input..];
                    self.one_hot(frame, rows, at, categories, *most_frequent, filled, notes)?;
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
        frame: &Frame,
        rows: &[usize],
        at: usize,
        mean: f64,
        encode: impl Fn(f64) -> f32,
        values: &mut [f32],
        notes: &mut Notes,
    ) -> Result<()> {
        let name = &self.fields[at].name;
        let mut imputed = 0;
        for (&row, out) in rows.iter().zip(values.iter_mut().step_by(self.width)) {
            let value = match &frame.columns[at] {
                Column::Numbers(numbers) => numbers.get(row),
                Column::Text(texts) => {
                    let text = texts.get(row).unwrap_or_default();
                    number(text).ok_or_else(|| {
                        let row = frame.first_row + row as u64;
                        not_a_number(&self.files[frame.file], row, name, text)
                    })?
                }
                other => {
                    let message = format!(
                        "holds {}, but the source has numbers there",
                        match other {
                            Column::Times(_) => "times",
                            _ => "pictures",
                        }
                    );
                    return Err(self.place(frame, at, row, message).into());
                }
            };
            let value = if value.is_nan() {
                if !self.impute {
                    return Err(self.missing(frame, at, row));
                }
                imputed += 1;
                mean
            } else {
                value
            };
            *out = encode(value);
            if !out.is_finite() {
                let message = format!("{value:?} is not a number that can be learned from");
                return Err(self.place(frame, at, row, message).into());
            }
        }
        notes.add(NoteCode::Imputed, name, imputed, || {
            format!("column `{name}`: missing values were filled with the source's mean, {mean}")
        });
        Ok(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one column of one frame, taken apart"
    )]
    fn one_hot(
        &self,
        frame: &Frame,
        rows: &[usize],
        at: usize,
        categories: &[String],
        most_frequent: usize,
        values: &mut [f32],
        notes: &mut Notes,
    ) -> Result<()> {
        let name = &self.fields[at].name;
        let known: BTreeMap<&str, usize> = categories
            .iter()
            .enumerate()
            .map(|(input, category)| (category.as_str(), input))
            .collect();
        let (mut imputed, mut unseen, mut first) = (0, 0, None);
        for (index, &row) in rows.iter().enumerate() {
            let input = match cell_text(&frame.columns[at], row) {
                None if self.impute => {
                    imputed += 1;
                    Some(most_frequent)
                }
                None => return Err(self.missing(frame, at, row)),
                Some(text) => {
                    let found = known.get(text.as_str()).copied();
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
            let filled = &categories[most_frequent];
            format!("column `{name}`: missing values were filled with the source's most frequent, `{filled}`")
        });
        notes.add(NoteCode::UnseenCategories, name, unseen, || {
            let first = first.unwrap_or_default();
            format!("column `{name}`: categories that the source lacks, the first of them `{first}`, count as none")
        });
        Ok(())
    }

    fn missing(&self, frame: &Frame, at: usize, row: usize) -> Error {
        self.place(frame, at, row, "the value is missing".into())
            .help("fill missing values from the source with --impute, or leave the column out with --exclude")
            .into()
    }

    /// The time of one row.
    fn time_in(&self, frame: &Frame, at: usize, row: usize) -> Result<Time> {
        time_of(&frame.columns[at], row)
            .map_err(|message| self.place(frame, at, row, message).into())
    }

    fn answer(
        &self,
        frame: &Frame,
        rows: &[usize],
        at: usize,
        answers: &mut Vec<Answer>,
        notes: &mut Notes,
    ) {
        let (mut missing, mut unknown) = (0, BTreeMap::<String, u64>::new());
        for &row in rows {
            answers.push(match cell_text(&frame.columns[at], row) {
                None => {
                    missing += 1;
                    Answer::Missing
                }
                Some(text) => match self.classes.find(&text) {
                    Some(class) => Answer::Class(class),
                    None => {
                        // A column of something else would fill memory with its values.
                        let about = if unknown.len() < 20 {
                            text
                        } else {
                            "others".into()
                        };
                        *unknown.entry(about).or_default() += 1;
                        Answer::Unknown
                    }
                },
            });
        }
        notes.add(NoteCode::MissingAnswers, "", missing, || {
            "rows without an answer are not scored".into()
        });
        for (class, count) in unknown {
            notes.add(NoteCode::UnknownClasses, &class, count, || {
                format!("the answers name the class `{class}`, which the source lacks: no model can be right there")
            });
        }
    }
}

/// Fills one input of a block of rows; true if some result is not finite.
fn fill(
    values: &mut [f32],
    width: usize,
    rows: &[usize],
    numbers: &Numbers,
    shift: f64,
    scale: f64,
) -> bool {
    let mut finite = true;
    let cells = values.iter_mut().step_by(width).zip(rows);
    match numbers {
        Numbers::Single(numbers) => cells.for_each(|(out, &row)| {
            *out = ((f64::from(numbers[row]) - shift) / scale) as f32;
            finite &= out.is_finite();
        }),
        Numbers::Double(numbers) => cells.for_each(|(out, &row)| {
            *out = ((numbers[row] - shift) / scale) as f32;
            finite &= out.is_finite();
        }),
    }
    !finite
}

/// The time in a cell, or what is wrong with it.
pub(crate) fn time_of(column: &Column, row: usize) -> Result<Time, String> {
    let time = match column {
        Column::Times(times) => times[row].map(Time::Moment),
        Column::Numbers(numbers) => {
            let value = numbers.get(row);
            if value.is_infinite() {
                return Err(format!("{value} is not a time"));
            }
            (!value.is_nan()).then_some(Time::Number(value))
        }
        Column::Text(texts) => {
            match texts.get(row) {
                None => None,
                Some(text) => {
                    let moment = parse_moment(text).map(Time::Moment);
                    let time =
                        moment.or_else(|| number(text).filter(|v| !v.is_nan()).map(Time::Number));
                    let shown: String = text.chars().take(40).collect();
                    Some(time.ok_or_else(|| {
                    format!("`{shown}` is not a time: ISO 8601 (2015-03-01T12:00) or a number is needed")
                })?)
                }
            }
        }
        Column::Images(_) => return Err("holds pictures, not times".into()),
    };
    time.ok_or_else(|| "the time is missing".into())
}
