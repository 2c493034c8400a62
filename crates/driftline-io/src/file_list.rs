//! Several files as one table. The first one's columns count; in the others they are found by name.

use std::path::{Path, PathBuf};

use super::files::open;
use super::{Batch, Batches, Column, Field, Head, InputDigest, Kind, ReadOptions};
use driftline_core::Result;
use driftline_core::error::DataFault;

/// Files read one after another.
pub(super) struct FileListFrames {
    head: Head,
    options: ReadOptions,
    current: Box<dyn Batches>,
    /// Which file `current` reads, and where in its frames our fields are.
    file: usize,
    places: Vec<usize>,
    /// Of the files before `current`.
    digests: Vec<InputDigest>,
    /// The columns that the first file has, and those of other files that it lacks.
    known: Vec<String>,
}

impl FileListFrames {
    pub fn open(paths: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        let first = open(&paths[0], options)?;
        let about = first.head();
        let head = Head {
            files: paths.to_vec(),
            detected: format!("{} files, the first: {}", paths.len(), about.detected),
            rows: None,
            ..about.clone()
        };
        Ok(Self {
            known: names_of(&*first),
            places: (0..head.fields.len()).collect(),
            head,
            options: options.clone(),
            current: first,
            file: 0,
            digests: vec![],
        })
    }

    /// Refuses files that lack one of our fields.
    pub fn check(&self) -> Result<()> {
        let options = ReadOptions {
            digest: false,
            ..self.options.clone()
        };
        for path in &self.head.files[1..] {
            self.places_in(&*open(path, &options)?, path)?;
        }
        Ok(())
    }

    /// Where our fields are in another file.
    fn places_in(&self, frames: &dyn Batches, path: &Path) -> Result<Vec<usize>> {
        let place = |field: &Field| {
            let found = frames.head().place(&field.name).ok_or_else(|| {
                let (name, first) = (&field.name, self.head.files[0].display());
                DataFault::new(path, format!("has no column `{name}`, which {first} has"))
            })?;
            let theirs = frames.fields()[found].kind;
            match (field.kind, theirs) {
                (Kind::Image(ours), Kind::Image(theirs)) if ours != theirs => {
                    Err(DataFault::new(path, format!("its images are {theirs}, not {ours}")).into())
                }
                (Kind::Image(_), Kind::Image(_)) => Ok(found),
                (Kind::Image(_), _) | (_, Kind::Image(_)) => {
                    let message = format!("its column holds {}", theirs.name());
                    Err(DataFault::new(path, message).column(&field.name).into())
                }
                _ => Ok(found),
            }
        };
        self.head.fields.iter().map(place).collect()
    }
}

/// All columns of a file, also those that are not wanted.
fn names_of(frames: &dyn Batches) -> Vec<String> {
    let Head {
        fields, all_fields, ..
    } = frames.head();
    let fields = all_fields.as_ref().unwrap_or(fields);
    fields.iter().map(|field| field.name.clone()).collect()
}

impl Batches for FileListFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(frame) = self.current.next_frame()? {
                let mut columns: Vec<Option<Column>> =
                    frame.columns.into_iter().map(Some).collect();
                let chosen = self
                    .places
                    .iter()
                    .filter_map(|&place| columns[place].take());
                return Ok(Some(Batch {
                    file: self.file,
                    columns: chosen.collect(),
                    ..frame
                }));
            }
            if self.file + 1 == self.head.files.len() {
                return Ok(None);
            }
            let path = &self.head.files[self.file + 1].clone();
            let next = open(path, &self.options)?;
            self.places = self.places_in(&*next, path)?;
            for name in names_of(&*next) {
                if !self.known.contains(&name) {
                    self.known.push(name.clone());
                    self.head.passed_over.push((path.clone(), name));
                }
            }
            self.head.remarks.extend(next.head().remarks.clone());
            self.digests.extend(self.current.digests()?);
            self.current = next;
            self.file += 1;
        }
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        let last = self.current.digests()?;
        Ok([&self.digests[..], &last].concat())
    }
}
