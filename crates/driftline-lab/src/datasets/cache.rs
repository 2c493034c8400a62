//! The folder in which data sets lie, one sub-folder each. Files are stored whole or not at all, and their digests
//! beside them in the form that `sha256sum -c` reads.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::catalog::{self, CatalogEntry, DatasetFile, TableCut};
use super::{Covertype, Digits, Portraits, numbers};
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_io::Files;

const DIGESTS: &str = "SHA256SUMS";

/// A cache folder; it need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// What became of one stored file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileCheck {
    pub file: &'static str,
    #[serde(flatten)]
    pub state: CacheState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum CacheState {
    Intact { sha256: String },
    Missing,
    Changed { expected: String, found: String },
}

impl Cache {
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the files of a data set lie, or would.
    pub fn folder_of(&self, dataset: &CatalogEntry) -> PathBuf {
        self.folder.join(dataset.name)
    }

    /// Whether all files are there; their contents are not read.
    pub fn holds(&self, dataset: &CatalogEntry) -> bool {
        let folder = self.folder_of(dataset);
        dataset
            .files
            .iter()
            .map(|file| file.name)
            .chain([DIGESTS])
            .all(|name| folder.join(name).is_file())
    }

    /// Stores the files of a data set, given by name, after comparing each with its published digest. Each is written
    /// beside its place and then moved there; the list of digests comes last, so what is half stored is not there.
    pub fn store(&self, dataset: &CatalogEntry, files: &[(&str, Vec<u8>)]) -> Result<()> {
        let folder = self.folder_of(dataset);
        let mut digests = String::new();
        let mut contents = Vec::new();
        for wanted in dataset.files {
            let given = files.iter().find(|(name, _)| *name == wanted.name);
            let (_, bytes) = given.ok_or_else(|| {
                Error::corrupt(folder.join(wanted.name), "was not among the files given")
            })?;
            let found = sha256(bytes);
            if let Some(expected) = wanted.sha256
                && expected != found
            {
                return Err(Error::corrupt(
                    wanted.name,
                    format!("has sha256 {found}, but {} has {expected}", dataset.title),
                ));
            }
            digests += &format!("{found}  {}\n", wanted.name);
            contents.push((wanted.name, bytes.as_slice()));
        }
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let old = folder.join(DIGESTS);
        if old.exists() {
            std::fs::remove_file(&old).map_err(Error::io(&old))?;
        }
        for (name, bytes) in contents.into_iter().chain([(DIGESTS, digests.as_bytes())]) {
            write_whole(&folder.join(name), bytes)?;
        }
        Ok(())
    }

    /// Reads every file and compares it with its digest: the published one, else the one noted when it was stored.
    pub fn check(&self, dataset: &CatalogEntry) -> Result<Vec<FileCheck>> {
        let folder = self.folder_of(dataset);
        let digests = match std::fs::read_to_string(folder.join(DIGESTS)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io(folder.join(DIGESTS))(error)),
        };
        let check = |file: &DatasetFile| {
            let path = folder.join(file.name);
            let found = match std::fs::read(&path) {
                Ok(bytes) => sha256(&bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Ok(CacheState::Missing);
                }
                Err(error) => return Err(Error::io(path)(error)),
            };
            Ok(match file.sha256.or(noted(&digests, file)) {
                Some(expected) if expected == found => CacheState::Intact { sha256: found },
                expected => CacheState::Changed {
                    expected: expected.unwrap_or("none noted").to_string(),
                    found,
                },
            })
        };
        dataset
            .files
            .iter()
            .map(|file| {
                Ok(FileCheck {
                    file: file.name,
                    state: check(file)?,
                })
            })
            .collect()
    }

    /// A short digest of the stored copy, where it is not the one that the committed results were made with. `None` as
    /// well where nothing is stored: results can be looked up without the data.
    pub fn other_copy(&self, dataset: &CatalogEntry) -> Option<String> {
        if !self.holds(dataset) {
            return None;
        }
        // A list that cannot be read names no copy that we know.
        let digests =
            std::fs::read_to_string(self.folder_of(dataset).join(DIGESTS)).unwrap_or_default();
        let is_reference = |file: &DatasetFile| noted(&digests, file) == Some(file.reference);
        (!dataset.files.iter().all(is_reference))
            .then(|| sha256(digests.as_bytes())[..16].to_owned())
    }

    /// The path of each file of a data set, in the order of the catalogue; an error that says how to obtain it if any
    /// is absent.
    pub fn files(&self, name: &str) -> Result<Vec<PathBuf>> {
        let dataset = catalog::find(name)?;
        if !self.holds(dataset) {
            return Err(Error::DatasetMissing {
                name: dataset.title.into(),
                folder: self.folder.clone(),
                command: dataset.fetch_command(),
            });
        }
        let folder = self.folder_of(dataset);
        let paths = dataset.files.iter().map(|file| folder.join(file.name));
        Ok(paths.collect())
    }

    /// The 60,000 training images of MNIST.
    pub fn mnist(&self) -> Result<Digits> {
        let files = self.files("mnist")?;
        Digits::read(&files[0], &files[1])
    }

    /// The 60,000 training images of Fashion-MNIST.
    pub fn fashion_mnist(&self) -> Result<Digits> {
        let files = self.files("fashion-mnist")?;
        Digits::read(&files[0], &files[1])
    }

    pub fn portraits(&self) -> Result<Portraits> {
        let files = self.files("portraits")?;
        Portraits::read(&files[0], &files[1], &files[2])
    }

    pub fn covertype(&self) -> Result<Covertype> {
        Covertype::read(&self.files("covertype")?[0])
    }

    /// A data set that is one table, to be read.
    pub fn table(&self, name: &str) -> Result<Files> {
        catalog::table(name)?;
        Files::new(self.files(name)?)
    }

    /// Reads such a table from end to end: how many rows it has. Its features must be numbers.
    pub fn rows_of_table(&self, name: &str) -> Result<usize> {
        let form = catalog::table(name)?;
        let part = match form.cut {
            TableCut::Part { column, .. } => Some(column),
            TableCut::Rows(_) => None,
        };
        let may_be_text = |column: &str| column == form.label || Some(column) == part;
        numbers::count_rows(&self.table(name)?, may_be_text)
    }
}

