//! Paths and patterns into readers, by extension and first bytes.

use std::path::{Path, PathBuf};

use super::{FrameSource, Frames, ReadOptions};
use crate::Result;

/// Files read one after another as one table; columns are matched by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    paths: Vec<PathBuf>,
}

impl Files {
    /// Takes paths and patterns (`stream-*.csv`, `part-[0-9]?.parquet`, `**/*.csv`). What a pattern matches comes in
    /// natural order (`part-2` before `part-10`); nothing matched is an error.
    pub fn new<I: IntoIterator<Item = P>, P: AsRef<str>>(patterns: I) -> Result<Self> {
        todo!()
    }

    /// Takes paths as they are.
    pub fn of_paths(paths: Vec<PathBuf>) -> Self {
        Self { paths }
    }

    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

impl FrameSource for Files {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Frames>> {
        todo!()
    }
}

/// Opens one file, or a folder of pictures.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn Frames>> {
    todo!()
}
