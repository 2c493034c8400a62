//! Where the numbers come from and how to get them again.

use std::collections::BTreeSet;

use driftline_lab::experiment::{Scale, Store};

use super::manifest::planned;
use crate::numbers::ranges;

/// Names and values.
pub fn facts(store: &Store) -> Vec<(String, String)> {
    let manifest = store.manifest();
    let list = |values: BTreeSet<String>, planned: &str| match values.len() {
        0 => planned.to_owned(),
        _ => values.into_iter().collect::<Vec<_>>().join(", "),
    };
    let versions = store.trials().map(|trial| trial.version.clone()).collect();
    let engines = store.trials().map(|trial| trial.engine.to_string());
    let engines = list(engines.collect(), &manifest.engine.to_string());
    let table = manifest.table.clone().unwrap_or("none".into());
    let scale = match manifest.scale {
        Scale::Full => "full",
        Scale::Smoke => "smoke: a tenth of the data, two epochs; not a result",
    };
    let (finished, planned) = (store.trials().count(), planned(manifest));
    let mut facts = vec![
        ("Experiment", manifest.name.clone()),
        ("Table of the paper", table),
        ("Scale", scale.into()),
        ("Trials", format!("{finished} of {planned} finished")),
        ("Training seeds", ranges(&manifest.seeds)),
        ("Data seeds", ranges(&manifest.data_seeds)),
    ];
    let (found, data) = found_seeds(store);
    if found != sorted(&manifest.seeds) && !found.is_empty() {
        facts.push(("Training seeds found", ranges(&found)));
    }
    if data != sorted(&manifest.data_seeds) && !data.is_empty() {
        facts.push(("Data seeds found", ranges(&data)));
    }
    facts.extend([
        ("driftline", list(versions, &manifest.version)),
        ("Engine revision", engines),
        ("Experiment", manifest.plan.clone()),
    ]);
    // Only trials whose roundings depend on it record it.
    let isas = store.trials().filter_map(|trial| trial.isa);
    let isas: BTreeSet<String> = isas.map(|isa| isa.to_string()).collect();
    if !isas.is_empty() {
        facts.push(("Instruction set", list(isas, "")));
    }
    let facts = facts.into_iter();
    facts.map(|(name, value)| (name.into(), value)).collect()
}

/// The command that makes the same trials.
pub fn command(store: &Store) -> String {
    let manifest = store.manifest();
    // Those about trust have a folder of their own.
    let name = &manifest.name;
    let folder = if name.starts_with("trust-") {
        "trust/"
    } else {
        ""
    };
    let mut command = format!("driftline run experiments/{folder}{name}.toml");
    if manifest.scale == Scale::Smoke {
        command += " --scale smoke";
    }
    let (found, _) = found_seeds(store);
    if !found.is_empty() && found != sorted(&manifest.seeds) {
        let seeds: Vec<String> = found.iter().map(u64::to_string).collect();
        command += &format!(" --seeds {}", seeds.join(","));
    }
    command
}

fn found_seeds(store: &Store) -> (Vec<u64>, Vec<u64>) {
    let seeds: BTreeSet<u64> = store.trials().map(|trial| trial.seed).collect();
    let data: BTreeSet<u64> = store.trials().map(|trial| trial.data_seed).collect();
    (seeds.into_iter().collect(), data.into_iter().collect())
}

fn sorted(seeds: &[u64]) -> Vec<u64> {
    let seeds: BTreeSet<u64> = seeds.iter().copied().collect();
    seeds.into_iter().collect()
}
