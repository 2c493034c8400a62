//! A lock against two writers in one folder. The system releases it when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::{Error, Result};

const NAME: &str = ".lock";

#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Refuses a folder that another process is writing to. Nothing is written into the file, whatever it is.
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
            Err(TryLockError::WouldBlock) => Err(Error::Busy {
                path: folder.to_path_buf(),
            }),
            Err(TryLockError::Error(error)) => Err(Error::io(&path)(error)),
        }
    }

    /// Whether a writer was ever here.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(NAME).exists()
    }
}
