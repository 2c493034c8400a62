//! The folder of a run: `manifest.json`, `windows.jsonl`, a checkpoint and predictions per window, and a report. A window
//! is written file by file and counts once the manifest that names it has been renamed into place.

mod check;
mod lock;
mod manifest;

use std::fs;
use std::path::{Path, PathBuf};

pub use check::FileState;
pub use manifest::{Checksum, Manifest, Origin, RUN_FORMAT, StepInput};

use self::lock::Lock;
use super::bundle::Bundle;
use super::summary::Summary;
use super::window::WindowRecord;
use crate::files::write_whole;
use crate::{Error, Result};

/// An open folder.
#[derive(Debug)]
pub struct RunFolder {
    folder: PathBuf,
    pub(super) manifest: Manifest,
    records: Vec<WindowRecord>,
    /// The finished lines of `windows.jsonl`.
    lines: String,
    /// Held for as long as the folder may be written to.
    lock: Option<Lock>,
}

const MANIFEST: &str = "manifest.json";
const WINDOWS: &str = "windows.jsonl";
const REPORT: &str = "report.html";
const FOLDERS: [&str; 2] = ["checkpoints", "predictions"];

/// The place of a version's model in its folder; 0 is the source model.
pub fn checkpoint_name(version: usize) -> String {
    format!("checkpoints/window-{version:04}.safetensors")
}

pub fn predictions_name(window: usize) -> String {
    format!("predictions/window-{window:04}.csv")
}

impl RunFolder {
    /// Reads `folder` without the right to write to it.
    pub fn read(folder: &Path) -> Result<Self> {
        let manifest = Manifest::read(folder)?;
        let mut run = Self {
            folder: folder.into(),
            manifest,
            records: vec![],
            lines: String::new(),
            lock: None,
        };
        run.lines = run.finished_lines()?;
        for (number, line) in run.lines.lines().enumerate() {
            let record = serde_json::from_str(line).map_err(|error| {
                let message = format!("line {} cannot be read: {error}", number + 1);
                Error::corrupt(run.folder.join(WINDOWS), message)
            })?;
            run.records.push(record);
        }
        if run.records.len() != run.manifest.windows {
            let (found, named) = (run.records.len(), run.manifest.windows);
            let message = format!("has {found} windows, but {MANIFEST} names {named}");
            return Err(Error::corrupt(run.folder.join(WINDOWS), message));
        }
        Ok(run)
    }

    /// Opens an existing run to go on with it. Refuses one that another process is writing to.
    pub fn open(folder: &Path) -> Result<Self> {
        Manifest::read(folder)?;
        let lock = Lock::take(folder)?;
        // Read under the lock: the writer before us may have added windows in the meantime.
        let run = Self::read(folder)?;
        clear_leftovers(folder)?;
        Ok(Self {
            lock: Some(lock),
            ..run
        })
    }

    /// Whether `folder` may be made a run: it is absent, empty, or was begun by a run that never came to its manifest.
    pub fn expect_free(folder: &Path) -> Result<()> {
        if folder.join(MANIFEST).exists() {
            return Err(Error::corrupt(
                folder,
                "holds results already; give another folder, or --force to replace them",
            ));
        }
        let Ok(mut entries) = fs::read_dir(folder) else {
            return match folder.exists() {
                true => Err(Error::corrupt(folder, "is not a folder")),
                false => Ok(()),
            };
        };
        if Lock::is_in(folder) || entries.next().is_none() {
            return Ok(());
        }
        Err(Error::corrupt(
            folder,
            "is not empty and holds no run; give another folder, or --force to write into it",
        ))
    }

