//! Taking a folder for a new run, and clearing what a killed writer left behind.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::model_file::Bundle;
use super::super::record::Checksum;
use super::commit::{Log, write_manifest};
use super::{
    FOLDERS, MANIFEST, REPORT, RunFolder, RunManifest, WINDOWS, WINDOWS_NEXT, checkpoint_name,
};
use crate::adapt::Registry;
use crate::files::{FolderLock, write_whole};
use crate::{Error, Result};

/// A folder taken for a new run that has no manifest yet.
#[derive(Debug)]
pub(in crate::runs) struct Claim {
    folder: PathBuf,
    lock: FolderLock,
}

impl RunFolder {
    /// Whether `folder` may be made a run: it is absent, empty, or was begun by a run that never came to its manifest.
    pub fn expect_free(folder: &Path) -> Result<()> {
        if folder.join(MANIFEST).exists() {
            return Err(Error::Occupied {
                path: folder.into(),
                what: "holds results already".into(),
            });
        }
        let Ok(mut entries) = fs::read_dir(folder) else {
            return match folder.exists() {
                true => Err(Error::corrupt(folder, "is not a folder")),
                false => Ok(()),
            };
        };
        if FolderLock::is_in(folder) || entries.next().is_none() {
            return Ok(());
        }
        Err(Error::Occupied {
            path: folder.into(),
            what: "is not empty and holds no run".into(),
        })
    }

    /// Takes `folder` for a new run. With `replace`, an older run in it stays until the new one begins.
    pub(in crate::runs) fn claim(folder: &Path, replace: bool) -> Result<Claim> {
        if !replace {
            Self::expect_free(folder)?;
        }
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let lock = FolderLock::take(folder)?;
        if !replace {
            Self::expect_free(folder)?;
        }
        Ok(Claim {
            folder: folder.into(),
            lock,
        })
    }
}

impl Claim {
    /// Begins the run: version 0 and the first manifest.
    pub fn begin(
        self,
        mut manifest: RunManifest,
        source: &Bundle,
        registry: &Registry,
    ) -> Result<RunFolder> {
        remove_run(&self.folder)?;
        clear_leftovers(&self.folder)?;
        for name in FOLDERS {
            let path = self.folder.join(name);
            fs::create_dir_all(&path).map_err(Error::io(&path))?;
        }
        let log = Log::of(b"");
        let files: [(String, Vec<u8>); 2] = [
            (checkpoint_name(0), source.to_bytes()?),
            (WINDOWS.into(), vec![]),
        ];
        for (name, bytes) in files {
            write_whole(&self.folder.join(&name), &bytes)?;
            manifest.files.insert(name, Checksum::of(&bytes));
        }
        write_manifest(&self.folder, &mut manifest)?;
        Ok(RunFolder {
            folder: self.folder,
            manifest,
            records: vec![],
            registry: registry.clone(),
            log,
            lock: Some(self.lock),
            writer: None,
            old_lines: false,
        })
    }
}

/// Removes what a killed writer may have left behind: files that were never renamed into place.
pub(super) fn clear_leftovers(folder: &Path) -> Result<()> {
    for place in [""].iter().chain(&FOLDERS) {
        let place = folder.join(place);
        let Ok(entries) = fs::read_dir(&place) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(".tmp") {
                let path = entry.path();
                fs::remove_file(&path).map_err(Error::io(&path))?;
            }
        }
    }
    Ok(())
}

/// Removes the files of an older run, the manifest first, and nothing else.
fn remove_run(folder: &Path) -> Result<()> {
    let remove = |path: PathBuf| match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path)(error)),
        _ => Ok(()),
    };
    for name in [MANIFEST, WINDOWS, WINDOWS_NEXT, REPORT] {
        remove(folder.join(name))?;
    }
    for place in FOLDERS {
        let Ok(entries) = fs::read_dir(folder.join(place)) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with("window-") {
                remove(entry.path())?;
            }
        }
    }
    Ok(())
}
