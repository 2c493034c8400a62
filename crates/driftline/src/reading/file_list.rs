//! Several files as one table. The first one's columns count; in the others they are found by name.

use std::path::{Path, PathBuf};

use super::files::open;
use super::{Column, Field, Frame, Frames, InputDigest, Kind, ReadOptions, StoredType};
use crate::Result;
use crate::error::DataFault;

/// Files read one after another.
pub(super) struct FileListFrames {
    files: Vec<PathBuf>,
    fields: Vec<Field>,
    options: ReadOptions,
    current: Box<dyn Frames>,
    /// Which file `current` reads, and where in its frames our fields are.
    file: usize,
    places: Vec<usize>,
    /// Of the files before `current`.
    digests: Vec<InputDigest>,
    detected: String,
    /// The columns that the first file has, and those of other files that it lacks.
    known: Vec<String>,
    passed_over: Vec<(PathBuf, String)>,
}

impl FileListFrames {
    pub fn open(paths: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        let first = open(&paths[0], options)?;
        let fields = first.fields().to_vec();
        Ok(Self {
            known: names_of(&*first),
            passed_over: vec![],
            files: paths.to_vec(),
            detected: format!("{} files, the first: {}", paths.len(), first.detected()),
            places: (0..fields.len()).collect(),
            fields,
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
        for path in &self.files[1..] {
            self.places_in(&*open(path, &options)?, path)?;
        }
        Ok(())
    }

    /// Where our fields are in another file.
    fn places_in(&self, frames: &dyn Frames, path: &Path) -> Result<Vec<usize>> {
        let place = |field: &Field| {
            let found = frames
                .fields()
                .iter()
                .position(|own| own.name == field.name);
            let found = found.ok_or_else(|| {
                DataFault::new(
                    path,
                    format!(
                        "has no column `{}`, which {} has",
                        field.name,
                        self.files[0].display()
                    ),
                )
            })?;
            match (field.kind, frames.fields()[found].kind) {
                (Kind::Image(ours), Kind::Image(theirs)) if ours != theirs => {
                    Err(DataFault::new(path, format!("its images are {theirs}, not {ours}")).into())
                }
                (Kind::Image(_), Kind::Image(_)) => Ok(found),
                (Kind::Image(_), _) | (_, Kind::Image(_)) => Err(DataFault::new(
                    path,
                    format!("its column holds {}", frames.fields()[found].kind.name()),
                )
                .column(&field.name)
                .into()),
                _ => Ok(found),
            }
        };
        self.fields.iter().map(place).collect()
    }
}

/// All columns of a file, also those that are not wanted.
fn names_of(frames: &dyn Frames) -> Vec<String> {
    let fields = frames.all_fields().unwrap_or(frames.fields());
    fields.iter().map(|field| field.name.clone()).collect()
}

impl Frames for FileListFrames {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn files(&self) -> &[PathBuf] {
        &self.files
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.current.next_frame()? {
                let mut columns: Vec<Option<Column>> =
                    frame.columns.into_iter().map(Some).collect();
                let chosen = self
                    .places
                    .iter()
                    .filter_map(|&place| columns[place].take());
                return Ok(Some(Frame {
                    file: self.file,
                    columns: chosen.collect(),
                    ..frame
                }));
            }
            if self.file + 1 == self.files.len() {
                return Ok(None);
            }
            let path = &self.files[self.file + 1];
            let next = open(path, &self.options)?;
            self.places = self.places_in(&*next, path)?;
            for name in names_of(&*next) {
                if !self.known.contains(&name) {
                    self.known.push(name.clone());
                    self.passed_over.push((path.clone(), name));
                }
            }
            self.digests.extend(self.current.digests()?);
            self.current = next;
            self.file += 1;
        }
    }

    fn stored_as(&self, column: &str) -> StoredType {
        self.current.stored_as(column)
    }

    fn passed_over(&self) -> &[(PathBuf, String)] {
        &self.passed_over
    }

    fn detected(&self) -> String {
        self.detected.clone()
    }

    fn all_fields(&self) -> Option<&[Field]> {
        match self.file {
            0 => self.current.all_fields(),
            _ => None,
        }
    }

    fn hashes_files(&self) -> bool {
        self.current.hashes_files()
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        let last = self.current.digests()?;
        Ok([&self.digests[..], &last].concat())
    }
}
