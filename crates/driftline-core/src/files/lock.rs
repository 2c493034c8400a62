//! A lock against two writers in one folder. The system releases it when the process ends, however it ends.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::{Error, Result};

const NAME: &str = ".lock";

#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Refuses a folder that another process is writing to. Nothing is written into the file, whatever it is, and a link
    /// in its place is not followed.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let file = open(&path).map_err(Error::io(&path))?;
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
        folder.join(NAME).symlink_metadata().is_ok()
    }

    pub fn is(name: &OsStr) -> bool {
        name == NAME
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => options.write(true).open(path),
        Ok(_) => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "is a link or a folder where an ordinary file is needed; move it away",
        )),
        // Made anew and by us: what another process has put here in the meantime is looked at like anything else.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match options.write(true).create_new(true).open(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => open(path),
                opened => opened,
            }
        }
        Err(error) => Err(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_followed_and_nothing_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, mine) = (folder.path().join(NAME), folder.path().join("mine"));
        for target in ["mine", "absent"] {
            std::fs::write(&mine, "precious").unwrap();
            std::os::unix::fs::symlink(folder.path().join(target), &lock).unwrap();
            let refused = FolderLock::take(folder.path()).unwrap_err().to_string();
            assert!(refused.contains("is a link"), "{refused}");
            assert!(!folder.path().join("absent").exists());
            std::fs::remove_file(&lock).unwrap();
        }
        std::fs::rename(&mine, &lock).unwrap();
        let held = FolderLock::take(folder.path()).unwrap();
        assert!(matches!(
            FolderLock::take(folder.path()),
            Err(Error::Busy { .. })
        ));
        drop(held);
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "precious");
    }
}
