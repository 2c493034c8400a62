//! From a source to the adapter that stands before its first window, or where the run in its folder has come to.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Adapter, AdapterBuilder, Store};
use crate::data::LabeledDomain;
use crate::reading::{ColumnChoice, FrameSource, InputDigest, Notes, blake3};
use crate::runs::adapt::is_run;
use crate::runs::fit::{Fit, Prepared};
use crate::runs::folder::{FROM_ARRAYS, Origin, RUN_FORMAT, RunFolder, RunManifest};
use crate::runs::model_file::Bundle;
use crate::runs::session::Session;
use crate::runs::settings::RunSettings;
use crate::{Error, Result};

impl AdapterBuilder {
    pub(super) fn fit_rows(self, source: &dyn FrameSource, label: &str) -> Result<Adapter> {
        let mut fit = Fit::new(label);
        fit.choice = ColumnChoice {
            label: fit.choice.label.take(),
            ..self.choice.clone()
        };
        fit.settings = self.settings.clone();
        fit.seed = self.seed;
        fit.card = self.card;
        fit.runtime = self.runtime.clone();
        fit.registry = self.registry.clone();
        let source = fit.read(source)?;
        if let Some(run) = self.found(&source.digests)? {
            return self.go_on(run, source.domain);
        }
        let bundle = fit.train(&source)?;
        let Prepared {
            domain, digests, ..
        } = source;
        self.begin(bundle, Some(domain), digests)
    }

    pub(super) fn begin(
        self,
        bundle: Bundle,
        rows: Option<LabeledDomain>,
        digests: Vec<InputDigest>,
    ) -> Result<Adapter> {
        let settings = self.run_settings();
        let runtime = &self.runtime;
        let session = Session::new(bundle, rows.clone(), &settings, &self.registry, runtime)?;
        let source = session.source().clone();
        let store = match &self.folder {
            None => Store::Memory(vec![source]),
            Some(folder) => {
                let manifest = self.manifest(&settings, digests, source.classes())?;
                let claim = RunFolder::claim(folder, false)?;
                Store::Folder(Box::new(claim.begin(manifest, &source, &self.registry)?))
            }
        };
        Ok(Adapter {
            session,
            settings,
            records: vec![],
            store,
            runtime: self.runtime,
            registry: self.registry,
            rows,
            found: false,
        })
    }

    fn run_settings(&self) -> RunSettings {
        let method = self.settings.clone().or_for_own_data();
        RunSettings::new(self.seed, self.choice.clone(), method)
    }

    /// What the run is known by before its stream: the same source with the same settings.
    fn identity(&self, settings: &RunSettings, source: &[InputDigest]) -> Result<String> {
        let plan = settings.resolve(&self.registry)?;
        let hashes: Vec<&String> = source.iter().map(|digest| &digest.blake3).collect();
        let identity = serde_json::json!([RUN_FORMAT, plan.settings(), self.seed, hashes]);
        Ok(blake3(identity.to_string().as_bytes())[..16].to_owned())
    }

    fn manifest(
        &self,
        settings: &RunSettings,
        source: Vec<InputDigest>,
        classes: &[String],
    ) -> Result<RunManifest> {
        Ok(RunManifest {
            kind: "run".into(),
            format: RUN_FORMAT,
            driftline: String::new(),
            identity: self.identity(settings, &source)?,
            settings: settings.clone(),
            origin: Origin::Source(source),
            stream: vec![],
            detected: FROM_ARRAYS.into(),
            notes: Notes::new(),
            classes: classes.to_vec(),
            planned: 0,
            windows: 0,
            current: 0,
            environment: BTreeMap::new(),
            command: vec![],
            files: BTreeMap::new(),
        })
    }

    /// This very run, if the folder holds it; another run is refused.
    fn found(&self, source: &[InputDigest]) -> Result<Option<RunFolder>> {
        let run = |folder: &&std::path::PathBuf| is_run(folder);
        let Some(folder) = self.folder.as_ref().filter(run) else {
            return Ok(None);
        };
        let manifest = RunManifest::read(folder)?;
        if manifest.identity != self.identity(&self.run_settings(), source)? {
            return Err(occupied(folder));
        }
        RunFolder::open_with(folder, &self.registry).map(Some)
    }

    fn go_on(self, run: RunFolder, rows: LabeledDomain) -> Result<Adapter> {
        let settings = run.manifest().settings.clone();
        let (source, stopped) = (run.model(Some(0))?, run.stopped()?);
        let (registry, runtime) = (&self.registry, &self.runtime);
        let known = Some(rows.clone());
        let session = Session::resumed(source, known, &settings, registry, runtime, stopped, None)?;
        Ok(Adapter {
            session,
            settings,
            records: run.records().to_vec(),
            store: Store::Folder(Box::new(run)),
            runtime: self.runtime,
            registry: self.registry,
            rows: Some(rows),
            found: true,
        })
    }
}

fn occupied(folder: &Path) -> Error {
    Error::Occupied {
        path: folder.into(),
        what: "holds another run: of another source, or with other settings".into(),
    }
}
