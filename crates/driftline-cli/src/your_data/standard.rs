//! `-`: standard input and output in place of files. Both pass through a file, because tables are read more than once and
//! written whole or not at all.

use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;

use driftline_core::Error;
use tempfile::TempDir;

use crate::failure::{Failure, Result};

/// A file that is gone when nobody needs it any more.
pub struct Passing {
    folder: TempDir,
    name: &'static str,
}

impl Passing {
    fn new(name: &'static str) -> Result<Self> {
        let folder = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
        Ok(Self { folder, name })
    }

    /// All of standard input.
    pub fn input() -> Result<Self> {
        let passing = Self::new("standard-input")?;
        let path = passing.path();
        let mut file = File::create(&path).map_err(Error::io(&path))?;
        std::io::copy(&mut std::io::stdin().lock(), &mut file).map_err(Error::io(&path))?;
        Ok(passing)
    }

    /// What is to go to standard output, as CSV.
    pub fn output() -> Result<Self> {
        Self::new("standard-output.csv")
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    /// Sends the file to standard output; a reader that has closed the pipe is no error.
    pub fn send(&self) -> Result<()> {
        let path = self.path();
        let mut file = File::open(&path).map_err(Error::io(&path))?;
        match std::io::copy(&mut file, &mut std::io::stdout().lock()) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
            Err(error) => Err(Error::io("standard output")(error).into()),
        }
    }
}
