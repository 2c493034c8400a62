//! The rows of one key as a table of its own: each with its number in the file that it comes from.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Gathered;
use super::chunk::read_rows;
use super::spill::{Piece, Spill};
use crate::{Batch, Batches, Head, InputDigest, ReadOptions, TableSource};
use driftline_core::Result;
use driftline_core::error::DataFault;

/// What all parts have in common.
pub(super) struct Shared {
    pub head: Head,
    pub digests: Vec<InputDigest>,
    pub spill: Spill,
}

/// Pieces that look alike are read together up to so many bytes.
const TOGETHER: usize = 1 << 20;

/// The rows of one key.
#[derive(Clone)]
pub struct TablePart {
    shared: Arc<Shared>,
    key: String,
    pieces: Arc<[Piece]>,
    rows: u64,
    /// The files that it has rows in, and where each stands among those of the table.
    files: Arc<[PathBuf]>,
    places: Arc<[usize]>,
}

impl TablePart {
    pub(super) fn new(shared: Arc<Shared>, gathered: &Gathered) -> Self {
        let mut places: Vec<usize> = gathered.pieces.iter().map(|p| p.layout.file).collect();
        places.dedup();
        let files = places.iter().map(|&file| shared.head.files[file].clone());
        Self {
            files: files.collect(),
            places: places.into(),
            key: gathered.key.clone(),
            pieces: gathered.pieces.clone().into(),
            rows: gathered.rows,
            shared,
        }
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// What the files that it has rows in are known by.
    pub fn digests(&self) -> Vec<InputDigest> {
        let digests = self.places.iter();
        digests
            .filter_map(|&file| self.shared.digests.get(file).cloned())
            .collect()
    }
}

impl TableSource for TablePart {
    fn open(&self, _options: &ReadOptions) -> Result<Box<dyn Batches>> {
        let all = &self.shared.head;
        let first = all.detected.split_once(" files, the first: ");
        let first = first.map_or(&*all.detected, |(_, first)| first);
        let detected = match self.files.len() {
            1 => first.to_owned(),
            count => format!("{count} files, the first: {first}"),
        };
        Ok(Box::new(PartFrames {
            head: Head {
                files: self.files.to_vec(),
                detected,
                rows: Some(self.rows),
                ..all.clone()
            },
            part: self.clone(),
            next: 0,
            bytes: vec![],
        }))
    }

    fn paths(&self) -> &[PathBuf] {
        &self.files
    }
}

impl fmt::Debug for TablePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TablePart({}, {} rows)", self.key, self.rows)
    }
}

struct PartFrames {
    head: Head,
    part: TablePart,
    next: usize,
    bytes: Vec<u8>,
}

impl Batches for PartFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let TablePart {
            pieces,
            shared,
            places,
            files,
            ..
        } = &self.part;
        let Some(first) = pieces.get(self.next) else {
            return Ok(None);
        };
        self.bytes.clear();
        let mut rows = 0;
        for piece in &pieces[self.next..] {
            let fits = self.bytes.len() + piece.length <= TOGETHER;
            if rows > 0 && !(fits && piece.layout == first.layout) {
                break;
            }
            shared.spill.read(piece, &mut self.bytes)?;
            rows += piece.rows as usize;
            self.next += 1;
        }
        let place = places.iter().position(|&file| file == first.layout.file);
        let place = place.unwrap_or(0);
        let frame = read_rows(&first.layout, &self.bytes, rows).ok_or_else(|| {
            DataFault::new(
                &files[place],
                "was changed on its way through a temporary file",
            )
        })?;
        Ok(Some(Batch {
            file: place,
            ..frame
        }))
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(self.part.digests())
    }
}
