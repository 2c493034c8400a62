//! Training that was done before. A learner is a pure function of its settings, the seed, the model it starts from and
//! the examples, so what it made is kept under a hash of these: a long trial that was interrupted goes on at its last
//! step, and experiments that begin alike (Table 5's baselines are the first 7 of Table 1's 21 rounds) share the work.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_models::{AnyModel, Arrays, ModelKinds, Stored, write_arrays};

const FORMAT: u32 = 1;

/// Multiply-adds from which on a training is worth a file: about ten seconds of one core. Short trainings are never
/// kept, so that what is timed is what is computed.
const WORTH_KEEPING: f64 = 5e11;

/// How many bytes are kept, the newest first: room for 3,000 trainings of the paper's network.
const ROOM: u64 = 2 << 30;

/// A folder of finished trainings. Deleting it costs nothing but time.
#[derive(Debug)]
pub struct Memo {
    folder: PathBuf,
    worth_keeping: f64,
    recalled: AtomicBool,
}

impl Memo {
    /// Keeps trainings in `folder`, which is made when there is something to keep; the oldest beyond two gigabytes are
    /// deleted now.
    pub fn open(folder: PathBuf) -> Result<Self> {
        if folder.exists() {
            make_room(&folder, ROOM)?;
        }
        Ok(Self {
            folder,
            worth_keeping: WORTH_KEEPING,
            recalled: AtomicBool::new(false),
        })
    }

    /// Also keeps trainings of so few multiply-adds.
    pub fn from_work(mut self, multiply_adds: f64) -> Self {
        self.worth_keeping = multiply_adds;
        self
    }

    /// The same folder, watched anew.
    pub(super) fn for_one_trial(&self) -> Self {
        Self {
            folder: self.folder.clone(),
            worth_keeping: self.worth_keeping,
            recalled: AtomicBool::new(false),
        }
    }

    /// Whether anything was found here instead of computed.
    pub(super) fn has_recalled(&self) -> bool {
        self.recalled.load(Ordering::Relaxed)
    }

    pub(super) fn is_worth(&self, multiply_adds: f64) -> bool {
        multiply_adds >= self.worth_keeping
    }

    /// What was kept under this name. A file that cannot be read is as good as none: it will be replaced.
    pub(super) fn find(&self, name: &str) -> Option<AnyModel> {
        let bytes = std::fs::read(self.folder.join(name)).ok()?;
        let (Header { model, .. }, mut values) = Arrays::open::<Header>(&bytes, FORMAT).ok()?;
        let model = ModelKinds::default().restore(&model, &mut values).ok()?;
        values.finish().ok()?;
        self.recalled.store(true, Ordering::Relaxed);
        Some(model)
    }

    pub(super) fn keep(&self, name: &str, model: &AnyModel) -> Result<()> {
        std::fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        write_whole(&self.folder.join(name), &to_bytes(model)?)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    model: Value,
}

/// A model as a file.
pub(super) fn to_bytes(model: &AnyModel) -> Result<Vec<u8>> {
    let Stored {
        description,
        arrays,
    } = model.store()?;
    let header = Header {
        format: FORMAT,
        model: serde_json::json!({ model.kind(): description }),
    };
    Ok(write_arrays(&header, &arrays))
}

/// Deletes the oldest files until the others fit.
fn make_room(folder: &Path, room: u64) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let about = entry.metadata().ok().filter(|about| about.is_file())?;
            Some((about.modified().ok()?, about.len(), entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let mut taken = 0;
    for (_, size, path) in files {
        taken += size;
        if taken > room {
            match std::fs::remove_file(&path) {
                // Another process makes room too.
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(&path)(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_files_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = |age: u64| folder.path().join(age.to_string());
        for age in [3, 1, 2] {
            let file = std::fs::File::create(path(age)).unwrap();
            file.set_len(10).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1000 - age);
            file.set_modified(time).unwrap();
        }
        make_room(folder.path(), 20).unwrap();
        assert_eq!([1, 2, 3].map(|age| path(age).exists()), [true, true, false]);
    }
}
