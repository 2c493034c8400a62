//! Files that are not read from start to end: they are hashed on a thread of their own while their rows are read.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::InputDigest;
use crate::reading::{Field, Frame, Frames};
use crate::{Cancel, Error, Result};

/// A reader, and the hashing of its file beside it.
pub(in super::super) struct Beside {
    frames: Box<dyn Frames>,
    hashing: Option<JoinHandle<Result<InputDigest>>>,
    digest: Option<InputDigest>,
    cancel: Cancel,
}

impl Beside {
    pub fn new(frames: Box<dyn Frames>, path: &Path) -> Self {
        let cancel = Cancel::new();
        let (path, stop) = (path.to_path_buf(), cancel.clone());
        Self {
            frames,
            hashing: Some(std::thread::spawn(move || {
                InputDigest::of_unless(&path, &stop)
            })),
            digest: None,
            cancel,
        }
    }
}

impl Frames for Beside {
    fn fields(&self) -> &[Field] {
        self.frames.fields()
    }

    fn all_fields(&self) -> Option<&[Field]> {
        self.frames.all_fields()
    }

    fn files(&self) -> &[PathBuf] {
        self.frames.files()
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        self.frames.next_frame()
    }

    fn detected(&self) -> String {
        self.frames.detected()
    }

    fn rows(&self) -> Option<u64> {
        self.frames.rows()
    }

    fn hashes_files(&self) -> bool {
        true
    }

    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        if let Some(hashing) = self.hashing.take() {
            let digest = hashing.join().map_err(|_| Error::Interrupted)?;
            self.digest = Some(digest?);
        }
        Ok(self.digest.iter().cloned().collect())
    }
}

/// A reader that is given up leaves no thread at work.
impl Drop for Beside {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
