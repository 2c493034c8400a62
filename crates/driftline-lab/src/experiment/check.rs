//! What an experiment's results must show, decided from the finished trials.

use std::fmt;

use super::spec::CheckSpec;
use super::store::Store;
use super::table::ResultTable;

/// A claim and its outcome on one data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub dataset: String,
    /// The method that it is about and, where there is one, the method that it is measured by.
    pub methods: Vec<String>,
    pub claim: String,
    pub found: String,
    pub verdict: CheckVerdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    Holds,
    Fails,
    /// Some of the trials it speaks of are not finished.
    Open,
}

impl Check {
    /// Decides every check of the experiment.
    pub fn all(store: &Store) -> Vec<Check> {
        let manifest = store.manifest();
        let table = ResultTable::of(store);
        let draws = manifest.data_seeds.iter();
        let planned = draws.flat_map(|draw| manifest.seeds.iter().map(|seed| (*draw, *seed)));
        let planned: Vec<Key> = planned.collect();
        let mut checks = Vec::new();
        for spec in &manifest.checks {
            for dataset in &manifest.datasets {
                if spec
                    .dataset
                    .as_ref()
                    .is_none_or(|name| *name == dataset.name)
                {
                    checks.push(decide(spec, &table, &dataset.name, &planned));
                }
            }
        }
        checks
    }
}

/// Data seed and seed of a trial.
type Key = (u64, u64);

fn decide(spec: &CheckSpec, table: &ResultTable, dataset: &str, planned: &[Key]) -> Check {
    let methods = [Some(&spec.method), spec.above.as_ref()];
    let check = |found, verdict| Check {
        dataset: dataset.into(),
        methods: methods.into_iter().flatten().cloned().collect(),
        claim: describe(spec, dataset),
        found,
        verdict,
    };
    // More seeds than planned may have been run; the claim is about those of the file.
    let complete = |method: &str| -> Option<Vec<f64>> {
        let values = &table.row(dataset, method)?.values;
        let value = |key: &Key| values.iter().find(|(known, _)| known == key);
        planned.iter().map(|key| Some(value(key)?.1)).collect()
    };
    let other = spec.above.as_deref().map(complete);
    let (Some(values), false) = (complete(&spec.method), matches!(other, Some(None))) else {
        return check("not all trials are finished".into(), CheckVerdict::Open);
    };
    let margins = margins(spec, &values, other.flatten().as_deref());
    let (holds, found) = match spec.trials {
        None => {
            let mean = margins.iter().sum::<f64>() / margins.len() as f64;
            let worst = margins.iter().copied().fold(f64::INFINITY, f64::min);
            (
                mean >= 0.0,
                format!("{mean:+.2} points to spare on average, {worst:+.2} at worst"),
            )
        }
        Some(least) => {
            let count = margins.iter().filter(|margin| **margin >= 0.0).count();
            (
                count >= least.get(),
                format!("{count} of {} trials", margins.len()),
            )
        }
    };
    match holds {
        true => check(found, CheckVerdict::Holds),
        false => check(found, CheckVerdict::Fails),
    }
}

/// By how many points each trial satisfies the claim; negative where it does not.
fn margins(spec: &CheckSpec, values: &[f64], others: Option<&[f64]>) -> Vec<f64> {
    // A point in the twelfth digit is rounding, not a difference.
    let rounding = 1e-9;
    let margin = |(at, value): (usize, &f64)| {
        let margin = match (spec.at_least, spec.at_most, others) {
            (Some(least), ..) => value - least,
            (_, Some(most), _) => most - value,
            (_, _, Some(others)) => value - others[at] - spec.by.unwrap_or(0.0),
            (None, None, None) => 0.0,
        };
        margin + rounding
    };
    values.iter().enumerate().map(margin).collect()
}

fn describe(spec: &CheckSpec, dataset: &str) -> String {
    let what = match (spec.at_least, spec.at_most, &spec.above) {
        (Some(least), ..) => format!("at least {least} %"),
        (_, Some(most), _) => format!("at most {most} %"),
        (_, _, Some(other)) => match spec.by {
            Some(by) if by > 0.0 && by < 0.001 => format!("above {other}"),
            Some(by) if by > 0.0 => format!("at least {by} points above {other}"),
            Some(by) if by < 0.0 => format!("at most {} points below {other}", -by),
            _ => format!("not below {other}"),
        },
        _ => "anything".into(),
    };
    let trials = spec.trials.map_or(" on average".into(), |trials| {
        format!(" in at least {trials} trials")
    });
    format!("{}, {dataset}: {what}{trials}", spec.method)
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            CheckVerdict::Holds => "holds",
            CheckVerdict::Fails => "FAILS",
            CheckVerdict::Open => "open",
        };
        write!(f, "{verdict}: {} ({})", self.claim, self.found)
    }
}
