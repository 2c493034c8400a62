//! Turning rows of a frame into inputs, as the source has fixed it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::classes::ClassLookup;
use super::{Encoding, InputEncoding, Usual};
use crate::columns::{expect_features, find};
use crate::rows::RowBuffer;
use crate::selection::{Selection, cell_text};
use crate::{Batch, Batches, Column, ColumnChoice, DateOrder, Field, Kind, Notes};
use driftline_core::Result;
use driftline_core::error::DataFault;

/// An encoding, applied to the columns of one table.
pub(crate) struct Applied {
    pub(super) encoding: Encoding,
    pub(super) classes: ClassLookup,
    /// Where each column of the inputs stands, and which input it begins at.
    pub(super) columns: Vec<(usize, usize)>,
    /// The categories of the one-hot encoded ones.
    pub(super) categories: Vec<Option<ClassLookup>>,
    pub(super) width: usize,
    pub(super) time: Option<usize>,
    /// How dates that end with their year are read.
    pub dates: Option<DateOrder>,
    answers: Option<usize>,
    ids: Vec<(String, usize)>,
    /// Columns that the model does not use because they did not vary, where they are there.
    pub(super) asleep: Vec<(usize, Usual)>,
    selection: Selection,
    pub(super) impute: bool,
    /// How far from 0 a standardised number may be.
    pub(super) bound: f32,
    pub(super) fields: Vec<Field>,
    pub files: Arc<[PathBuf]>,
}

/// What a model takes was settled when it was fitted: a wish for something else must not go unheard.
fn expect_no_change(encoding: &Encoding, choice: &ColumnChoice, path: &Path) -> Result<()> {
    let fault = |name: &str, what: &str, how: &str| -> Result<()> {
        Err(DataFault::new(path, what).column(name).help(how).into())
    };
    for (name, categories) in encoding.columns().into_iter().zip(encoding.categories()) {
        if choice.exclude.iter().any(|other| other == name) {
            return fault(
                name,
                "is a feature of the model, so it cannot be left out",
                "fit a model without it: {exclude} together with {source}",
            );
        }
        if categories.is_none() && choice.categories.iter().any(|other| other == name) {
            return fault(
                name,
                "is a number to the model, so its values cannot be categories",
                "fit a model that takes them so: {category} together with {source}",
            );
        }
    }
    Ok(())
}

impl Applied {
    pub fn new(
        encoding: &Encoding,
        choice: &ColumnChoice,
        fields: &[Field],
        files: &[PathBuf],
    ) -> Result<Self> {
        let path = &files[0];
        expect_features(fields, &encoding.columns(), path)?;
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
                .help("fit the source with {image-size} HEIGHTxWIDTH to have all images resized")
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
            .help("leave it out of the source with {exclude}")
            .into());
        }
        expect_no_change(encoding, choice, path)?;
        let asleep = encoding.cleaning.usual.iter().filter_map(|usual| {
            let at = fields.iter().position(|own| own.name == usual.column)?;
            Some((at, usual.clone()))
        });
        let ids = choice.ids.iter().map(|name| {
            let at = find(fields, name, "passing through", path)?;
            Ok((name.clone(), at))
        });
        Ok(Self {
            classes: ClassLookup::new(&encoding.classes),
            categories: encoding
                .categories()
                .map(|all| all.map(ClassLookup::new))
                .collect(),
            encoding: encoding.clone(),
            columns,
            width,
            time: optional(&choice.time, "the time")?,
            answers: optional(&choice.answers, "the answers")?,
            ids: ids.collect::<Result<_>>()?,
            asleep: asleep.collect(),
            selection: Selection::new(choice, fields, path)?,
            impute: choice.impute,
            dates: choice.dates,
            bound: encoding.cleaning.clip.map_or(f32::INFINITY, |c| c.stream),
            fields: fields.to_vec(),
            files: files.into(),
        })
    }

    /// The same for the rows that the model is trained on.
    pub fn for_source(mut self) -> Self {
        let clip = self.encoding.cleaning.clip;
        self.bound = clip.map_or(f32::INFINITY, |clip| clip.source);
        self.asleep.clear();
        self
    }

    pub fn buffer(&self) -> RowBuffer {
        let ids = self.ids.iter().map(|(name, _)| name.clone());
        RowBuffer::new(ids.collect(), self.time.is_some(), self.answers.is_some())
    }

    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The rows of a frame that count.
    pub fn selected(&self, frame: &Batch) -> Vec<usize> {
        self.selection.rows(frame)
    }

    /// Appends `rows` of `frame` to `buffer`.
    pub fn encode(
        &self,
        frame: &Batch,
        rows: &[usize],
        buffer: &mut RowBuffer,
        notes: &mut Notes,
    ) -> Result<()> {
        self.encode_inputs(frame, rows, buffer, notes)?;
        self.note_awake(frame, rows, notes);
        self.read_parts(frame, rows, buffer, notes)
    }

    /// Appends the inputs only.
    pub fn encode_inputs(
        &self,
        frame: &Batch,
        rows: &[usize],
        buffer: &mut RowBuffer,
        notes: &mut Notes,
    ) -> Result<()> {
        // Columns begin somewhere inside a row, and here is none.
        if rows.is_empty() {
            return Ok(());
        }
        let start = buffer.values.len();
        buffer.values.resize(start + rows.len() * self.width, 0.0);
        let values = &mut buffer.values[start..];
        match &self.encoding.input {
            InputEncoding::Images { .. } => self.copy_images(frame, rows, values),
            InputEncoding::Features(_) => self.fill_features(frame, rows, values, notes),
        }
    }

    /// Appends everything else: origins, times, answers, identifiers.
    pub fn read_parts(
        &self,
        frame: &Batch,
        rows: &[usize],
        buffer: &mut RowBuffer,
        notes: &mut Notes,
    ) -> Result<()> {
        buffer.origins.extend(
            rows.iter()
                .map(|&row| (frame.file as u32, frame.number_of(row))),
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

    /// Whether the columns of another reader are those that this one was made for.
    pub fn fits(&self, frames: &dyn Batches) -> bool {
        self.fields == frames.fields() && *self.files == *frames.files()
    }

    /// What is wrong with the time of a row.
    pub fn time_fault(&self, frame: &Batch, row: usize, message: String) -> DataFault {
        self.place(frame, self.time.unwrap_or(0), row, message)
    }

    pub(super) fn place(&self, frame: &Batch, at: usize, row: usize, message: String) -> DataFault {
        DataFault::new(&self.files[frame.file], message)
            .row(frame.number_of(row))
            .column(&self.fields[at].name)
    }

    fn copy_images(&self, frame: &Batch, rows: &[usize], values: &mut [f32]) -> Result<()> {
        let (at, size) = (self.columns[0].0, self.width);
        let Column::Images(pixels) = &frame.columns[at] else {
            return Err(self.place(frame, at, 0, "is not an image".into()).into());
        };
        for (&row, values) in rows.iter().zip(values.chunks_exact_mut(size)) {
            values.copy_from_slice(&pixels[row * size..(row + 1) * size]);
        }
        Ok(())
    }
}
