//! `driftline reproduce --verify`: runs one finished trial again, with the instruction set that it was made with or one that
//! rounds alike, and compares every number.

use std::fmt;
use std::time::{Instant, SystemTime};

use driftline_core::Cancel;
use driftline_lab::experiment::{Store, Trial, TrialKey, run_trial};
use driftline_models::network::Isa;
use serde_json::{Value, json};

use super::selected_experiments::SelectedExperiment;
use crate::estimate::timings;
use crate::failure::Result;
use crate::parallelism::Parallelism;
use crate::progress::describe;
use crate::verbosity::Verbosity;

/// One that took longer is run again only where no shorter one was asked for.
const AT_MOST: f64 = 120.0;

/// What came of it.
#[derive(Debug)]
pub enum Verified {
    Compared(Box<Compared>),
    /// Nothing could be run again, and why: that is no proof.
    Not(String),
}

/// A finished trial, and what came of it when it was run again.
#[derive(Debug)]
pub struct Compared {
    experiment: String,
    stored: Trial,
    again: Trial,
    seconds: f64,
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
    let (trial, took) = (describe(plan, key), took.unwrap_or_default());
    verbosity.say(&format!("running again: {trial}{took}"));
    // From the beginning: what was kept would prove nothing.
    let mut resources = Parallelism::of(None, 1).resources(None, cancel);
    if let Some(isa) = chosen.isa {
        resources.runtime.isa = isa;
    }
    let start = Instant::now();
    let again = run_trial(plan, key, &resources, &|| cancel.check())?;
    Ok(Verified::Compared(Box::new(Compared {
        experiment: plan.name.clone(),
        stored: chosen.stored.clone(),
        again,
        seconds: start.elapsed().as_secs_f64(),
    })))
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
        let machine =
            "were made with an instruction set whose roundings this machine does not have";
        let data = "need data that are not in the cache";
        for (count, why) in [(self.other_machine, machine), (self.no_data, data)] {
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
            Verified::Compared(compared) => {
                // Which version of the program ran it, and with which of the instruction sets that round alike, is no result.
                let stored = &compared.stored;
                let mut again = compared.again.clone();
                again.version.clone_from(&stored.version);
                again.isa = stored.isa;
                *stored == again
            }
            Verified::Not(_) => false,
        }
    }

    pub fn json(&self) -> Value {
        match self {
            Verified::Not(why) => json!({ "verified": false, "why": why }),
            Verified::Compared(compared) => {
                let stored = &compared.stored;
                json!({
                    "verified": true, "identical": self.holds(), "experiment": compared.experiment,
                    "dataset": stored.dataset, "method": stored.method, "data_seed": stored.data_seed,
                    "seed": stored.seed, "isa": stored.isa, "isa_now": compared.again.isa,
                    "seconds": compared.seconds,
                })
            }
        }
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verified::Not(why) => write!(f, "cannot verify here: {why}"),
            Verified::Compared(compared) => {
                let (stored, again) = (&compared.stored, &compared.again);
                let (experiment, seconds) = (&compared.experiment, compared.seconds);
                let (dataset, method) = (&stored.dataset, &stored.method);
                let (data_seed, seed) = (stored.data_seed, stored.seed);
                let isa = match (stored.isa, again.isa) {
                    (Some(then), Some(now)) if then != now => format!(", {then} then, {now} now"),
                    (Some(isa), _) => format!(", {isa}"),
                    (None, _) => String::new(),
                };
                let [then, now] = [stored, again].map(|trial| 100.0 * trial.outcome.accuracy);
                let verdict = if self.holds() {
                    "identical".into()
                } else {
                    format!("DIFFERENT: {then:.2} % stored, {now:.2} % now")
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
        Verified::Compared(Box::new(Compared {
            experiment: "table1-rot-mnist".into(),
            stored,
            again,
            seconds: 1.0,
        }))
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
