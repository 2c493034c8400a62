//! Which images a folder holds, in which order, and what a CSV file beside them tells about each.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::no_pictures;
use crate::formats::csv::CsvFrames;
use crate::natural::natural_order;
use crate::{Batches, Column, Field, Kind, Numbers, ReadOptions};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// Names of the CSV column that names the files, if it is not found by what it holds.
const FILE_COLUMNS: [&str; 5] = ["file", "filename", "file_name", "path", "name"];
/// More images than anyone lists in one folder.
const MOST: usize = 10_000_000;

/// The images of a folder.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub pictures: Vec<Picture>,
    /// Whether sub-folders name classes.
    pub classes: bool,
    /// The columns of the CSV file and their values, one per image.
    pub told: Vec<Field>,
    values: Vec<Column>,
    csv: Option<PathBuf>,
    /// Files and folders that are not used, hidden ones aside.
    passed_over: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub path: PathBuf,
    /// Relative to the folder, with `/`.
    pub name: String,
    pub class: String,
}

impl Listing {
    pub fn of(folder: &Path, options: &ReadOptions) -> Result<Self> {
        let (mut pictures, mut tables, mut folders) = (vec![], vec![], vec![]);
        let mut passed_over = 0;
        for path in entries(folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if is_picture(&path) {
                pictures.push(path);
            } else if has_extension(&path, &["csv", "tsv"]) {
                tables.push(path);
            } else {
                passed_over += 1;
            }
        }
        let mut inside = vec![];
        for class in &folders {
            let name = text(class, folder)?;
            for path in entries(class)? {
                if !is_picture(&path) || !path.is_file() {
                    passed_over += 1;
                    continue;
                }
                let file = text(&path, folder)?;
                inside.push(Picture {
                    name: format!("{name}/{file}"),
                    class: name.clone(),
                    path,
                });
            }
        }
        if !pictures.is_empty() && !inside.is_empty() {
            return Err(
                DataFault::new(folder, "holds images both beside and inside sub-folders")
                    .help("use one sub-folder per class, or one folder for all")
                    .into(),
            );
        }
        let listing = match (&tables[..], inside.is_empty()) {
            (_, false) => Self {
                pictures: inside,
                classes: true,
                passed_over: passed_over + tables.len(),
                ..Self::default()
            },
            ([table], true) if !pictures.is_empty() => {
                let listing = Self::told_by(folder, table, options)?;
                let unnamed = pictures.len().saturating_sub(listing.pictures.len());
                return Ok(Self {
                    passed_over: passed_over + unnamed,
                    ..listing
                });
            }
            ([_, _, ..], true) if !pictures.is_empty() => {
                return Err(
                    DataFault::new(folder, "holds more than one CSV file beside images")
                        .help("keep the one that names the images")
                        .into(),
                );
            }
            _ => {
                let flat = pictures.into_iter().map(|path| {
                    Ok(Picture {
                        name: text(&path, folder)?,
                        class: String::new(),
                        path,
                    })
                });
                Self {
                    pictures: flat.collect::<Result<_>>()?,
                    passed_over,
                    ..Self::default()
                }
            }
        };
        if listing.pictures.is_empty() {
            return Err(no_pictures(folder));
        }
        Ok(listing.in_order())
    }

    /// By file name, whatever sub-folder an image is in: a stream sorted into classes keeps its order.
    fn in_order(mut self) -> Self {
        fn file(picture: &Picture) -> &str {
            picture.name.rsplit('/').next().unwrap_or_default()
        }
        self.pictures.sort_by(|a, b| {
            natural_order(file(a), file(b)).then_with(|| natural_order(&a.name, &b.name))
        });
        self
    }

