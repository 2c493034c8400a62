//! Taking a folder for a new run, and clearing what a killed writer left behind.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::model_file::ModelFile;
use super::super::record::Checksum;
use super::commit::{Log, write_manifest};
use super::{
    CHAINS, FOLDERS, LABELS, MANIFEST, REPORT, RunFolder, RunManifest, WINDOWS, WINDOWS_NEXT,
    checkpoint_name,
};
use crate::follow::{LIVE_FOLDERS, is_live};
use crate::method::Registry;
use driftline_core::files::{FolderLock, is_leftover, is_own_page, remove_files, write_whole};
use driftline_core::{Error, Result};

/// A folder taken for a new run that has no manifest yet.
#[derive(Debug)]
pub(crate) struct Claim {
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
        let Ok(entries) = fs::read_dir(folder) else {
            return match folder.exists() {
                true => Err(Error::corrupt(folder, "is not a folder")),
                false => Ok(()),
            };
        };
        let ours = |name: &OsStr| {
            let names = [WINDOWS, CHAINS, LABELS].into_iter().chain(FOLDERS);
            let names = names.chain(LIVE_FOLDERS);
            FolderLock::is(name) || is_leftover(name) || names.into_iter().any(|own| name == own)
        };
        let mut names = entries.flatten().map(|entry| entry.file_name());
        let empty = match FolderLock::is_in(folder) {
            true => names.all(|name| ours(&name)),
            false => names.next().is_none(),
        };
        if empty {
            return Ok(());
        }
        Err(Error::Occupied {
            path: folder.into(),
            what: "is not empty and holds no run".into(),
        })
    }

    /// Whether everything that a run in `folder` would replace is of a run, and the report is one of ours.
    fn expect_own(folder: &Path) -> Result<()> {
        let foreign = |name: &str| {
            let path = folder.join(name);
            Err(Error::Foreign { path })
        };
        let is_there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
        let kind = RunManifest::kind_of(folder);
        if is_there(&MANIFEST) && kind.as_deref() != Some("run") {
            return foreign(MANIFEST);
        }
        if kind.is_none() && !FolderLock::is_in(folder) {
            let names = [WINDOWS, CHAINS, LABELS].into_iter().chain(FOLDERS);
            let mut names = names.chain(LIVE_FOLDERS);
            if let Some(name) = names.find(is_there) {
                return foreign(name);
            }
        }
        let named = RunManifest::read(folder).ok();
        expect_own_report(folder, named.as_ref())
    }

    /// Takes `folder` for a new run. With `replace`, an older run in it stays until the new one begins.
    pub(crate) fn claim(folder: &Path, replace: bool) -> Result<Claim> {
        match replace {
            true => Self::expect_own(folder)?,
            false => Self::expect_free(folder)?,
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
        source: &ModelFile,
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

/// A report may be replaced if the manifest knows its contents, or if its head says that it is one of ours.
pub(super) fn expect_own_report(folder: &Path, manifest: Option<&RunManifest>) -> Result<()> {
    let path = folder.join(REPORT);
    let named = manifest.and_then(|manifest| manifest.files.get(REPORT));
    let known = |bytes: Vec<u8>| named == Some(&Checksum::of(&bytes));
    match path.symlink_metadata().is_err() || is_own_page(&path) || fs::read(&path).is_ok_and(known)
    {
        true => Ok(()),
        false => Err(Error::Foreign { path }),
    }
}

/// Removes what a killed writer may have left behind: files that were never renamed into place.
pub(super) fn clear_leftovers(folder: &Path) -> Result<()> {
    remove_files(folder, is_leftover)?;
    remove_files(&folder.join(LABELS), is_leftover)?;
    FOLDERS
        .iter()
        .chain(&LIVE_FOLDERS)
        .try_for_each(|place| remove_files(&folder.join(place), is_leftover))
}

/// Removes the files of an older run, the manifest first, and nothing else.
fn remove_run(folder: &Path) -> Result<()> {
    for own in [MANIFEST, WINDOWS, WINDOWS_NEXT, REPORT] {
        remove_files(folder, |name| name == own)?;
    }
    remove_files(&folder.join(LABELS), |name| {
        Path::new(name) == Path::new("asked.csv") || is_of_window(name)
    })?;
    for place in LIVE_FOLDERS {
        remove_files(&folder.join(place), is_live)?;
    }
    let places = FOLDERS.iter().chain(&[CHAINS]);
    places
        .into_iter()
        .try_for_each(|place| remove_files(&folder.join(place), is_of_window))
}

/// `window-0012.csv`, as a checkpoint or the predictions of a window are called.
pub(super) fn is_of_window(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let number = name.strip_prefix("window-").and_then(|rest| {
        let csv = rest.strip_suffix(".csv");
        csv.or_else(|| rest.strip_suffix(".safetensors"))
    });
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
