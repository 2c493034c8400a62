//! `manifest.json` of a fleet: what its runs have in common. How far each has come stands in the packs.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::adapt::SourceModel;
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_runs::{Origin, RunManifest, RunSettings, differences_between};

/// The format that this version writes.
pub const FLEET_FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FleetManifest {
    /// Always `fleet`.
    pub kind: String,
    pub format: u32,
    /// The version that wrote it last.
    pub driftline: String,
    /// The column that tells the streams apart; without one every file is a stream.
    pub by: Option<String>,
    pub source_model: SourceModel,
    pub settings: RunSettings,
    /// Where the shared source model comes from; absent where every stream has its own.
    pub origin: Option<Origin>,
    /// How many streams the data had.
    pub streams: usize,
    pub environment: BTreeMap<String, String>,
    pub command: Vec<String>,
}

impl FleetManifest {
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("manifest.json");
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        if let Some(kind) = RunManifest::kind_of(folder).filter(|kind| kind != "fleet") {
            let message = format!("is the manifest of a folder of kind `{kind}`, not of a fleet");
            return Err(Error::corrupt(&path, message));
        }
        let broken = |error: serde_json::Error| {
            Error::corrupt(&path, format!("is not the manifest of a fleet: {error}"))
        };
        let value: serde_json::Value = serde_json::from_str(&text).map_err(broken)?;
        let format = &value["format"];
        if format.as_u64() > Some(u64::from(FLEET_FORMAT)) {
            let message = format!(
                "was made by a newer version of driftline: it has format {format}, and this version reads formats up to {FLEET_FORMAT}"
            );
            return Err(Error::corrupt(&path, message));
        }
        serde_json::from_value(value).map_err(broken)
    }

    /// In what the two are different fleets; numbers and commands may change.
    pub(crate) fn differences(&self, old: &Self) -> Vec<String> {
        let comparable = |one: &Self| {
            json!({
                "by": one.by, "source-model": one.source_model, "settings": one.settings, "origin": one.origin,
            })
        };
        let mut others = vec![];
        differences_between("", &comparable(old), &comparable(self), &mut others);
        others
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest has string keys only");
        text.push('\n');
        write_whole(&folder.join("manifest.json"), text.as_bytes())
    }
}

/// Whether a folder holds a fleet.
pub fn is_fleet(folder: &Path) -> bool {
    RunManifest::kind_of(folder).is_some_and(|kind| kind == "fleet")
}
