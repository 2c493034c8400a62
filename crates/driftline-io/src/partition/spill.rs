//! The temporary file of a table that is being split: written from start to end, read from anywhere.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::chunk::Layout;
use driftline_core::{Error, Result};

pub(super) struct Spill {
    file: Mutex<File>,
    /// What is gathered into one write.
    buffer: Vec<u8>,
    end: u64,
    folder: PathBuf,
}

/// Some rows of one key in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Piece {
    pub offset: u64,
    pub length: usize,
    pub rows: u32,
    /// One for all pieces that look alike: there may be millions of them.
    #[serde(with = "shared_layout")]
    pub layout: Arc<Layout>,
}

/// As if it were not shared.
mod shared_layout {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Layout;

    pub fn serialize<S: Serializer>(layout: &Arc<Layout>, to: S) -> Result<S::Ok, S::Error> {
        Layout::serialize(layout, to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Layout>, D::Error> {
        Layout::deserialize(from).map(Arc::new)
    }
}

const WRITE: usize = 4 << 20;

impl Spill {
    pub fn new(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        Ok(Self {
            file: Mutex::new(file),
            buffer: vec![],
            end: 0,
            folder: folder.into(),
        })
    }

    pub fn write(&mut self, bytes: &[u8], rows: u32, layout: Arc<Layout>) -> Result<Piece> {
        let piece = Piece {
            offset: self.end,
            length: bytes.len(),
            rows,
            layout,
        };
        self.buffer.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
        if self.buffer.len() >= WRITE {
            self.flush()?;
        }
        Ok(piece)
    }

    pub fn flush(&mut self) -> Result<()> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(&self.buffer);
        written.map_err(Error::io(&self.folder))?;
        self.buffer.clear();
        Ok(())
    }

    /// Appends the bytes of a piece to `to`.
    pub fn read(&self, piece: &Piece, to: &mut Vec<u8>) -> Result<()> {
        let start = to.len();
        to.resize(start + piece.length, 0);
        // The position belongs to whoever holds the file.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file
            .seek(SeekFrom::Start(piece.offset))
            .and_then(|_| file.read_exact(&mut to[start..]));
        read.map_err(Error::io(&self.folder))
    }
}
