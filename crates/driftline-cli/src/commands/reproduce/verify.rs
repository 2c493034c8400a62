//! `driftline reproduce --verify`: runs one finished trial again, with the instruction set that it was made with, and
//! compares every number.

use std::fmt;
use std::time::Instant;

use driftline::Cancel;
use driftline::experiment::{Store, Trial, TrialKey, run_trial};
use serde_json::{Value, json};

use super::selected_experiments::SelectedExperiment;
use crate::estimate::timings;
use crate::failure::Result;
use crate::parallelism::Parallelism;
use crate::verbosity::Verbosity;

/// A trial that took longer is not run again.
const AT_MOST: f64 = 120.0;

/// What came of it.
#[derive(Debug)]
pub enum Verified {
    Compared {
        experiment: String,
        stored: Box<Trial>,
        again: Box<Trial>,
        seconds: f64,
    },
    /// Nothing could be run again, and why.
    Not(String),
}

/// A finished trial that could be run again.
struct Candidate<'a> {
    experiment: &'a SelectedExperiment,
    key: TrialKey,
    stored: &'a Trial,
    seconds: f64,
}

pub fn verify(
    selected: &[SelectedExperiment],
    stores: &[Store],
    cancel: &Cancel,
    verbosity: Verbosity,
) -> Result<Verified> {
    let mut candidates = Vec::new();
    let mut reasons = Reasons::default();
    for (one, store) in selected.iter().zip(stores) {
        candidates.extend(candidates_of(one, store, &mut reasons));
    }
    // Networks say more than linear models, and long trials more than short ones.
    let best = candidates.into_iter().max_by(|a, b| {
        (a.stored.isa.is_some(), a.seconds)
            .partial_cmp(&(b.stored.isa.is_some(), b.seconds))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let Some(best) = best else {
        return Ok(Verified::Not(reasons.to_string()));
    };
    let (plan, key) = (&best.experiment.plan, &best.key);
    verbosity.say(&format!(
        "running again: {} · {} · {} · data {} · seed {}, which took {:.1} s",
        plan.name, best.stored.dataset, best.stored.method, key.data_seed, key.seed, best.seconds
    ));
    // From the beginning: what was kept would prove nothing.
    let mut resources = Parallelism::of(None, 1).resources(None, cancel);
    if let Some(isa) = best.stored.isa {
        resources.runtime.isa = isa;
    }
    let start = Instant::now();
    let data = &plan.datasets[key.dataset].data;
    let benchmark = data.benchmark(key.data_seed, &plan.raw)?;
    let again = run_trial(plan, key, &benchmark, &resources, &|| cancel.check())?;
    Ok(Verified::Compared {
        experiment: plan.name.clone(),
        stored: Box::new(best.stored.clone()),
        again: Box::new(again),
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn candidates_of<'a>(
    experiment: &'a SelectedExperiment,
    store: &'a Store,
    reasons: &mut Reasons,
) -> Vec<Candidate<'a>> {
    let times = timings(&experiment.folder);
    let absent = experiment.absent(&experiment.keys);
    let mut found = Vec::new();
    for key in &experiment.keys {
        let id = experiment.plan.trial_id(key);
        let Some(stored) = store.trials().find(|trial| trial.id == id) else {
            continue;
        };
        reasons.finished += 1;
        let seconds = times.iter().rev().find(|timing| timing.id == id);
        let Some(seconds) = seconds.map(|t| t.seconds).filter(|s| *s <= AT_MOST) else {
            reasons.too_long += 1;
            continue;
        };
        if stored.isa.is_some_and(|isa| !isa.is_available()) {
            reasons.other_machine += 1;
        } else if absent.iter().any(|(dataset, _)| *dataset == key.dataset) {
            reasons.no_data += 1;
        } else {
            found.push(Candidate {
                experiment,
                key: *key,
                stored,
                seconds,
            });
        }
    }
    found
}

/// Why finished trials were passed over.
#[derive(Debug, Default)]
struct Reasons {
    finished: usize,
    too_long: usize,
    other_machine: usize,
    no_data: usize,
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.finished == 0 {
            return f.write_str("none of these trials is finished");
        }
        write!(f, "of {} finished trials", self.finished)?;
        for (count, why) in [
            (
                self.too_long,
                "took more than two minutes or have no time of a whole run on record",
            ),
            (
                self.other_machine,
                "were made with an instruction set that this machine lacks",
            ),
            (self.no_data, "need data that are not in the cache"),
        ] {
            if count > 0 {
                write!(f, ", {count} {why}")?;
            }
        }
        Ok(())
    }
}

impl Verified {
    /// False only where a trial came out otherwise.
    pub fn holds(&self) -> bool {
        match self {
            Verified::Compared { stored, again, .. } => {
                // Which version of the program ran it is no result.
                let version = stored.version.clone();
                **stored
                    == Trial {
                        version,
                        ..(**again).clone()
                    }
            }
            Verified::Not(_) => true,
        }
    }

    pub fn json(&self) -> Value {
        match self {
            Verified::Not(why) => json!({ "verified": false, "why": why }),
            Verified::Compared {
                experiment,
                stored,
                seconds,
                ..
            } => json!({
                "verified": true, "identical": self.holds(), "experiment": experiment, "dataset": stored.dataset,
                "method": stored.method, "data_seed": stored.data_seed, "seed": stored.seed, "isa": stored.isa,
                "seconds": seconds,
            }),
        }
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verified::Not(why) => write!(f, "cannot verify here: {why}"),
            Verified::Compared {
                experiment,
                stored,
                again,
                seconds,
            } => {
                let Trial {
                    dataset,
                    method,
                    data_seed,
                    seed,
                    ..
                } = &**stored;
                let isa = stored.isa.map_or(String::new(), |isa| format!(", {isa}"));
                let verdict = if self.holds() {
                    "identical".into()
                } else {
                    format!(
                        "DIFFERENT: {:.2} % stored, {:.2} % now",
                        100.0 * stored.outcome.accuracy,
                        100.0 * again.outcome.accuracy
                    )
                };
                write!(
                    f,
                    "{experiment} · {dataset} · {method} · data {data_seed} · seed {seed}{isa}: {verdict}, in {seconds:.1} s"
                )
            }
        }
    }
}