    /// The images that a CSV file names, in its order.
    fn told_by(folder: &Path, table: &Path, options: &ReadOptions) -> Result<Self> {
        let text: Vec<String> = FILE_COLUMNS.map(String::from).into();
        let options = ReadOptions {
            columns: None,
            text: [options.text.clone(), text].concat(),
            ..options.clone()
        };
        let mut frames = CsvFrames::open(table, &options)?;
        let told = frames.fields().to_vec();
        let mut values: Vec<Option<Column>> = vec![None; told.len()];
        let mut rows = 0;
        while let Some(frame) = frames.next_frame()? {
            rows += frame.rows;
            if rows > MOST {
                return Err(DataFault::new(table, format!("names more than {MOST} images")).into());
            }
            for (all, more) in values.iter_mut().zip(frame.columns) {
                append(all, more);
            }
        }
        let values: Vec<Column> = values.into_iter().flatten().collect();
        let files = file_column(folder, &told, &values).ok_or_else(|| {
            DataFault::new(table, "has no column of the images' file names")
                .help("name them in a column called `file`")
        })?;
        let Column::Text(names) = &values[files] else {
            unreachable!("a column of file names is text")
        };
        let mut seen = HashMap::new();
        let mut pictures = vec![];
        for (row, name) in names.iter().enumerate() {
            let place = |message: String| {
                DataFault::new(table, message)
                    .row(row as u64 + 1)
                    .column(&told[files].name)
            };
            let name = name.ok_or_else(|| place("the file name is missing".into()))?;
            let path = folder.join(name);
            let mut parts = Path::new(name).components();
            if !parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
                || !path.is_file()
            {
                return Err(place(format!("there is no file `{name}` in the folder")).into());
            }
            if let Some(first) = seen.insert(name, row + 1) {
                return Err(place(format!("`{name}` stands in row {first} already")).into());
            }
            pictures.push(Picture {
                path,
                name: name.into(),
                class: String::new(),
            });
        }
        Ok(Self {
            pictures,
            told,
            values,
            csv: Some(table.to_path_buf()),
            ..Self::default()
        })
    }

    pub fn told_column(&self, at: usize, first: usize, rows: usize) -> Column {
        self.values[at].slice(first..first + rows, self.pictures.len())
    }

    pub fn detected(&self) -> String {
        let order = match &self.csv {
            Some(csv) => format!("in the order of {}", csv.display()),
            None if self.classes => "a class per sub-folder, in the order of file names".into(),
            None => "in the order of file names".into(),
        };
        match self.passed_over {
            0 => order,
            others => format!("{order}, {others} other files or folders left out"),
        }
    }
}

/// The column of file names: by its name, or the first text column whose first value is an image of the folder.
fn file_column(folder: &Path, fields: &[Field], values: &[Column]) -> Option<usize> {
    let named = FILE_COLUMNS
        .iter()
        .find_map(|name| fields.iter().position(|field| field.name == *name));
    named
        .or_else(|| {
            values.iter().position(|column| match column {
                Column::Text(texts) if !texts.is_empty() => texts
                    .get(0)
                    .is_some_and(|name| folder.join(name).is_file() && is_picture(Path::new(name))),
                _ => false,
            })
        })
        .filter(|&at| fields[at].kind == Kind::Text)
}

fn append(all: &mut Option<Column>, more: Column) {
    match (all, more) {
        (Some(Column::Numbers(Numbers::Double(all))), Column::Numbers(more)) => {
            all.extend(more.iter());
        }
        (Some(Column::Text(all)), Column::Text(more)) => {
            more.iter().for_each(|text| all.push(text));
        }
        (all, more) => *all = Some(more),
    }
}

pub(crate) fn is_picture(path: &Path) -> bool {
    has_extension(path, &["png", "jpg", "jpeg"])
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    let own = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    known.iter().any(|known| own.eq_ignore_ascii_case(known))
}

/// What is in a folder, but for hidden files.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = vec![];
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let entry = entry.map_err(Error::io(folder))?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

fn text(path: &Path, folder: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(String::from).ok_or_else(|| {
        DataFault::new(
            folder,
            format!("holds {}, a name that is not UTF-8", path.display()),
        )
        .into()
    })
}
