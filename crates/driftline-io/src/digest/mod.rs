//! What data a model or a run was made from: the path as given, the size, and a hash of the contents. Readers make it
//! of the very bytes that they read, so that no file is read once more for it.

mod beside;
mod bytes;
mod contents;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use driftline_core::{Cancel, Error, Result};

pub(super) use beside::Beside;
pub(super) use bytes::{HashedFile, Seen};
pub(super) use contents::Identity;

/// One file or folder that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputDigest {
    pub path: PathBuf,
    pub bytes: u64,
    pub blake3: String,
}

/// Folders within folders are followed so deep.
const DEPTH: usize = 16;

impl InputDigest {
    /// Reads `path` through; of a folder, all files in it by name.
    pub fn of(path: &Path) -> Result<Self> {
        Self::of_unless(path, &Cancel::new())
    }

    /// The same, given up when cancelled.
    fn of_unless(path: &Path, cancel: &Cancel) -> Result<Self> {
        let mut hasher = blake3::Hasher::new();
        let bytes = if path.is_dir() {
            hash_folder(&mut hasher, path, "", DEPTH, cancel)?
        } else {
            hash_file(&mut hasher, path, cancel)?
        };
        Ok(Self::new(path, bytes, &hasher))
    }

    fn new(path: &Path, bytes: u64, hasher: &blake3::Hasher) -> Self {
        Self {
            path: path.to_path_buf(),
            bytes,
            blake3: hasher.finalize().to_hex().to_string(),
        }
    }

    pub fn of_all(paths: &[PathBuf]) -> Result<Vec<Self>> {
        paths.iter().map(|path| Self::of(path)).collect()
    }
}

/// The hash of some bytes, as it stands in manifests.
pub fn blake3(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn hash_file(hasher: &mut blake3::Hasher, path: &Path, cancel: &Cancel) -> Result<u64> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        cancel.check()?;
        match file.read(&mut buffer).map_err(Error::io(path))? {
            0 => return Ok(bytes),
            n => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
        }
    }
}

fn hash_folder(
    hasher: &mut blake3::Hasher,
    folder: &Path,
    inside: &str,
    depth: usize,
    cancel: &Cancel,
) -> Result<u64> {
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(Error::io(folder))?;
    paths.sort();
    let mut bytes = 0;
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{inside}/{name}");
        if path.is_dir() {
            if depth > 0 {
                bytes += hash_folder(hasher, &path, &name, depth - 1, cancel)?;
            }
            continue;
        }
        // Name and size keep two files from being taken for one.
        let size = std::fs::metadata(&path).map_err(Error::io(&path))?.len();
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(&size.to_le_bytes());
        bytes += hash_file(hasher, &path, cancel)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_names_and_contents() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("f/x")).unwrap();
        std::fs::write(at("f/x/1"), "ab").unwrap();
        std::fs::write(at("f/2"), "c").unwrap();
        let first = InputDigest::of(&at("f")).unwrap();
        assert_eq!(first.bytes, 3);
        assert_eq!(InputDigest::of(&at("f")).unwrap(), first);
        std::fs::rename(at("f/2"), at("f/3")).unwrap();
        assert_ne!(InputDigest::of(&at("f")).unwrap().blake3, first.blake3);
        let file = InputDigest::of(&at("f/x/1")).unwrap();
        assert_eq!(file.blake3, blake3(b"ab"));
        assert!(InputDigest::of(&at("none")).is_err());
    }
}
