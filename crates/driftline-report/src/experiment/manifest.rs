//! What a manifest says about the whole experiment.

use driftline_lab::experiment::ExperimentManifest;

/// How many trials the whole experiment has.
pub fn planned(manifest: &ExperimentManifest) -> usize {
    let cells = manifest.datasets.len() * manifest.methods.len();
    cells * manifest.seeds.len() * manifest.data_seeds.len()
}

/// Whether a method leaves the source model as it is.
pub fn is_baseline(manifest: &ExperimentManifest, method: &str) -> bool {
    let found = manifest.methods.iter().find(|named| named.name == method);
    found.is_some_and(|named| {
        let curriculum = named.settings.get("curriculum");
        curriculum.is_some_and(|curriculum| curriculum == "source-only")
    })
}
