//! Finds the files of a data set in a folder, a package or a single file, plain or gzip.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use driftline_lab::datasets::cache::sha256;
use driftline_lab::datasets::catalog::{CatalogEntry, DatasetFile};
use flate2::read::MultiGzDecoder;

use crate::failure::{Failure, Result};

/// The files of a data set, uncompressed, under the names of the catalogue.
pub type Files = Vec<(&'static str, Vec<u8>)>;

/// What is wrong with a file, without its name.
type Fault = String;

/// No known file comes near: more is a fault, or a trap.
pub const LARGEST: u64 = 1 << 30;
/// Folders are searched so deep.
const DEPTH: usize = 8;

pub fn gather(dataset: &CatalogEntry, place: &Path) -> Result<Files> {
    let mut found = Found {
        dataset,
        files: BTreeMap::new(),
    };
    let name = place.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    let searched = if place.is_dir() {
        search_folder(&mut found, place, DEPTH)
    } else if ends(&[".tgz", ".tar.gz"]) {
        open(place).and_then(|file| search_tar(&mut found, file))
    } else if ends(&[".whl", ".zip"]) {
        open(place).and_then(|file| search_zip(&mut found, file))
    } else {
        take_file(&mut found, place)
    };
    searched.map_err(|fault| Failure::told(format!("cannot read {}: {fault}", place.display())))?;
    found.complete(place)
}

/// What has been found so far, by name in the catalogue.
struct Found<'a> {
    dataset: &'a CatalogEntry,
    files: BTreeMap<&'static str, Vec<u8>>,
}

impl Found<'_> {
    /// The file of the data set that `name` stands for: `train-images.idx3-ubyte.gz` is `train-images-idx3-ubyte`.
    fn wanted(&self, name: &str) -> Option<&'static DatasetFile> {
        let plain = |name: &str| name.replace('.', "-");
        let given = plain(name.strip_suffix(".gz").unwrap_or(name));
        let mut files = self.dataset.files.iter();
        files.find(|file| plain(file.name) == given)
    }

    /// Keeps a file; of several with one name the one with the right checksum.
    fn keep(&mut self, file: &'static DatasetFile, reader: impl Read) -> Result<(), Fault> {
        let is_right = |bytes: &[u8]| file.sha256.is_none_or(|right| sha256(bytes) == right);
        if let Some(bytes) = self.files.get(file.name)
            && is_right(bytes)
        {
            return Ok(());
        }
        let bytes = read_plain(reader).map_err(|fault| format!("{}: {fault}", file.name))?;
        if !self.files.contains_key(file.name) || is_right(&bytes) {
            self.files.insert(file.name, bytes);
        }
        Ok(())
    }

    fn complete(mut self, place: &Path) -> Result<Files> {
        let names = self.dataset.files.iter().map(|file| file.name);
        let missing = names.clone().filter(|name| !self.files.contains_key(name));
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            let (place, missing) = (place.display(), missing.join(", "));
            return Err(Failure::with_help(
                format!("{place} lacks {missing} of {}", self.dataset.title),
                "give a folder that holds all of them, plain or as .gz",
            ));
        }
        let found = names.filter_map(|name| Some((name, self.files.remove(name)?)));
        Ok(found.collect())
    }
}

fn search_folder(found: &mut Found, folder: &Path, depth: usize) -> Result<(), Fault> {
    let entries = std::fs::read_dir(folder).map_err(text)?;
    let paths = entries.map(|entry| Ok(entry.map_err(text)?.path()));
    let mut paths = paths.collect::<Result<Vec<_>, Fault>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str());
        if path.is_dir() {
            // Not through links, which may lead in circles.
            if depth > 0 && !path.is_symlink() {
                search_folder(found, &path, depth - 1)?;
            }
        } else if let Some(file) = name.and_then(|name| found.wanted(name)) {
            found.keep(file, open(&path)?)?;
        }
    }
    Ok(())
}

fn search_tar(found: &mut Found, file: File) -> Result<(), Fault> {
    let mut archive = tar::Archive::new(MultiGzDecoder::new(BufReader::new(file)));
    for entry in archive.entries().map_err(text)? {
        let entry = entry.map_err(text)?;
        let path = entry.path().map_err(text)?;
        let name = path.file_name().and_then(|name| name.to_str());
        let is_file = entry.header().entry_type().is_file();
        if let Some(file) = name.and_then(|name| found.wanted(name)).filter(|_| is_file) {
            found.keep(file, entry)?;
        }
    }
    Ok(())
}

