//! Files compared with their checksums: on load, and all of them when a run is inspected.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::super::asked::ASKED;
use super::super::record::Checksum;
use super::{MANIFEST, RunFolder, RunManifest, WINDOWS, WINDOWS_NEXT};
use driftline_core::{Error, Result};

/// What became of one file of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    Intact,
    Missing,
    Changed,
}

impl RunFolder {
    /// The bytes of a file that the run names, if they are what it says.
    pub(super) fn load(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.folder.join(name);
        let Some(sum) = self.checksum(name) else {
            return Err(Error::corrupt(path, "is not named by its run"));
        };
        let bytes = fs::read(&path).map_err(Error::io(&path))?;
        match Checksum::of(&bytes) == *sum {
            true => Ok(bytes),
            false => Err(Error::corrupt(path, differs(sum, bytes.len()))),
        }
    }

    fn checksum(&self, name: &str) -> Option<&Checksum> {
        let own = self.manifest.files.get(name);
        own.or_else(|| self.records.iter().rev().find_map(|r| r.files.get(name)))
    }

    /// Every file that the run names, compared.
    pub fn check_files(&self) -> Result<Vec<(String, FileState)>> {
        let state = |name: &String, sum: &Checksum| {
            let path = self.folder.join(name);
            match fs::read(&path) {
                Ok(_) if *name == WINDOWS => {
                    Ok(match finished_lines(&self.folder, &self.manifest) {
                        Ok(_) => FileState::Intact,
                        Err(_) => FileState::Changed,
                    })
                }
                Ok(bytes) if Checksum::of(&bytes) == *sum => Ok(FileState::Intact),
                Ok(_) => Ok(FileState::Changed),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    Ok(FileState::Missing)
                }
                Err(error) => Err(Error::io(path)(error)),
            }
        };
        let asks = self.records.iter().any(|record| !record.asked.is_empty());
        let asked = match (self.folder.join(ASKED).exists(), self.asked()) {
            (false, _) if !asks => None,
            (false, _) => Some(FileState::Missing),
            (true, Ok(_)) => Some(FileState::Intact),
            (true, Err(_)) => Some(FileState::Changed),
        };
        let of_windows = self.records.iter().flat_map(|record| &record.files);
        let files = self.manifest.files.iter().chain(of_windows);
        let files = files.map(|(name, sum)| Ok((name.clone(), state(name, sum)?)));
        files
            .chain(asked.map(|state| Ok((ASKED.to_owned(), state))))
            .collect()
    }
}

/// The lines of `windows.jsonl` that are finished. A killed run may have written one more than its manifest names, or have
/// named lines that it had still to put in their place.
pub(super) fn finished_lines(folder: &Path, manifest: &RunManifest) -> Result<String> {
    let here = lines_in(&folder.join(WINDOWS), manifest);
    match lines_in(&folder.join(WINDOWS_NEXT), manifest) {
        Ok(next) if here.is_err() => Ok(next),
        _ => here,
    }
}

/// Ends what a killed writer of lines has begun: those that the manifest names are put in their place, others removed.
pub(super) fn settle_lines(folder: &Path, manifest: &RunManifest) -> Result<()> {
    let (here, next) = (folder.join(WINDOWS), folder.join(WINDOWS_NEXT));
    let settled = match next.exists() {
        false => Ok(()),
        true if lines_in(&here, manifest).is_ok() => fs::remove_file(&next),
        true => fs::rename(&next, &here),
    };
    settled.map_err(Error::io(&next))
}

fn lines_in(path: &Path, manifest: &RunManifest) -> Result<String> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let Some(sum) = manifest.files.get(WINDOWS) else {
        let message = format!("is not named in {MANIFEST}");
        return Err(Error::corrupt(path, message));
    };
    let finished = usize::try_from(sum.bytes)
        .ok()
        .and_then(|end| bytes.get(..end))
        .filter(|finished| Checksum::of(finished) == *sum);
    let finished = finished.ok_or_else(|| Error::corrupt(path, differs(sum, bytes.len())))?;
    String::from_utf8(finished.to_vec()).map_err(|_| Error::corrupt(path, "is not text in UTF-8"))
}

fn differs(sum: &Checksum, found: usize) -> String {
    format!(
        "was changed or damaged: its checksum differs ({} bytes expected, {found} found)",
        sum.bytes
    )
}
