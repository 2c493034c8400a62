//! One window on its way to disk: checkpoint, predictions, line, and last the manifest that makes them count. It costs
//! the same for the first window as for the thousandth, and goes on while the next window is worked on.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::super::model_file::Bundle;
use super::super::predictions::WindowTable;
use super::super::record::{Checksum, WindowRecord};
use super::manifest::RunManifest;
use super::{MANIFEST, WINDOWS, checkpoint_name, predictions_name};
use crate::adapt::Version;
use crate::files::write_whole;
use crate::{Error, Result};

/// The hash of the finished lines, ready to take in more.
#[derive(Clone, Debug)]
pub(super) struct Log {
    hasher: blake3::Hasher,
}

impl Log {
    pub fn of(lines: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(lines);
        Self { hasher }
    }

    pub fn sum(&self) -> Checksum {
        Checksum {
            bytes: self.hasher.count(),
            blake3: self.hasher.finalize().to_hex().to_string(),
        }
    }

    /// Writes a line behind the finished ones, over whatever a killed writer may have left there.
    fn append(&mut self, path: &Path, line: &str) -> Result<()> {
        let mut file = File::options()
            .write(true)
            .open(path)
            .map_err(Error::io(path))?;
        let end = self.hasher.count();
        let written = file
            .set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .and_then(|_| file.write_all(line.as_bytes()))
            .and_then(|()| file.sync_data());
        written.map_err(Error::io(path))?;
        self.hasher.update(line.as_bytes());
        Ok(())
    }
}

/// What a finished commit leaves.
#[derive(Debug)]
pub(super) struct Done {
    pub manifest: RunManifest,
    pub log: Log,
    pub record: WindowRecord,
}

/// A commit under way.
#[derive(Debug)]
pub(super) struct Commit {
    thread: JoinHandle<Result<Done>>,
    version: Version,
}

impl Commit {
    pub fn begin(
        folder: PathBuf,
        manifest: RunManifest,
        log: Log,
        record: WindowRecord,
        bundle: Bundle,
        predictions: Option<WindowTable>,
    ) -> Self {
        let version = bundle.version.clone();
        let work = move || {
            store(
                &folder,
                manifest,
                log,
                record,
                &bundle,
                predictions.as_ref(),
            )
        };
        Self {
            thread: std::thread::spawn(work),
            version,
        }
    }

    pub fn number(&self) -> usize {
        self.version.number
    }

    pub fn version(&self) -> &Version {
        &self.version
    }

    pub fn finish(self) -> Result<Done> {
        let panicked = |_| Error::NotSupported {
            what: "a window".into(),
            how: "stored: its writer panicked".into(),
        };
        self.thread.join().map_err(panicked)?
    }
}

fn store(
    folder: &Path,
    mut manifest: RunManifest,
    mut log: Log,
    mut record: WindowRecord,
    bundle: &Bundle,
    predictions: Option<&WindowTable>,
) -> Result<Done> {
    let mut write = |name: String, bytes: &[u8]| -> Result<()> {
        write_whole(&folder.join(&name), bytes)?;
        record.files.insert(name, Checksum::of(bytes));
        Ok(())
    };
    write(checkpoint_name(bundle.number()), &bundle.to_bytes()?)?;
    if let Some(table) = predictions {
        write(predictions_name(bundle.number()), &table.to_csv())?;
    }
    log.append(&folder.join(WINDOWS), &line(&record))?;
    manifest.files.insert(WINDOWS.into(), log.sum());
    write_manifest(folder, &mut manifest)?;
    Ok(Done {
        manifest,
        log,
        record,
    })
}

/// A record as it stands in `windows.jsonl`.
pub(super) fn line(record: &WindowRecord) -> String {
    serde_json::to_string(record).expect("a record has string keys only") + "\n"
}

pub(super) fn write_manifest(folder: &Path, manifest: &mut RunManifest) -> Result<()> {
    manifest.driftline = env!("CARGO_PKG_VERSION").into();
    write_whole(&folder.join(MANIFEST), &manifest.to_bytes())
}
