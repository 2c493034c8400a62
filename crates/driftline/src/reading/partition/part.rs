//! The rows of one key as a table of its own: each with its number in the file that it comes from.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Gathered;
use super::chunk::read_rows;
use super::spill::{Piece, Spill};
use crate::Result;
use crate::error::DataFault;
use crate::reading::{Field, Frame, FrameSource, Frames, InputDigest, ReadOptions, StoredType};

/// What all parts have in common.
pub(super) struct Shared {
    pub fields: Vec<Field>,
    pub all: Vec<Field>,
    pub files: Vec<PathBuf>,
    pub detected: String,
    pub stored: Vec<(String, StoredType)>,
    pub passed_over: Vec<(PathBuf, String)>,
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
        let files = places.iter().map(|&file| shared.files[file].clone());
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

impl FrameSource for TablePart {
    fn open(&self, _options: &ReadOptions) -> Result<Box<dyn Frames>> {
        Ok(Box::new(PartFrames {
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
    part: TablePart,
    next: usize,
    bytes: Vec<u8>,
}

impl Frames for PartFrames {
    fn fields(&self) -> &[Field] {
        &self.part.shared.fields
    }

    fn files(&self) -> &[PathBuf] {
        &self.part.files
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
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
        Ok(Some(Frame {
            file: place,
            ..frame
        }))
    }

    fn detected(&self) -> String {
        let all = &self.part.shared.detected;
        let first = all.split_once(" files, the first: ");
        let first = first.map_or(&**all, |(_, first)| first);
        match self.part.files.len() {
            1 => first.to_owned(),
            count => format!("{count} files, the first: {first}"),
        }
    }

    fn rows(&self) -> Option<u64> {
        Some(self.part.rows)
    }

    fn all_fields(&self) -> Option<&[Field]> {
        Some(&self.part.shared.all)
    }

    fn stored_as(&self, column: &str) -> StoredType {
        let mut stored = self.part.shared.stored.iter();
        let found = stored.find(|(name, _)| name == column);
        found.map_or(StoredType::Text, |(_, stored)| *stored)
    }

    fn passed_over(&self) -> &[(PathBuf, String)] {
        &self.part.shared.passed_over
    }

    fn hashes_files(&self) -> bool {
        true
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(self.part.digests())
    }
}
