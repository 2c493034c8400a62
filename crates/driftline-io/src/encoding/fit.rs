//! Learning an encoding from the labelled source.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::apply::Applied;
use super::cleaning::clean;
use super::doubts::{decimal_comma, hardly_classes, note_alike, numbers_rows, sentinel};
use super::order::row_order;
use super::statistics::{Pieces, Unfit, has_missing, is_empty, of_numbers, of_texts};
use super::troubles::Troubles;
use super::{
    Cleaning, Coding, EncodeOptions, Encoding, Feature, InputEncoding, LabeledRows, Usual,
    UsualValue, classes,
};
use crate::columns::{find, list};
use crate::digest::Identity;
use crate::selection::{Selection, cell_text, no_rows};
use crate::{
    Answer, Batch, Column, ColumnChoice, Field, Head, InputDigest, Kind, NoteCode, Notes,
    ReadOptions, TableSource,
};
use driftline_core::data::{Labels, Variation};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// Texts that are many for one column: trees keep a category in a byte, where 0 is for missing ones.
const MANY: usize = 255;

impl Encoding {
    /// Reads the whole source, fixes how its columns become inputs, and encodes it. What was handled goes to `notes`.
    pub fn fit(
        source: &dyn TableSource,
        choice: &ColumnChoice,
        options: &ReadOptions,
        how: EncodeOptions,
        notes: &mut Notes,
    ) -> Result<(Encoding, LabeledRows)> {
        let label = choice
            .label
            .as_deref()
            .ok_or_else(|| Error::empty("the name of the label column"))?;
        let table = Table::read(source, choice, options, label)?;
        for (path, name) in &table.passed_over {
            if !choice.is_no_feature(name) {
                notes.add(NoteCode::ColumnsUnused, name, 1, || {
                    let (path, first) = (path.display(), table.path().display());
                    format!("column `{name}` of {path} is not used, because {first}, the first file, lacks it")
                });
            }
        }
        table.remarks.note(notes);
        let classes = table.classes(options)?;
        note_alike(&classes, notes);
        table.expect_tidy(choice, options)?;
        let (input, cleaning) = table.input(choice, options, how, notes)?;
        let encoding = Encoding {
            label: label.into(),
            classes,
            input,
            cleaning,
        };
        let labeled = table.encode(&encoding, choice, notes)?;
        Ok((encoding, labeled))
    }
}

/// The source in memory: all frames, and the rows of each that count.
struct Table {
    fields: Vec<Field>,
    files: Arc<[std::path::PathBuf]>,
    frames: Vec<(Batch, Vec<usize>)>,
    label: usize,
    detected: String,
    digests: Vec<InputDigest>,
    /// Columns that only later files have.
    passed_over: Vec<(std::path::PathBuf, String)>,
    /// What its reader said of it.
    remarks: Head,
}

impl Table {
    fn read(
        source: &dyn TableSource,
        choice: &ColumnChoice,
        options: &ReadOptions,
        label: &str,
    ) -> Result<Self> {
        let mut options = options.clone();
        // What is to be left out is looked for as well, were it an index that otherwise would not be seen.
        let named = choice.exclude.iter().map(String::as_str);
        let text = choice.text_columns().chain([label]).chain(named);
        let text = text.map(String::from);
        options.text.extend(text);
        options.categories.extend(choice.categories.iter().cloned());
        options.decimal_comma |= choice.decimal_comma == Some(true);
        options.digest = true;
        let mut frames = source.open(&options)?;
        let path = frames.files()[0].clone();
        let mut fields = frames.fields().to_vec();
        find(&fields, label, "the label", &path)?;
        for (names, part) in [
            (&choice.exclude, "leaving out"),
            (&choice.categories, "categories"),
        ] {
            for name in names {
                find(&fields, name, part, &path)?;
            }
        }
        // Columns that are left out need not even be readable.
        let columns = fields.iter().map(|field| &field.name);
        let columns: Vec<String> = columns
            .filter(|name| !choice.exclude.contains(name))
            .cloned()
            .collect();
        if columns.len() < fields.len() {
            options.columns = Some(columns);
            frames = source.open(&options)?;
            fields = frames.fields().to_vec();
        }
        let label = find(&fields, label, "the label", &path)?;
        let selection = Selection::new(choice, &fields, &path)?;
        let (mut kept, mut bytes, mut rows) = (vec![], 0, 0);
        let mut identity = Identity::of(&*frames);
        while let Some(frame) = frames.next_frame()? {
            options.cancel.check()?;
            identity.see(&frame);
            let chosen = selection.rows(&frame);
            bytes += frame.columns.iter().map(Column::bytes).sum::<usize>() as u64;
            // The frames and the encoded rows are in memory together.
            if 2 * bytes > options.limits.memory {
                return Err(DataFault::new(
                    &path,
                    format!(
                        "is too large to learn from: more than {} bytes of memory would be needed",
                        options.limits.memory
                    ),
                )
                .help(
                    "give a part of it, for example with {where}, or fewer columns with {exclude}",
                )
                .into());
            }
            rows += chosen.len();
            if !chosen.is_empty() {
                kept.push((frame, chosen));
            }
        }
        if rows == 0 {
            return Err(no_rows(&path, !choice.filters.is_empty()));
        }
        Ok(Self {
            fields,
            files: frames.files().into(),
            frames: kept,
            label,
            detected: frames.head().detected.clone(),
            passed_over: frames.head().passed_over.clone(),
            remarks: frames.head().clone(),
            digests: identity.digests(&mut *frames)?,
        })
    }

