//! Files that are not read from start to end: they are hashed on a thread of their own while their rows are read.

use std::path::Path;
use std::thread::JoinHandle;

use super::InputDigest;
use crate::{Batch, Batches, Head};
use driftline_core::{Cancel, Error, Result};

/// A reader, and the hashing of its file beside it.
pub(in super::super) struct Beside {
    frames: Box<dyn Batches>,
    head: Head,
    hashing: Option<JoinHandle<Result<InputDigest>>>,
    digest: Option<InputDigest>,
    cancel: Cancel,
}

impl Beside {
    pub fn new(frames: Box<dyn Batches>, path: &Path) -> Self {
        let cancel = Cancel::new();
        let (path, stop) = (path.to_path_buf(), cancel.clone());
        let head = Head {
            hashes_files: true,
            ..frames.head().clone()
        };
        Self {
            frames,
            head,
            hashing: Some(std::thread::spawn(move || {
                InputDigest::of_unless(&path, &stop)
            })),
            digest: None,
            cancel,
        }
    }
}

impl Batches for Beside {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        self.frames.next_frame()
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
