//! `manifest.json`: what a run is, how far it has come, and a checksum of every file. It is renamed into place last, so
//! that whatever it names is whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::digest::{InputDigest, blake3};
use super::super::settings::AdaptSettings;
use crate::reading::Notes;
use crate::{Error, Result};

/// The format that this version writes; it reads this one and older ones.
pub const RUN_FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `run`: tells these folders from those of experiments.
    pub kind: String,
    pub format: u32,
    /// The version that wrote it last.
    pub driftline: String,
    /// The hash of everything that determines the results of `adapt`: settings and data.
    pub identity: String,
    pub settings: AdaptSettings,
    /// How the source model came about: `source` files that were fitted, or a `model` file.
    pub origin: Origin,
    /// The files of the stream.
    pub stream: Vec<InputDigest>,
    /// What was detected about them.
    pub stated: String,
    /// Notes on the stream as a whole.
    pub notes: Notes,
    pub classes: Vec<String>,
    /// Windows that the stream has; more may follow by `step`.
    pub planned: usize,
    /// Windows finished.
    pub windows: usize,
    /// The version in use.
    pub current: usize,
    /// Windows that were added one by one.
    pub steps: Vec<StepInput>,
    /// Machine and versions, as the program tells them.
    pub environment: BTreeMap<String, String>,
    /// The command that began the run.
    pub command: Vec<String>,
    /// Size and hash of every file; of `windows.jsonl`, of as much as is finished.
    pub files: BTreeMap<String, Checksum>,
}

/// Where version 0 comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Source(Vec<InputDigest>),
    Model(Vec<InputDigest>),
}

/// A window that `step` added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepInput {
    pub window: usize,
    pub inputs: Vec<InputDigest>,
}

/// What a file must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    pub bytes: u64,
    pub blake3: String,
}

impl Checksum {
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u64,
            blake3: blake3(bytes),
        }
    }
}

/// What can be said of any folder of ours, however new.
#[derive(Deserialize)]
struct Kind {
    kind: String,
    #[serde(default)]
    format: u32,
}

impl Manifest {
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("manifest.json");
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let broken = |error: serde_json::Error| {
            Error::corrupt(&path, format!("is not the manifest of a run: {error}"))
        };
        let kind: Kind = serde_json::from_str(&text).map_err(broken)?;
        if kind.kind != "run" {
            return Err(Error::corrupt(
                &path,
                format!(
                    "is the manifest of a folder of kind `{}`, not of a run",
                    kind.kind
                ),
            ));
        }
        if kind.format > RUN_FORMAT {
            return Err(Error::corrupt(
                &path,
                format!(
                    "was made by a newer version of driftline: it has format {}, and this version reads formats up to {RUN_FORMAT}",
                    kind.format
                ),
            ));
        }
        let manifest: Manifest = serde_json::from_str(&text).map_err(broken)?;
        let consistent = manifest.current <= manifest.windows && manifest.classes.len() >= 2;
        match consistent {
            true => Ok(manifest),
            false => Err(Error::corrupt(
                &path,
                format!(
                    "names version {} as current, but only {} windows are finished",
                    manifest.current, manifest.windows
                ),
            )),
        }
    }

    /// The kind of folder, if `folder` is one of ours.
    pub fn kind_of(folder: &Path) -> Option<String> {
        let text = std::fs::read_to_string(folder.join("manifest.json")).ok()?;
        serde_json::from_str::<Kind>(&text)
            .ok()
            .map(|kind| kind.kind)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest has string keys only");
        text.push('\n');
        text.into_bytes()
    }

    /// Where files with exactly these contents have been seen, if all of them have: the latest window that `step` added,
    /// or 0 for the stream.
    pub fn window_of(&self, inputs: &[InputDigest]) -> Option<usize> {
        let has = |all: &[InputDigest], input: &InputDigest| {
            all.iter().any(|known| known.blake3 == input.blake3)
        };
        let seen = |input: &InputDigest| {
            let step = self.steps.iter().rfind(|step| has(&step.inputs, input));
            step.map(|step| step.window)
                .or_else(|| has(&self.stream, input).then_some(0))
        };
        let windows = inputs.iter().map(seen).collect::<Option<Vec<usize>>>();
        windows?.into_iter().max()
    }
}