/// The digest of `file` in a list of digests.
fn noted<'a>(digests: &'a str, file: &DatasetFile) -> Option<&'a str> {
    digests
        .lines()
        .filter_map(|line| line.split_once("  "))
        .find(|(_, name)| *name == file.name)
        .map(|(digest, _)| digest)
}

/// The digest in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keystroke() -> &'static CatalogEntry {
        catalog::find("keystroke").unwrap()
    }

    #[test]
    fn what_is_stored_is_found_checked_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("not/yet"));
        let error = cache.table("keystroke").unwrap_err().to_string();
        assert!(
            error.ends_with("run `driftline data fetch keystroke --from DIR`"),
            "{error}"
        );
        let check = cache.check(keystroke()).unwrap();
        assert_eq!(check[0].state, CacheState::Missing);

        let text = b"session,user\n1,3\n".to_vec();
        let files = [("keystroke.csv", text)];
        cache.store(keystroke(), &files).unwrap();
        assert_eq!(cache.rows_of_table("keystroke").unwrap(), 1);
        let sha256 = sha256(&files[0].1);
        assert_eq!(
            cache.check(keystroke()).unwrap()[0].state,
            CacheState::Intact { sha256 }
        );

        std::fs::write(&cache.files("keystroke").unwrap()[0], "changed").unwrap();
        let check = cache.check(keystroke()).unwrap();
        assert!(matches!(check[0].state, CacheState::Changed { .. }));
        cache.store(keystroke(), &files).unwrap();
        let names: Vec<_> = std::fs::read_dir(cache.folder_of(keystroke()))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }

    #[test]
    fn wrong_or_missing_files_are_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let elec2 = catalog::find("elec2").unwrap();
        let error = cache.store(elec2, &[("elec.csv", vec![1])]).unwrap_err();
        assert!(error.to_string().contains("has sha256 4bf5122f"), "{error}");
        assert!(cache.store(elec2, &[]).is_err());
        assert!(!cache.holds(elec2) && !cache.folder_of(elec2).exists());
        assert!(cache.files("cifar").is_err());
        assert!(cache.mnist().is_err() && cache.table("mnist").is_err());
    }

    #[test]
    fn another_copy_has_a_digest_and_the_reference_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        assert_eq!(cache.other_copy(keystroke()), None, "nothing is stored");
        let copy = |text: &str| {
            let files = [("keystroke.csv", text.as_bytes().to_vec())];
            cache.store(keystroke(), &files).unwrap();
            cache.other_copy(keystroke()).unwrap()
        };
        assert_ne!(copy("a\n1\n"), copy("a\n2\n"));
        let line = format!("{}  keystroke.csv\n", keystroke().files[0].reference);
        std::fs::write(cache.folder_of(keystroke()).join(DIGESTS), line).unwrap();
        assert_eq!(cache.other_copy(keystroke()), None);
    }

    #[test]
    fn digests_agree_with_the_standard() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
