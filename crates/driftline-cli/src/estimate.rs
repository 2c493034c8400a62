//! How long trials take: by the times of finished trials of the same kind in earlier runs; where there are none, by the work
//! that the settings promise. Earlier runs may have had another machine, or this one busy, so all of it is corrected by what
//! the trials of this run took against what was foretold.

use std::collections::HashMap;
use std::path::Path;

use driftline_lab::experiment::{Experiment, TrialKey};
use serde::{Deserialize, Serialize};

/// One line of `timings.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    pub id: String,
    pub dataset: String,
    pub method: String,
    pub data_seed: u64,
    pub seed: u64,
    pub seconds: f64,
    /// Trials at the same time, and threads of each.
    pub jobs: usize,
    #[serde(default = "one")]
    pub threads: usize,
    /// Whether steps kept from before were taken up, so that the whole trial would have taken longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recalled: bool,
}

fn one() -> usize {
    1
}

/// The times of those trials of a folder that were run from the beginning; lines that cannot be read are passed over, since
/// nothing but estimates hangs on them.
pub fn timings(folder: &Path) -> Vec<Timing> {
    let text = std::fs::read_to_string(path(folder)).unwrap_or_default();
    let timings = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    timings.filter(|timing: &Timing| !timing.recalled).collect()
}

pub fn path(folder: &Path) -> std::path::PathBuf {
    folder.join("timings.jsonl")
}

/// What has been timed so far.
#[derive(Debug, Default)]
pub struct Estimate {
    kinds: HashMap<Kind, Spent>,
    /// Of networks, and of other models.
    paces: [Pace; 2],
}

/// Trials that differ in their seeds alone.
type Kind = (String, String, String);

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    seconds: f64,
    trials: usize,
}

/// How fast one sort of model is trained.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    /// Seconds of one core in earlier runs, for this many multiply-adds.
    seconds: f64,
    work: f64,
    /// Seconds of one core in this run, for trials that were foretold to take this many.
    taken: f64,
    foretold: f64,
}

/// Multiply-adds per second of an ordinary core, in networks and elsewhere: a guess that the first finished trial corrects.
const SPEEDS: [f64; 2] = [3e10, 1e9];

/// For a method that cannot tell its work.
const UNKNOWN: f64 = 60.0;

impl Estimate {
    /// Takes in the times of earlier runs.
    pub fn read(&mut self, plan: &Experiment, folder: &Path) {
        for timing in timings(folder) {
            let dataset = plan.datasets.iter().position(|d| d.name == timing.dataset);
            let method = plan.methods.iter().position(|m| m.name == timing.method);
            if let (Some(dataset), Some(method)) = (dataset, method) {
                let key = TrialKey {
                    dataset,
                    method,
                    data_seed: timing.data_seed,
                    seed: timing.seed,
                };
                self.read_one(plan, &key, timing.seconds * timing.threads as f64);
            }
        }
    }

    fn read_one(&mut self, plan: &Experiment, key: &TrialKey, seconds: f64) {
        let spent = self.kinds.entry(kind(plan, key)).or_default();
        spent.seconds += seconds;
        spent.trials += 1;
        if let Some(work) = plan.work(key) {
            let pace = &mut self.paces[sort(plan, key)];
            pace.seconds += seconds;
            pace.work += work;
        }
    }

    /// A trial of this run took this many seconds of one core.
    pub fn learn(&mut self, plan: &Experiment, key: &TrialKey, seconds: f64) {
        let foretold = self.foretell(plan, key);
        let pace = &mut self.paces[sort(plan, key)];
        pace.taken += seconds;
        pace.foretold += foretold;
    }

    /// Seconds of one core that a trial will take.
    pub fn seconds(&self, plan: &Experiment, key: &TrialKey) -> f64 {
        let pace = self.paces[sort(plan, key)];
        let known = pace.foretold > 0.0;
        let correction = if known {
            pace.taken / pace.foretold
        } else {
            1.0
        };
        self.foretell(plan, key) * correction
    }

