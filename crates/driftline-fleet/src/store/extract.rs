//! A run of a fleet written out as a folder of its own: what `adapt` alone would have left there, so that every command
//! for runs can be used on it.

use std::path::Path;

use super::stored::{LINES, MANIFEST};
use super::{FleetFolder, StoredRun};
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_runs::{ASKED, ModelFile, RunFolder, asked_csv, checkpoint_name};

impl FleetFolder {
    /// Writes the run of a stream to `folder`, which must be free.
    pub fn extract(&self, key: &str, folder: &Path) -> Result<RunFolder> {
        RunFolder::expect_free(folder)?;
        let StoredRun {
            manifest,
            lines,
            source,
            files,
            ..
        } = self.run(key)?;
        for name in ["checkpoints", "predictions", "chains"] {
            let own = files.keys().any(|file| file.starts_with(name));
            if own || name != "chains" {
                let path = folder.join(name);
                std::fs::create_dir_all(&path).map_err(Error::io(&path))?;
            }
        }
        let first = checkpoint_name(0);
        if !files.contains_key(&first) {
            write_whole(&folder.join(&first), &source.to_bytes()?)?;
        }
        for (name, bytes) in &files {
            write_whole(&folder.join(name), bytes)?;
        }
        write_whole(&folder.join(LINES), &lines)?;
        // Last, so that whatever it names is there.
        write_whole(&folder.join(MANIFEST), &manifest.to_bytes())?;
        let run = RunFolder::read_with(folder, self.registry())?;
        let asked = run.asked()?;
        if !asked.is_empty() {
            let path = folder.join(ASKED);
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(Error::io(parent))?;
            write_whole(&path, &asked_csv(asked.lines()))?;
        }
        Ok(run)
    }

    /// The model that a stream has in use.
    pub fn model(&self, key: &str) -> Result<ModelFile> {
        self.run(key)?.model(self, None)
    }
}
