//! Writing files whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::{Error, Result};

/// Writes beside `path`, then renames: a reader sees the old file or the new one, never a half.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut aside = new_aside(folder).map_err(Error::io(path))?;
    aside
        .write_all(bytes)
        .and_then(|()| aside.as_file().sync_all())
        .map_err(Error::io(path))?;
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
