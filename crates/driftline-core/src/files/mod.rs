//! Writing files whole or not at all.

mod lock;

pub use lock::FolderLock;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use crate::{Error, Result};

/// Writes beside `path`, then renames: a reader sees the old file or the new one, never a half.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |mut file| {
        file.write_all(bytes).map_err(Error::io(path))
    })
}

/// The same for contents that are too large to be in memory at once. If `write` fails, nothing changes at `path`.
pub fn write_with(path: &Path, write: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let aside = new_aside(folder).map_err(|error| Error::io(path)(nameless(folder, &error)))?;
    write(aside.as_file())?;
    aside.as_file().sync_all().map_err(Error::io(path))?;
    aside
        .persist(path)
        .map_err(|error| Error::io(path)(error.error))?;
    Ok(())
}

/// Whether the page at `path` is one of ours, as its head says.
pub fn is_own_page(path: &Path) -> bool {
    let mut head = vec![];
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut head));
    let own = "<meta name=\"generator\" content=\"driftline ";
    read.is_ok() && String::from_utf8_lossy(&head).contains(own)
}

/// Whether this is the name of a file that a killed writer of ours may have left.
pub fn is_leftover(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(BEGINNING) && name.ends_with(END)
}

/// Removes the ordinary files of a folder whose names are `ours`.
pub fn remove_files(folder: &Path, ours: impl Fn(&OsStr) -> bool) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        if ours(&entry.file_name()) && entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
            let path = entry.path();
            std::fs::remove_file(&path).map_err(Error::io(&path))?;
        }
    }
    Ok(())
}

const BEGINNING: &str = ".driftline-";
const END: &str = ".tmp";

/// Why nothing can be written into `folder`, without the name of a file that nobody asked for.
fn nameless(folder: &Path, error: &std::io::Error) -> std::io::Error {
    match folder.is_dir() {
        true => error.kind().into(),
        false => std::io::Error::new(error.kind(), "the folder of this file does not exist"),
    }
}

/// A temporary file with the permissions of an ordinary one: results are for others to read, too.
fn new_aside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut aside = tempfile::Builder::new();
    aside.prefix(BEGINNING).suffix(END);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        aside.permissions(std::fs::Permissions::from_mode(0o666));
    }
    aside.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_file_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere").join("x.csv");
        let message = write_whole(&path, b"").unwrap_err().to_string();
        assert!(
            message.starts_with(&path.display().to_string()),
            "{message}"
        );
        assert!(message.contains("does not exist"), "{message}");
        assert!(!message.contains(BEGINNING), "{message}");
        assert!(!is_leftover(OsStr::new(".tmpabc")));
        assert!(is_leftover(
            new_aside(folder.path())
                .unwrap()
                .path()
                .file_name()
                .unwrap()
        ));
    }
}
