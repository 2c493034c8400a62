//! Paths and patterns into readers: the format is told by a file's first bytes, then by its extension.

use std::path::{Path, PathBuf};

use super::digest::Beside;
use super::file_list::FileListFrames;
use super::formats::arff::ArffFrames;
use super::formats::bytes::{unpacked, up_to};
use super::formats::csv::CsvFrames;
#[cfg(feature = "images")]
use super::formats::images::ImageFrames;
#[cfg(feature = "parquet")]
use super::formats::parquet::ParquetFrames;
use super::formats::{idx, mat, npy};
use super::glob::matches_of;
use super::{Batches, ReadOptions, TableSource};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// Files read one after another as one table; columns are matched by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    paths: Vec<PathBuf>,
}

impl Files {
    /// Takes paths and patterns (`stream-*.csv`, `part-[0-9]?.parquet`, `years/**/*.csv`). What a pattern matches comes
    /// in natural order (`part-2` before `part-10`); a pattern that matches nothing is an error.
    pub fn new<I: IntoIterator<Item = P>, P: AsRef<Path>>(patterns: I) -> Result<Self> {
        let mut paths = vec![];
        for pattern in patterns {
            paths.extend(matches_of(pattern.as_ref())?);
        }
        if paths.is_empty() {
            return Err(Error::empty("the list of files"));
        }
        Ok(Self { paths })
    }

    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

impl TableSource for Files {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>> {
        match &self.paths[..] {
            [path] => open(path, options),
            paths => Ok(Box::new(FileListFrames::open(paths, options)?)),
        }
    }

    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn check(&self, options: &ReadOptions) -> Result<()> {
        FileListFrames::open(&self.paths, options)?.check()
    }
}

/// Opens one file, or a folder of images.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn Batches>> {
    let format = match path.is_dir() {
        true => Format::Folder,
        false => Format::of(path)?,
    };
    let frames: Box<dyn Batches> = match format {
        // These are read from start to end, and hashed on the way.
        Format::Csv => return Ok(Box::new(CsvFrames::open(path, options)?)),
        Format::Arff => return Ok(Box::new(ArffFrames::open(path, options)?)),
        #[cfg(feature = "images")]
        Format::Folder => Box::new(ImageFrames::open(path, options)?),
        #[cfg(not(feature = "images"))]
        Format::Folder => return Err(left_out(path, "images")),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(ParquetFrames::open(path, options)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(left_out(path, "parquet")),
        Format::Npy => Box::new(npy::open_npy(path, options)?),
        Format::Npz => Box::new(npy::open_npz(path, options)?),
        Format::Idx => Box::new(idx::open(path, options)?),
        Format::Mat => Box::new(mat::open(path, options)?),
    };
    Ok(match options.digest {
        true => Box::new(Beside::new(frames, path)),
        false => frames,
    })
}

/// A format that this build does without.
#[cfg(not(all(feature = "images", feature = "parquet")))]
fn left_out(path: &Path, feature: &'static str) -> Error {
    Error::MissingFeature {
        what: path.display().to_string(),
        feature,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Folder,
    Csv,
    Arff,
    Parquet,
    Npy,
    Npz,
    Idx,
    Mat,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        let start = first_bytes(path)?;
        if start.is_empty() {
            return Err(DataFault::new(path, "is empty").into());
        }
        let named = Self::of_extension(path);
        if let Some(told) = Self::of_bytes(&start) {
            return Ok(told);
        }
        let fault =
            |message: &str, help: &str| Err(DataFault::new(path, message).help(help).into());
        match (&start[..], named) {
            // A file that does not begin as its name says is left to the reader that can say what is wrong with it.
            (_, Some(format)) => Ok(format),
            ([0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..], _) => fault(
                "is a single image",
                "give the folder that the images are in, with one sub-folder per class for a source",
            ),
            ([0xd0, 0xcf, 0x11, 0xe0, ..], _) => {
                fault("is an old Office file", "save the table as CSV")
            }
            ([b'A', b'R', b'R', b'O', b'W', b'1', ..], _) => {
                fault("is an Arrow or Feather file", "save the table as Parquet")
            }
            ([0x89, b'H', b'D', b'F', ..], _) => {
                fault("is an HDF5 file", "save the table as Parquet, NPZ or CSV")
            }
            (text, _) if is_json(text) => fault(
                "holds JSON, which is not read",
                "save the table as Parquet or CSV: pandas.read_json(path, lines=True).to_parquet(…) for JSON lines",
            ),
            _ => Ok(Format::Csv),
        }
    }

    fn of_bytes(start: &[u8]) -> Option<Self> {
        match start {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Format::Parquet),
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Format::Npy),
            [b'P', b'K', 3, 4, ..] => Some(Format::Npz),
            [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, 1..=4, ..] => Some(Format::Idx),
            _ if start.starts_with(b"MATLAB") => Some(Format::Mat),
            _ => {
                let first = start.trim_ascii_start().get(..9)?;
                first
                    .eq_ignore_ascii_case(b"@relation")
                    .then_some(Format::Arff)
            }
        }
    }

    fn of_extension(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let known = [
            (".arff", Format::Arff),
            (".parquet", Format::Parquet),
            (".pq", Format::Parquet),
            (".npy", Format::Npy),
            (".npz", Format::Npz),
            (".mat", Format::Mat),
            (".idx", Format::Idx),
            ("-ubyte", Format::Idx),
        ];
        known
            .iter()
            .find(|(end, _)| name.ends_with(end))
            .map(|(_, format)| *format)
    }
}

/// An object, or a list of objects: no line of CSV begins so.
fn is_json(start: &[u8]) -> bool {
    let text = start.trim_ascii_start();
    let text = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let inside = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inside.is_some_and(|inside| inside.starts_with(b"\""))
}

/// The first bytes, unpacked if the file is gzip.
fn first_bytes(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut file = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => DataFault::new(path, "there is no such file")
            .help("patterns such as `part-*.csv` work too, in quotes")
            .into(),
        _ => Error::io(path)(error),
    })?;
    let start = up_to(&mut file, 4096).map_err(Error::io(path))?;
    let mut inside = vec![];
    // What is wrong with the packing, the reader of the format says.
    if let Ok(unpacked) = unpacked(&start[..]) {
        let _ = unpacked.take(4096).read_to_end(&mut inside);
    }
    Ok(if inside.is_empty() { start } else { inside })
}