fn search_zip(found: &mut Found, file: File) -> Result<(), Fault> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(text)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(text)?;
        let path = entry.name().map_err(text)?.into_owned();
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some(file) = found.wanted(name) {
            found.keep(file, entry)?;
        }
    }
    Ok(())
}

/// A single file: one that bears a known name, or any name where the data set has no other file.
fn take_file(found: &mut Found, path: &Path) -> Result<(), Fault> {
    let name = path.file_name().and_then(|name| name.to_str());
    let only = match found.dataset.files {
        [file] => Some(file),
        _ => None,
    };
    let file = name.and_then(|name| found.wanted(name)).or(only);
    let reader = open(path)?;
    file.map_or(Ok(()), |file| found.keep(file, reader))
}

fn open(path: &Path) -> Result<File, Fault> {
    File::open(path).map_err(text)
}

/// The whole content, decompressed if it is gzip.
pub fn read_plain(mut reader: impl Read) -> Result<Vec<u8>, Fault> {
    let mut start = Vec::new();
    let read = reader.by_ref().take(2).read_to_end(&mut start);
    read.map_err(text)?;
    let is_gzip = start == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(start).chain(BufReader::new(reader));
    let mut bytes = Vec::new();
    let read = if is_gzip {
        MultiGzDecoder::new(whole)
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
    } else {
        whole.take(LARGEST + 1).read_to_end(&mut bytes)
    };
    read.map_err(text)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than the {LARGEST} bytes allowed"));
    }
    Ok(bytes)
}

fn text(error: impl std::fmt::Display) -> Fault {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use driftline_lab::datasets::catalog;

    use super::*;

    const NAMES: [&str; 3] = [
        "dated-images-idx3-ubyte",
        "dated-labels-idx1-ubyte",
        "dated-years-idx1-short",
    ];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn gathered(place: &Path) -> Vec<Vec<u8>> {
        let files = gather(catalog::find("portraits").unwrap(), place).unwrap();
        assert_eq!(
            files.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            NAMES
        );
        files.into_iter().map(|(_, bytes)| bytes).collect()
    }

    fn place(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_folder_may_hold_them_plain_or_gzip_and_deeper() {
        let folder = tempfile::tempdir().unwrap();
        place(
            folder.path(),
            "a/b/dated-images.idx3-ubyte.gz",
            &gzip(b"images"),
        );
        place(folder.path(), "a/dated-labels-idx1-ubyte", b"labels");
        let error = gather(catalog::find("portraits").unwrap(), folder.path()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("lacks dated-years-idx1-short of"),
            "{error}"
        );
        place(folder.path(), "dated-years-idx1-short", b"years");
        assert_eq!(
            gathered(folder.path()),
            [&b"images"[..], b"labels", b"years"]
        );
    }

    #[test]
    fn packages_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        let mut tar = tar::Builder::new(Vec::new());
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for name in NAMES {
            let mut header = tar::Header::new_gnu();
            header.set_size(3);
            tar.append_data(&mut header, format!("package/data/{name}"), &b"tar"[..])
                .unwrap();
            zip.start_file(
                format!("x/{name}"),
                zip::write::SimpleFileOptions::default(),
            )
            .unwrap();
            zip.write_all(b"zip").unwrap();
        }
        let package = place(folder.path(), "p.tgz", &gzip(&tar.into_inner().unwrap()));
        assert_eq!(gathered(&package), [b"tar"; 3]);
        let wheel = place(folder.path(), "p.whl", zip.finish().unwrap().get_ref());
        assert_eq!(gathered(&wheel), [b"zip"; 3]);
        for broken in ["broken.tgz", "broken.whl"] {
            let path = place(folder.path(), broken, b"PK\x03\x04 no package");
            assert!(gather(catalog::find("portraits").unwrap(), &path).is_err());
        }
    }

    #[test]
    fn of_two_files_with_one_name_the_right_one_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        place(folder.path(), "a/keystroke.csv", b"first");
        place(folder.path(), "b/keystroke.csv", b"second");
        let keystroke = catalog::find("keystroke").unwrap();
        assert_eq!(gather(keystroke, folder.path()).unwrap()[0].1, b"first");
        let any = place(folder.path(), "any name", &gzip(b"text"));
        assert_eq!(gather(keystroke, &any).unwrap()[0].1, b"text");
        assert!(gather(keystroke, &folder.path().join("absent")).is_err());
    }
}