    fn path(&self) -> &Path {
        &self.files[0]
    }

    /// A column in pieces.
    fn pieces(&self, column: usize) -> Pieces<'_> {
        let pieces = self.frames.iter();
        pieces
            .map(|(frame, rows)| (&frame.columns[column], &rows[..]))
            .collect()
    }

    fn classes(&self, options: &ReadOptions) -> Result<Vec<String>> {
        let name = &self.fields[self.label].name;
        let mut seen = BTreeSet::new();
        for (frame, rows) in &self.frames {
            for &row in rows {
                let text = cell_text(&frame.columns[self.label], row).ok_or_else(|| {
                    DataFault::new(&self.files[frame.file], "the label is missing")
                        .row(frame.number_of(row))
                        .column(name)
                        .help("every row of the source needs a label: remove the rows without one")
                })?;
                seen.insert(text);
                if seen.len() > options.limits.classes {
                    return Err(DataFault::new(
                        self.path(),
                        format!(
                            "has more than {} different labels, too many for classes",
                            options.limits.classes
                        ),
                    )
                    .column(name)
                    .help("name the column of classes with {label}")
                    .into());
                }
            }
        }
        let classes = classes::in_order(seen.iter().map(String::as_str));
        let rows: usize = self.frames.iter().map(|(_, rows)| rows.len()).sum();
        if hardly_classes(&classes, rows) {
            return Err(DataFault::new(
                self.path(),
                format!(
                    "has {} different labels in {rows} rows, almost one class per row: is this a regression target?",
                    classes.len()
                ),
            )
            .column(name)
            .help("name a column of classes with {label}, or put its values into few classes; at least 2 rows are needed for each, 5 where all labels are numbers and more than 100")
            .into());
        }
        match &classes[..] {
            [only] => Err(DataFault::new(
                self.path(),
                format!("has only the class `{only}`; at least two are needed"),
            )
            .column(name)
            .into()),
            _ => Ok(classes),
        }
    }

    fn input(
        &self,
        choice: &ColumnChoice,
        options: &ReadOptions,
        how: EncodeOptions,
        notes: &mut Notes,
    ) -> Result<(InputEncoding, Cleaning)> {
        let features: Vec<usize> = (0..self.fields.len())
            .filter(|&at| !choice.is_no_feature(&self.fields[at].name))
            .collect();
        let image = |&at: &usize| matches!(self.fields[at].kind, Kind::Image(_));
        let images: Vec<usize> = features.iter().copied().filter(image).collect();
        if let [at] = images[..] {
            let Kind::Image(shape) = self.fields[at].kind else {
                unreachable!("it was chosen for being one")
            };
            let others = features.iter().filter(|&&other| other != at);
            let others: Vec<&str> = others.map(|&at| &*self.fields[at].name).collect();
            notes.add(NoteCode::ColumnsUnused, "", others.len() as u64, || {
                format!(
                    "columns beside the images are not inputs: {}",
                    list(others.iter().copied())
                )
            });
            let images = InputEncoding::Images {
                column: self.fields[at].name.clone(),
                shape,
                resize: options.images.size.is_some() && !options.images.exact,
            };
            return Ok((images, Cleaning::default()));
        }
        if images.len() > 1 {
            let names = list(images.iter().map(|&at| &*self.fields[at].name));
            return Err(DataFault::new(
                self.path(),
                format!("has several columns of images: {names}"),
            )
            .help("leave all but one out with {exclude}")
            .into());
        }
        let (empty, features): (Vec<usize>, Vec<usize>) = features
            .into_iter()
            .partition(|&at| is_empty(&self.pieces(at)));
        if features.is_empty() {
            return Err(DataFault::new(self.path(), "has no column left to learn from").into());
        }
        let empty: Vec<&str> = empty.iter().map(|&at| &*self.fields[at].name).collect();
        notes.add(NoteCode::EmptyColumns, "", empty.len() as u64, || {
            format!(
                "columns without a value in the source are left out: {}",
                list(empty.iter().copied())
            )
        });
        let fitted: Vec<(Feature, Variation)> = features
            .par_iter()
            .map(|&at| self.feature(at, choice, options, how))
            .collect::<Vec<_>>()
            .into_iter()
            .collect::<Result<_>>()?;
        let codings: Vec<Feature> = fitted.iter().map(|(feature, _)| feature.clone()).collect();
        let (fitted, mut cleaning) = clean(fitted, how, notes);
        let dropped = codings.iter().zip(&features);
        let dropped = dropped.filter(|(own, _)| cleaning.dropped.contains(&own.name));
        let usual = dropped.filter_map(|(own, &at)| {
            let value = match &own.coding {
                Coding::Number { .. } => UsualValue::number(&self.pieces(at))?,
                Coding::OneHot {
                    categories,
                    most_frequent,
                    ..
                } => UsualValue::Text(categories[*most_frequent].clone()),
            };
            let column = own.name.clone();
            Some(Usual { column, value })
        });
        cleaning.usual = usual.collect();
        cleaning.dropped.extend(empty.into_iter().map(String::from));
        let constant = fitted
            .iter()
            .filter(|(_, variation)| *variation == Variation::None);
        let constant: Vec<&str> = constant.map(|(feature, _)| &*feature.name).collect();
        notes.add(NoteCode::ConstantColumns, "", constant.len() as u64, || {
            format!(
                "columns with a single value in the source are not used: {}",
                list(constant.iter().copied())
            )
        });
        let features: Vec<Feature> = fitted.into_iter().map(|(feature, _)| feature).collect();
        self.doubts(&features, choice, notes);
        Ok((InputEncoding::Features(features), cleaning))
    }

    /// Features that are hardly meant as such.
    fn doubts(&self, features: &[Feature], choice: &ColumnChoice, notes: &mut Notes) {
        let answers = choice.answers.as_ref().filter(|answers| {
            choice.label != choice.answers && self.fields.iter().any(|f| f.name == **answers)
        });
        if let Some(name) = answers {
            notes.add(NoteCode::AnswersNoFeature, name, 1, || {
                format!("column `{name}` holds the true classes, so it is not a feature in the source either")
            });
        }
        let rows: usize = self.frames.iter().map(|(_, rows)| rows.len()).sum();
        for feature in features {
            let at = self
                .fields
                .iter()
                .position(|field| field.name == feature.name);
            if matches!(feature.coding, Coding::Number { .. })
                && at.is_some_and(|at| numbers_rows(&self.pieces(at)))
            {
                let name = &feature.name;
                notes.add(NoteCode::RowNumbers, name, 1, || {
                    format!("column `{name}` has a different whole number in every row: if it numbers the rows, it is not a feature")
                });
            }
            if let (Coding::Number { .. }, Some(at)) = (&feature.coding, at)
                && let Some(found) = sentinel(&self.pieces(at))
            {
                let name = &feature.name;
                notes.add(NoteCode::Sentinel, name, 1, || {
                    format!("column `{name}` holds {found}: it may stand for a missing value")
                });
            }
            let (Coding::OneHot { categories, .. }, name) = (&feature.coding, &feature.name) else {
                continue;
            };
            if choice.categories.contains(name) {
                continue;
            }
            let count = categories.len();
            let is_number = |text: &&String| text.trim().parse::<f64>().is_ok();
            let mut others = categories.iter().filter(|text| !is_number(text));
            if count > 2 && 10 * categories.iter().filter(is_number).count() >= 9 * count {
                let other = others
                    .next()
                    .map_or(String::new(), |text| format!(" such as `{text}`"));
                notes.add(NoteCode::MostlyNumbers, name, 1, || {
                    format!("column `{name}` is read as {count} categories, although most of its values are numbers: correct the others{other}, or say that it holds categories")
                });
            } else if count > 2 && 2 * count > rows {
                notes.add(NoteCode::ManyCategories, name, 1, || {
                    format!("column `{name}` has {count} different texts in {rows} rows: if it identifies the rows, it is not a feature")
                });
            } else if count > MANY {
                notes.add(NoteCode::ManyCategories, name, 1, || {
                    format!("column `{name}` has {count} different texts, each an input of its own; `trees` tell only the {MANY} most frequent apart")
                });
            }
        }
    }

    /// Refuses a source in which several things are in the way, all of them in one message.
    fn expect_tidy(&self, choice: &ColumnChoice, options: &ReadOptions) -> Result<()> {
        let rows = self.frames.iter().map(|(_, rows)| rows.len()).sum();
        let mut troubles = Troubles::new(choice, options, rows);
        for (at, field) in self.fields.iter().enumerate() {
            if !choice.is_no_feature(&field.name) {
                troubles.see(field, &self.pieces(at));
            }
        }
        troubles.refuse(self.path())
    }

    fn feature(
        &self,
        at: usize,
        choice: &ColumnChoice,
        options: &ReadOptions,
        how: EncodeOptions,
    ) -> Result<(Feature, Variation)> {
        let Field { name, kind, .. } = &self.fields[at];
        let fault = |message: String| DataFault::new(self.path(), message).column(name);
        let pieces = self.pieces(at);
        if *kind == Kind::Text
            && !choice.categories.contains(name)
            && let Some(text) = decimal_comma(&pieces)
        {
            return Err(fault(format!(
                "holds numbers with a decimal comma, such as `{text}`"
            ))
            .help(format!(
                "read them as numbers with {{decimal}} , or as categories with {{category}} {name}"
            ))
            .into());
        }
        let fitted = match kind {
            Kind::Number if !choice.categories.contains(name) => of_numbers(&pieces, how),
            Kind::Number | Kind::Text => of_texts(&pieces, options.limits.categories, how),
            Kind::Time | Kind::Image(_) => {
                return Err(fault("holds times, which are not a feature".into())
                    .help("order the stream by it with {time}, or leave it out with {exclude}")
                    .into());
            }
        };
        let (mut coding, variation) = fitted.map_err(|unfit| match unfit {
            Unfit::Empty => {
                fault("has no value to learn from".into()).help("leave it out with {exclude}")
            }
            Unfit::Categories(most) => fault(format!(
                "has more than {most} different texts, too many for categories"
            ))
            .help(too_many_texts(&pieces)),
        })?;
        let (Coding::Number { mark, .. } | Coding::OneHot { mark, .. }) = &mut coding;
        *mark = choice.mark_missing && has_missing(&pieces);
        let name = name.clone();
        Ok((Feature { name, coding }, variation))
    }

    fn encode(
        &self,
        encoding: &Encoding,
        choice: &ColumnChoice,
        notes: &mut Notes,
    ) -> Result<LabeledRows> {
        let order = row_order(choice, &self.fields, &self.frames);
        // The label is read as the answers of a stream are.
        let choice = ColumnChoice {
            answers: choice.label.clone(),
            time: None,
            ids: vec![],
            ..choice.clone()
        };
        let applied = Applied::new(encoding, &choice, &self.fields, &self.files)?.for_source();
        let mut buffer = applied.buffer();
        for (frame, rows) in &self.frames {
            applied.encode(frame, rows, &mut buffer, notes)?;
        }
        let rows = buffer.finish(&applied)?;
        let answers = rows.answers.unwrap_or_default();
        let known = answers.iter().map(|answer| match answer {
            Answer::Class(class) => Ok(*class),
            _ => Err(Error::empty("a label that was seen before")),
        });
        Ok(LabeledRows {
            inputs: rows.inputs,
            labels: Labels::new(known.collect::<Result<_>>()?, encoding.classes.len())?,
            order,
            origins: rows.origins,
            detected: self.detected.clone(),
            digests: self.digests.clone(),
        })
    }
}

/// Why a column may have so many texts.
fn too_many_texts(pieces: &Pieces) -> &'static str {
    let first = pieces
        .iter()
        .find_map(|(column, rows)| rows.iter().find_map(|&row| cell_text(column, row)))
        .unwrap_or_default();
    if crate::time::parse_moment(&first).is_some() {
        "these are times: order the stream by this column with {time}, or leave the column out with {exclude}"
    } else {
        "leave the column out with {exclude}, or pass it through with {id}"
    }
}