    /// The same by earlier runs alone.
    fn foretell(&self, plan: &Experiment, key: &TrialKey) -> f64 {
        if let Some(spent) = self.kinds.get(&kind(plan, key)) {
            return spent.seconds / spent.trials as f64;
        }
        let sort = sort(plan, key);
        let pace = self.paces[sort];
        let known = pace.work > 0.0;
        let per_unit = if known {
            pace.seconds / pace.work
        } else {
            1.0 / SPEEDS[sort]
        };
        plan.work(key).map_or(UNKNOWN, |work| work * per_unit)
    }
}

/// 0 for a network, 1 for another model.
fn sort(plan: &Experiment, key: &TrialKey) -> usize {
    usize::from(!plan.methods[key.method].method.depends_on_isa())
}

fn kind(plan: &Experiment, key: &TrialKey) -> Kind {
    (
        plan.name.clone(),
        plan.datasets[key.dataset].name.clone(),
        plan.methods[key.method].name.clone(),
    )
}

/// `12 s`, `3 min`, `2.5 h`.
pub fn readable(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_lab::experiment::{Expected, Scale, read_text};

    fn plan() -> Experiment {
        let text = include_str!("../tests/data/small.toml");
        Experiment::new(&read_text(text).unwrap(), Expected::default(), Scale::Full).unwrap()
    }

    fn key(method: usize, seed: u64) -> TrialKey {
        TrialKey {
            dataset: 0,
            method,
            data_seed: 0,
            seed,
        }
    }

    #[test]
    fn trials_of_the_same_kind_decide_and_work_where_there_are_none() {
        let plan = plan();
        let mut estimate = Estimate::default();
        let [source, gradual] = [key(0, 0), key(1, 0)];
        let guess = estimate.seconds(&plan, &source);
        assert!(guess > 0.0 && guess < 1.0, "{guess}");
        estimate.read_one(&plan, &source, 4000.0);
        estimate.read_one(&plan, &source, 2000.0);
        assert_eq!(estimate.seconds(&plan, &key(0, 7)), 3000.0);
        // Another kind: by its work, at the speed just seen.
        let by_work = 3000.0 * plan.work(&gradual).unwrap() / plan.work(&source).unwrap();
        let found = estimate.seconds(&plan, &gradual);
        assert!((found / by_work - 1.0).abs() < 0.01, "{found} {by_work}");
    }

    #[test]
    fn trials_of_this_run_correct_what_earlier_ones_foretold() {
        let plan = plan();
        let mut estimate = Estimate::default();
        let [source, gradual] = [key(0, 0), key(1, 0)];
        estimate.read_one(&plan, &source, 3000.0);
        let before = [source, gradual].map(|key| estimate.seconds(&plan, &key));
        // Three times as fast as the earlier machine, whichever kind is asked about.
        estimate.learn(&plan, &source, 1000.0);
        let after = [source, gradual].map(|key| estimate.seconds(&plan, &key));
        for (before, after) in before.into_iter().zip(after) {
            assert!((before / after - 3.0).abs() < 1e-9, "{before} {after}");
        }
    }

    #[test]
    fn times_of_earlier_runs_count_and_bad_lines_do_not() {
        let plan = plan();
        let folder = tempfile::tempdir().unwrap();
        let (dataset, method) = (&plan.datasets[0].name, &plan.methods[0].name);
        let line = format!(
            r#"{{"id":"a","dataset":"{dataset}","method":"{method}","data_seed":0,"seed":3,"seconds":8.0,"jobs":2}}"#
        );
        let shortened = line.replace("8.0", r#"1.0,"recalled":true"#);
        std::fs::write(
            path(folder.path()),
            format!("{line}\nnonsense\n{shortened}\n"),
        )
        .unwrap();
        let mut estimate = Estimate::default();
        estimate.read(&plan, folder.path());
        assert_eq!(estimate.seconds(&plan, &key(0, 0)), 8.0);
    }
}
