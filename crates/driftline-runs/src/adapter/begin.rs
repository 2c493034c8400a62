//! From a source to the adapter that stands before its first window, or where the run in its folder has come to.

use std::path::Path;

use super::{Adapter, AdapterBuilder, Kept, Store};
use crate::asked::AskedRows;
use crate::file_run::{FileRun, is_run};
use crate::fit::{Fit, Prepared};
use crate::folder::{FROM_ARRAYS, Origin, RUN_FORMAT, RunFolder, RunManifest};
use crate::model_file::ModelFile;
use crate::session::Session;
use crate::settings::RunSettings;
use driftline_core::data::LabeledDomain;
use driftline_core::{Error, Result};
use driftline_io::{InputDigest, TableSource, blake3};

impl AdapterBuilder {
    pub(super) fn fit_rows(self, source: &dyn TableSource, label: &str) -> Result<Adapter> {
        let fit = Fit {
            groups: self.groups.clone(),
            weights: self.weights.clone(),
            ..self.adapt.fit(label.into())
        };
        let source = fit.read(source)?;
        if let Some(run) = self.found(&source.digests)? {
            return Adapter::resumed(
                run,
                Some(source.domain),
                self.adapt.registry,
                self.adapt.runtime,
            );
        }
        let mut model_file = fit.train(&source)?;
        model_file.estimator = self.estimator.clone();
        let Prepared {
            domain, digests, ..
        } = source;
        self.begin(model_file, Some(domain), digests)
    }

    pub(super) fn begin(
        self,
        model_file: ModelFile,
        rows: Option<LabeledDomain>,
        digests: Vec<InputDigest>,
    ) -> Result<Adapter> {
        let settings = self.adapt.run_settings();
        let FileRun {
            folder,
            registry,
            runtime,
            ..
        } = &self.adapt;
        let session = Session::new(model_file, rows.clone(), &settings, registry, runtime)?;
        let source = session.source().clone();
        let store = match self.in_folder {
            false => Store::Memory(vec![source]),
            true => {
                let identity = self.identity(&settings, &digests)?;
                let manifest = of_arrays(identity, &settings, digests, source.classes());
                let claim = RunFolder::claim(folder, false)?;
                Store::Folder(Box::new(claim.begin(manifest, &source, registry)?))
            }
        };
        Ok(Adapter {
            session,
            settings,
            kept: Kept {
                records: vec![],
                store,
                reader: None,
                asked: AskedRows::default(),
            },
            runtime: self.adapt.runtime,
            registry: self.adapt.registry,
            rows,
            found: false,
        })
    }

    /// What the run is known by before its stream: the same source with the same settings.
    fn identity(&self, settings: &RunSettings, source: &[InputDigest]) -> Result<String> {
        let plan = settings.resolve(&self.adapt.registry)?;
        let hashes: Vec<&String> = source.iter().map(|digest| &digest.blake3).collect();
        let mut identity =
            serde_json::json!([RUN_FORMAT, plan.settings(), self.adapt.seed, hashes]);
        if let (Some(weights), Some(parts)) = (&self.weights, identity.as_array_mut()) {
            parts.push(serde_json::json!(weights));
        }
        Ok(blake3(identity.to_string().as_bytes())[..16].to_owned())
    }

    /// This very run, if the folder holds it; another run is refused.
    fn found(&self, source: &[InputDigest]) -> Result<Option<RunFolder>> {
        let folder = &self.adapt.folder;
        if !self.in_folder || !is_run(folder) {
            return Ok(None);
        }
        let manifest = RunManifest::read(folder)?;
        if manifest.identity != self.identity(&self.adapt.run_settings(), source)? {
            return Err(occupied(folder));
        }
        RunFolder::open_with(folder, &self.adapt.registry).map(Some)
    }
}

/// The manifest of a run whose rows come as arrays.
pub(super) fn of_arrays(
    identity: String,
    settings: &RunSettings,
    source: Vec<InputDigest>,
    classes: &[String],
) -> RunManifest {
    let origin = Origin::Source(source);
    RunManifest {
        detected: FROM_ARRAYS.into(),
        ..RunManifest::new(identity, settings.clone(), origin, classes)
    }
}

fn occupied(folder: &Path) -> Error {
    Error::Occupied {
        path: folder.into(),
        what: "holds another run: of another source, or with other settings".into(),
    }
}