    /// Takes `folder` for a new run. With `replace`, an older run in it stays until the new one begins.
    pub fn claim(folder: &Path, replace: bool) -> Result<Claim> {
        if !replace {
            Self::expect_free(folder)?;
        }
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let lock = Lock::take(folder)?;
        if !replace {
            Self::expect_free(folder)?;
        }
        Ok(Claim {
            folder: folder.into(),
            lock,
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// One for each finished window.
    pub fn records(&self) -> &[WindowRecord] {
        &self.records
    }

    /// The outcome in a few numbers; `None` before the first window.
    pub fn summary(&self) -> Result<Option<Summary>> {
        Ok(Summary::of(self, &self.model(Some(0))?.source))
    }

    /// The model of a version, or of the current one. Its checksum is compared.
    pub fn model(&self, version: Option<usize>) -> Result<Bundle> {
        let version = version.unwrap_or(self.manifest.current);
        if version > self.manifest.windows {
            return Err(Error::out_of_range(
                "the version",
                version,
                format!(
                    "from 0 (the source model) to {}, the newest of {}",
                    self.manifest.windows,
                    self.folder.display()
                ),
            ));
        }
        let name = checkpoint_name(version);
        let bytes = self.load(&name)?;
        let bundle = Bundle::from_bytes(&bytes)
            .map_err(|message| Error::corrupt(self.folder.join(&name), message))?;
        match bundle.version == version && bundle.classes() == self.manifest.classes {
            true => Ok(bundle),
            false => Err(Error::corrupt(
                self.folder.join(&name),
                format!("is version {} of some other run", bundle.version),
            )),
        }
    }

    /// Adds a finished window: checkpoint, predictions, record, then the manifest.
    pub fn add_window(
        &mut self,
        record: WindowRecord,
        bundle: &Bundle,
        predictions: Option<&[u8]>,
        step: Option<StepInput>,
    ) -> Result<()> {
        let number = record.window;
        self.write(&checkpoint_name(number), &bundle.to_bytes())?;
        if let Some(bytes) = predictions {
            self.write(&predictions_name(number), bytes)?;
        }
        let mut line = serde_json::to_string(&record).expect("a record has string keys only");
        line.push('\n');
        self.lines += &line;
        let lines = self.lines.clone();
        self.write(WINDOWS, lines.as_bytes())?;
        self.records.push(record);
        self.manifest.windows = number;
        self.manifest.current = number;
        self.manifest.steps.extend(step);
        self.commit()
    }

    /// Makes version `to` the current one. Nothing is deleted.
    pub fn roll_back(&mut self, to: usize) -> Result<()> {
        self.model(Some(to))?;
        self.manifest.current = to;
        self.commit()
    }

    /// Writes the report beside the results.
    pub fn write_report(&mut self, html: &str) -> Result<PathBuf> {
        self.write(REPORT, html.as_bytes())?;
        self.commit()?;
        Ok(self.folder.join(REPORT))
    }

    /// Writes a file and notes its checksum; it counts from the next commit on.
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.expect_lock()?;
        write_whole(&self.folder.join(name), bytes)?;
        let sum = Checksum::of(bytes);
        self.manifest.files.insert(name.into(), sum);
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.expect_lock()?;
        self.manifest.driftline = env!("CARGO_PKG_VERSION").into();
        write_whole(&self.folder.join(MANIFEST), &self.manifest.to_bytes())
    }

    fn expect_lock(&self) -> Result<()> {
        match self.lock {
            Some(_) => Ok(()),
            None => Err(Error::corrupt(&self.folder, "was opened for reading only")),
        }
    }
}

/// A folder taken for a new run that has no manifest yet.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    lock: Lock,
}

impl Claim {
    /// Begins the run: version 0 and the first manifest.
    pub fn begin(self, manifest: Manifest, source: &Bundle) -> Result<RunFolder> {
        remove_run(&self.folder)?;
        clear_leftovers(&self.folder)?;
        for name in FOLDERS {
            let path = self.folder.join(name);
            fs::create_dir_all(&path).map_err(Error::io(&path))?;
        }
        let mut run = RunFolder {
            folder: self.folder,
            manifest,
            records: vec![],
            lines: String::new(),
            lock: Some(self.lock),
        };
        run.write(&checkpoint_name(0), &source.to_bytes())?;
        run.write(WINDOWS, b"")?;
        run.commit()?;
        Ok(run)
    }
}

/// Removes what a killed writer may have left behind: files that were never renamed into place.
fn clear_leftovers(folder: &Path) -> Result<()> {
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
    for name in [MANIFEST, WINDOWS, REPORT] {
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
