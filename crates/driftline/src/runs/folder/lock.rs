//! A lock against two writers. The system releases it when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::{Error, Result};

const NAME: &str = ".lock";

#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let file = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::corrupt(
                folder,
                "is being written to by another process",
            )),
            Err(TryLockError::Error(error)) => Err(Error::io(&path)(error)),
        }
    }

    /// Whether a run was ever begun in `folder`.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(NAME).exists()
    }
}
