//! The streams of a fleet: the files that were given, or the parts of a table by the values of a column.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use driftline_core::{Error, Result};
use driftline_io::{
    ColumnChoice, Encoding, Files, InputDigest, Partition, ReadOptions, RowFilter, TableSource,
    natural_order,
};

pub(super) enum Streams {
    Files(Vec<(String, PathBuf)>),
    Parts(Box<Partition>, String),
}

impl Streams {
    /// One for every file. A file is known by its name without what stands behind the first dot, where all differ in
    /// that, else by its whole path.
    pub fn files(files: &[PathBuf]) -> Self {
        let names: Vec<String> = files.iter().map(|path| stem(path)).collect();
        let different: BTreeSet<&String> = names.iter().collect();
        let unique = different.len() == names.len();
        let keys = files.iter().zip(names).map(|(path, name)| {
            let key = if unique {
                name
            } else {
                path.display().to_string()
            };
            (key, path.clone())
        });
        let mut all: Vec<(String, PathBuf)> = keys.collect();
        all.sort_by(|a, b| natural_order(&a.0, &b.0));
        Self::Files(all)
    }

    /// One for every value of the column `by`. `encoding` says which columns are needed, where that is known.
    pub fn parts(
        data: &dyn TableSource,
        by: &str,
        encoding: Option<&Encoding>,
        choice: &ColumnChoice,
        read: &ReadOptions,
        folder: &Path,
    ) -> Result<Self> {
        let read = match encoding {
            Some(encoding) => encoding.read_options(choice, read),
            None => as_text(read, choice),
        };
        let parts = Partition::split(data, by, &read, folder)?;
        if parts.is_empty() {
            return Err(Error::empty("the stream"));
        }
        Ok(Self::Parts(Box::new(parts), by.to_owned()))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Files(files) => files.len(),
            Self::Parts(parts, _) => parts.len(),
        }
    }

    /// The keys, and how large each stream is, to begin with the largest.
    pub fn keys(&self) -> Vec<(String, u64)> {
        match self {
            Self::Files(files) => {
                let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
                let files = files.iter();
                files.map(|(key, path)| (key.clone(), size(path))).collect()
            }
            Self::Parts(parts, _) => {
                let keys = parts.keys();
                keys.map(|(key, rows)| (key.to_owned(), rows)).collect()
            }
        }
    }

    /// The file of a stream, where it is one.
    pub fn path(&self, place: usize) -> Option<&Path> {
        match self {
            Self::Files(files) => Some(&files[place].1),
            Self::Parts(..) => None,
        }
    }

    /// The data of a stream.
    pub fn data(&self, place: usize) -> Result<Box<dyn TableSource>> {
        Ok(match self {
            Self::Files(files) => Box::new(Files::new([&files[place].1])?),
            Self::Parts(parts, _) => Box::new(parts.part(place)),
        })
    }

    /// What the data of a stream are known by.
    pub fn digests(&self, place: usize) -> Result<Vec<InputDigest>> {
        match self {
            Self::Files(files) => InputDigest::of_all(std::slice::from_ref(&files[place].1)),
            Self::Parts(parts, _) => Ok(parts.part(place).digests()),
        }
    }

    /// The rows that are the stream's own, as whoever reads its files would choose them.
    pub fn choice(&self, key: &str, all: &ColumnChoice) -> ColumnChoice {
        match self {
            Self::Files(_) => all.clone(),
            Self::Parts(_, by) => of_key(by, key, all),
        }
    }
}

/// The choice of one key's rows.
pub(super) fn of_key(by: &str, key: &str, all: &ColumnChoice) -> ColumnChoice {
    let mut own = all.clone();
    own.filters.push(RowFilter {
        column: by.to_owned(),
        value: key.to_owned(),
    });
    own
}

/// The columns that are texts whatever they hold.
pub(super) fn as_text(read: &ReadOptions, choice: &ColumnChoice) -> ReadOptions {
    let mut read = read.clone();
    read.text.extend(choice.text_columns().map(String::from));
    read.categories.extend(choice.categories.iter().cloned());
    read.decimal_comma |= choice.decimal_comma == Some(true);
    read.text.extend(choice.label.clone());
    read
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.into_owned(),
    }
}
