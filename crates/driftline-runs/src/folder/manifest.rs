//! `manifest.json`: what a run is, and how far it has come. It is renamed into place last, so that whatever it names is
//! whole. Its size does not grow with the run: what belongs to one window stands in that window's line.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::record::Checksum;
use super::super::settings::{RunSettings, RunSettingsV1};
use driftline_core::{Error, Result};
use driftline_io::{InputDigest, Notes};

/// The format that this version writes; it reads this one and older ones.
pub const RUN_FORMAT: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    /// Always `run`: tells these folders from those of experiments.
    pub kind: String,
    pub format: u32,
    /// The version that wrote it last.
    pub driftline: String,
    /// The hash of everything that determines the results of `adapt`: settings and data.
    pub identity: String,
    pub settings: RunSettings,
    /// How the source model came about: a labelled `source` that was fitted, or a `model` file.
    pub origin: Origin,
    /// What the stream is known by.
    pub stream: Vec<InputDigest>,
    /// What was detected about it.
    #[serde(rename = "stated")]
    pub detected: String,
    /// Notes on the stream as a whole.
    pub notes: Notes,
    pub classes: Vec<String>,
    /// Windows that the stream has; more may follow by `step`.
    pub planned: usize,
    /// Windows finished.
    pub windows: usize,
    /// The version in use.
    pub current: usize,
    /// Machine and versions, as the program tells them.
    pub environment: BTreeMap<String, String>,
    /// The command that began the run.
    pub command: Vec<String>,
    /// Size and hash of the files that belong to no window; of `windows.jsonl`, of as much as is finished.
    pub files: BTreeMap<String, Checksum>,
}

/// What is said of a stream that came as arrays.
pub(crate) const FROM_ARRAYS: &str = "arrays in memory";

impl RunManifest {
    /// Of a run before its first window, of whose stream nothing is known yet.
    pub fn new(
        identity: String,
        settings: RunSettings,
        origin: Origin,
        classes: &[String],
    ) -> Self {
        Self {
            kind: "run".into(),
            format: RUN_FORMAT,
            driftline: env!("CARGO_PKG_VERSION").into(),
            identity,
            settings,
            origin,
            stream: vec![],
            detected: String::new(),
            notes: Notes::new(),
            classes: classes.to_vec(),
            planned: 0,
            windows: 0,
            current: 0,
            environment: BTreeMap::new(),
            command: vec![],
            files: BTreeMap::new(),
        }
    }

    /// Whether source and stream came as arrays: they are then known by what they hold, not by the bytes of a file.
    pub(crate) fn is_from_arrays(&self) -> bool {
        self.detected == FROM_ARRAYS
    }
}

/// Where version 0 comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Source(Vec<InputDigest>),
    Model(Vec<InputDigest>),
}

/// A window that `step` added, as manifests of format 1 name it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct StepV1 {
    pub window: usize,
    pub inputs: Vec<InputDigest>,
}

/// What can be said of any folder of ours, however new.
#[derive(Deserialize)]
struct Kind {
    kind: String,
    #[serde(default)]
    format: u32,
}

impl RunManifest {
    pub fn read(folder: &Path) -> Result<Self> {
        Self::read_with_steps(folder).map(|(manifest, _)| manifest)
    }

    /// The manifest, and what format 1 says in it of windows that came by themselves.
    pub(super) fn read_with_steps(folder: &Path) -> Result<(Self, Vec<StepV1>)> {
        let path = folder.join("manifest.json");
        if folder.is_file() {
            let message = "is a file, but the folder of a run is needed";
            return Err(Error::corrupt(folder, message));
        }
        if !folder.exists() {
            let message = "there is no such folder, and the folder of a run is needed";
            return Err(Error::corrupt(folder, message));
        }
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let broken = |error: serde_json::Error| {
            Error::corrupt(&path, format!("is not the manifest of a run: {error}"))
        };
        let kind: Kind = serde_json::from_str(&text).map_err(broken)?;
        if kind.kind != "run" {
            let message = format!(
                "is the manifest of a folder of kind `{}`, not of a run",
                kind.kind
            );
            return Err(Error::corrupt(&path, message));
        }
        if kind.format > RUN_FORMAT {
            let message = format!(
                "was made by a newer version of driftline: it has format {}, and this version reads formats up to {RUN_FORMAT}",
                kind.format
            );
            return Err(Error::corrupt(&path, message));
        }
        let mut steps = vec![];
        let mut value: Value = serde_json::from_str(&text).map_err(broken)?;
        if kind.format == 1 {
            let take = |value: &mut Value, key: &str| value[key].take();
            steps = serde_json::from_value(take(&mut value, "steps")).map_err(broken)?;
            let settings = take(&mut value, "settings");
            let settings: RunSettingsV1 = serde_json::from_value(settings).map_err(broken)?;
            value["settings"] = serde_json::json!(RunSettings::from(settings));
        }
        let manifest: RunManifest = serde_json::from_value(value).map_err(broken)?;
        let consistent = manifest.current <= manifest.windows && manifest.classes.len() >= 2;
        match consistent {
            true => Ok((manifest, steps)),
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

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest has string keys only");
        text.push('\n');
        text.into_bytes()
    }
}
