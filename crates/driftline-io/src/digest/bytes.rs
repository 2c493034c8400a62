//! A file whose bytes are hashed as they are read from its start to its end.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::InputDigest;
use driftline_core::{Error, Result};

/// The file, to be read or unpacked.
pub(in super::super) struct HashedFile {
    file: File,
    seen: Option<Seen>,
}

/// What has gone through it; the file itself disappears inside whatever unpacks it.
#[derive(Clone)]
pub(in super::super) struct Seen {
    path: PathBuf,
    state: Arc<Mutex<(blake3::Hasher, u64)>>,
}

impl HashedFile {
    /// Without `hash`, the file as it is.
    pub fn open(path: &Path, hash: bool) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        let seen = hash.then(|| Seen {
            path: path.to_path_buf(),
            state: Arc::new(Mutex::new((blake3::Hasher::new(), 0))),
        });
        Ok(Self { file, seen })
    }

    pub fn seen(&self) -> Option<Seen> {
        self.seen.clone()
    }
}

impl Read for HashedFile {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(buffer)?;
        if let Some(seen) = &self.seen {
            let mut state = seen.state();
            state.0.update(&buffer[..n]);
            state.1 += n as u64;
        }
        Ok(n)
    }
}

impl Seen {
    /// Of the bytes read so far: of the whole file once its end was reached.
    pub fn digest(&self) -> InputDigest {
        let state = self.state();
        InputDigest::new(&self.path, state.1, &state.0)
    }

    fn state(&self) -> MutexGuard<'_, (blake3::Hasher, u64)> {
        // A hash that a panic left half made is still only a hash.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
