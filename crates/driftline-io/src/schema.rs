//! A table opened for an encoding, and what is said about its columns before its rows are read.

use super::columns::list;
use super::encoding::{Applied, InputEncoding};
use super::options::ImageOptions;
use super::{Batches, ColumnChoice, Encoding, Field, NoteCode, Notes, ReadOptions, TableSource};
use driftline_core::{Error, Result};

/// A reader at the first row, which gives the columns that are needed.
pub(super) struct Opened {
    pub frames: Box<dyn Batches>,
    pub applied: Applied,
    /// What was handled about the columns.
    pub notes: Notes,
}

/// Opens `source` with `options`, those of [`Encoding::read_options`], and refuses it if a column is missing.
pub(super) fn open(
    source: &dyn TableSource,
    encoding: &Encoding,
    choice: &ColumnChoice,
    options: &ReadOptions,
) -> Result<Opened> {
    let frames = source.open(options)?;
    let all = all_fields(&*frames, source, options)?;
    // Here all columns are at hand, so that a missing one can be told beside what there is.
    Applied::new(encoding, choice, &all, frames.files())?;
    let mut notes = schema_notes(encoding, choice, &all);
    frames.head().note(&mut notes);
    Ok(Opened {
        applied: Applied::new(encoding, choice, frames.fields(), frames.files())?,
        frames,
        notes,
    })
}

/// The columns of the whole table, also those that were not asked for.
pub(super) fn all_fields(
    frames: &dyn Batches,
    source: &dyn TableSource,
    options: &ReadOptions,
) -> Result<Vec<Field>> {
    if let Some(fields) = &frames.head().all_fields {
        return Ok(fields.clone());
    }
    let everything = ReadOptions {
        columns: None,
        digest: false,
        ..options.clone()
    };
    Ok(source.open(&everything)?.fields().to_vec())
}

/// A model takes images of the size and colour that it was fitted with.
pub(super) fn expect_images(encoding: &Encoding, options: &ReadOptions) -> Result<()> {
    let InputEncoding::Images { shape, resize, .. } = &encoding.input else {
        return Ok(());
    };
    let (own, asked) = (ImageOptions::of(*shape, *resize), &options.images);
    let other = |asked: bool, what: &str| match asked {
        true => Err(Error::mismatch(
            what,
            format!("{shape}, which the model takes"),
            "another",
        )),
        false => Ok(()),
    };
    other(
        asked.size.is_some() && asked.size != own.size,
        "the size of images",
    )?;
    other(
        asked.colour.is_some() && asked.colour != own.colour,
        "the colour of images",
    )
}

/// Columns that the model does not know, that stand elsewhere than in the source, or that it must not look at.
fn schema_notes(encoding: &Encoding, choice: &ColumnChoice, fields: &[Field]) -> Notes {
    let mut notes = Notes::new();
    let features = encoding.columns();
    let is = |name: &str| fields.iter().any(|field| field.name == name);
    let label = encoding.label();
    if is(label) && choice.answers.as_deref() != Some(label) && !features.contains(&label) {
        notes.add(NoteCode::LabelIgnored, label, 1, || {
            format!("the label column `{label}` is present and not used")
        });
    }
    let added = fields.iter().filter(|field| {
        let name = field.name.as_str();
        let dropped = encoding.cleaning().dropped.iter().any(|own| own == name);
        !features.contains(&name) && !dropped && name != label && !choice.is_no_feature(name)
    });
    let added: Vec<&str> = added.map(|field| &*field.name).collect();
    notes.add(NoteCode::ColumnsAdded, "", added.len() as u64, || {
        format!(
            "columns that the model does not know were ignored: {}",
            list(added.iter().copied())
        )
    });
    let places = features
        .iter()
        .filter_map(|name| fields.iter().position(|field| field.name == *name));
    if !places.is_sorted() {
        notes.add(NoteCode::ColumnsReordered, "", 1, || {
            "the columns are in a different order from the source; they are matched by name".into()
        });
    }
    notes
}
