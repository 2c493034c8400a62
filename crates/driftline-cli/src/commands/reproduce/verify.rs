//! `driftline reproduce --verify`: runs one finished trial again, with the instruction set that it was made with or one that
//! rounds alike, and compares every number.

use std::fmt;
use std::time::{Instant, SystemTime};

use driftline::Cancel;
use driftline::experiment::{Store, Trial, TrialKey, run_trial};
use driftline::models::network::Isa;
use serde_json::{Value, json};

use super::selected_experiments::SelectedExperiment;
use crate::estimate::timings;
use crate::failure::Result;
use crate::parallelism::Parallelism;
use crate::verbosity::Verbosity;

/// One that took longer is run again only where no shorter one was asked for.
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
    /// Nothing could be run again, and why: that is no proof.
    Not(String),
}

/// A finished trial that could be run again.
struct Candidate<'a> {
    experiment: &'a SelectedExperiment,
    key: TrialKey,
    stored: &'a Trial,
    /// With which to run it; `None` where roundings do not depend on it.
    isa: Option<Isa>,
    /// What it took, where the time of a whole run is on record.
    seconds: Option<f64>,
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
    let Some(chosen) = choose(candidates, clock()) else {
        return Ok(Verified::Not(reasons.to_string()));
    };
    let (plan, key) = (&chosen.experiment.plan, &chosen.key);
    let took = chosen.seconds.map(|s| format!(", which took {s:.1} s"));
    verbosity.say(&format!(
        "running again: {} · {} · {} · data {} · seed {}{}",
        plan.name,
        chosen.stored.dataset,
        chosen.stored.method,
        key.data_seed,
        key.seed,
        took.unwrap_or_default()
    ));
    // From the beginning: what was kept would prove nothing.
    let mut resources = Parallelism::of(None, 1).resources(None, cancel);
    if let Some(isa) = chosen.isa {
        resources.runtime.isa = isa;
    }
    let start = Instant::now();
    let again = run_trial(plan, key, &resources, &|| cancel.check())?;
    Ok(Verified::Compared {
        experiment: plan.name.clone(),
        stored: Box::new(chosen.stored.clone()),
        again: Box::new(again),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// A number that differs from call to call, so that in time every trial has its turn.
fn clock() -> usize {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.subsec_nanos() as usize)
}

/// Any of the short ones; where there is none, the shortest.
fn choose(mut candidates: Vec<Candidate<'_>>, turn: usize) -> Option<Candidate<'_>> {
    let seconds = |candidate: &Candidate<'_>| candidate.seconds.unwrap_or(f64::INFINITY);
    candidates.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let short = candidates.iter().filter(|c| seconds(c) <= AT_MOST).count();
    let chosen = turn % short.max(1);
    candidates.into_iter().nth(chosen)
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
        let isa = stored.isa.map(Isa::stand_in);
        if isa == Some(None) {
            reasons.other_machine += 1;
        } else if absent.iter().any(|(dataset, _)| *dataset == key.dataset) {
            reasons.no_data += 1;
        } else {
            let time = times.iter().rev().find(|timing| timing.id == id);
            found.push(Candidate {
                experiment,
                key: *key,
                stored,
                isa: isa.flatten(),
                seconds: time.map(|timing| timing.seconds),
            });
        }
    }
    found
}

/// Why finished trials were passed over.
#[derive(Debug, Default)]
struct Reasons {
    finished: usize,
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
                self.other_machine,
                "were made with an instruction set whose roundings this machine does not have",
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
    /// Whether a trial was run again and every number came out the same.
    pub fn holds(&self) -> bool {
        match self {
            Verified::Compared { stored, again, .. } => {
                // Which version of the program ran it, and with which of the instruction sets that round alike, is no result.
                let (version, isa) = (stored.version.clone(), stored.isa);
                **stored
                    == Trial {
                        version,
                        isa,
                        ..(**again).clone()
                    }
            }
            Verified::Not(_) => false,
        }
    }

    pub fn json(&self) -> Value {
        match self {
            Verified::Not(why) => json!({ "verified": false, "why": why }),
            Verified::Compared {
                experiment,
                stored,
                again,
                seconds,
            } => json!({
                "verified": true, "identical": self.holds(), "experiment": experiment, "dataset": stored.dataset,
                "method": stored.method, "data_seed": stored.data_seed, "seed": stored.seed, "isa": stored.isa,
                "isa_now": again.isa, "seconds": seconds,
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
                let isa = match (stored.isa, again.isa) {
                    (Some(then), Some(now)) if then != now => format!(", {then} then, {now} now"),
                    (Some(isa), _) => format!(", {isa}"),
                    (None, _) => String::new(),
                };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(change: impl FnOnce(&mut Trial)) -> Verified {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../results/table1-rot-mnist/trials.jsonl"
        );
        let lines = std::fs::read_to_string(path).unwrap();
        let stored: Trial = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(stored.isa, Some(Isa::Avx512));
        let mut again = stored.clone();
        change(&mut again);
        Verified::Compared {
            experiment: "table1-rot-mnist".into(),
            stored: Box::new(stored),
            again: Box::new(again),
            seconds: 1.0,
        }
    }

    #[test]
    fn the_instruction_set_is_no_result_but_every_number_is() {
        let other_machine = compared(|again| again.isa = Some(Isa::Avx2));
        assert!(other_machine.holds());
        assert!(
            other_machine
                .to_string()
                .contains("avx512 then, avx2 now: identical")
        );
        assert_eq!(other_machine.json()["isa_now"], "avx2");
        assert!(!compared(|again| again.outcome.stages[0].target += 1e-12).holds());
        assert!(!Verified::Not("there is none".into()).holds());
    }

    /// What was made with AVX-512 can be run again wherever this program runs on x86-64.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn every_instruction_set_has_a_stand_in_here() {
        for isa in Isa::ALL {
            assert!(isa.stand_in().is_some_and(Isa::is_available), "{isa}");
        }
    }
}
