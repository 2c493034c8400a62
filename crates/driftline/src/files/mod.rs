//! Writing files whole or not at all.

mod lock;

pub(crate) use lock::FolderLock;

use std::fs::File;
use std::io::Write;
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
    let aside = new_aside(folder).map_err(Error::io(path))?;
    write(aside.as_file())?;
    aside.as_file().sync_all().map_err(Error::io(path))?;
    aside
        .persist(path)
        .map_err(|error| Error::io(path)(error.error))?;
    Ok(())
}

/// A temporary file with the permissions of an ordinary one: results are for others to read, too.
#[cfg(unix)]
fn new_aside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let ordinary = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new()
        .permissions(ordinary)
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_aside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    tempfile::NamedTempFile::new_in(folder)
}
