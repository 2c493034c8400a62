//! The law of the one loop: a method gives the same weights and the same optimiser's memory, bit for bit, whether it runs
//! in an experiment, on files, beside others or on arrays; for any number of threads, and however often it is stopped.

#[path = "one_loop/data.rs"]
pub mod data;
#[path = "one_loop/doors.rs"]
mod doors;

use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_core::data::Tail;
use driftline_core::{Cancel, Error};
use driftline_io::ReadOptions;
use driftline_models::{Learner, Runtime};
use driftline_runs::{Adapter, RunFolder, Stepped, Watch, WindowRecord, step};

use data::{ALIKE, Drift, ROWS, WINDOW, table};
use doors::{Case, METHODS, MODELS, adapt, adapter, assert_same, from_tables, last};

fn threads(threads: usize) -> Runtime {
    Runtime::default().with_threads(threads.try_into().unwrap())
}

/// All doors for all methods.
fn assert_one_loop(case: &Case) {
    let drift = Drift::new(case.seed);
    let runtime = threads(1);
    let compared = doors::compare(case, &drift, &runtime);
    let mut different = vec![];
    for method in METHODS {
        let what = format!("{method}, {case:?}");
        let expected = doors::experiment(case, method, &drift, &runtime);
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("run");
        let run = from_tables(case, method, &drift, &folder, &runtime, &()).unwrap();
        assert!(last(&run) == expected, "tables: {what}");
        let files = doors::from_files(case, method, &drift, &runtime);
        assert!(files == expected, "files: {what}");
        let arrays = doors::arrays(case, method, &drift, &runtime);
        assert!(arrays == expected, "arrays: {what}");
        assert!(compared[method] == expected, "compared: {what}");
        // Trees keep nothing of earlier steps: two methods that label the last window alike end with the same ones.
        assert!(
            case.model == "trees" || !different.contains(&expected),
            "no other than before: {what}"
        );
        different.push(expected);
    }
}

#[test]
fn all_doors_lead_to_the_same_bits() {
    for model in MODELS {
        for seed in [0, 7] {
            assert_one_loop(&Case::new(model, seed));
        }
    }
}

#[test]
fn tails_repeats_starvation_and_scaling_are_the_same_everywhere() {
    for model in MODELS {
        let plain = Case::new(model, 3);
        assert_one_loop(&Case {
            tail: Tail::Keep,
            repeats: Some(2),
            ..plain.clone()
        });
        assert_one_loop(&Case {
            tail: Tail::Drop,
            starvation: "proceed",
            scaling: false,
            ..plain
        });
    }
}

/// What the cases above are made of is really there: a tail, a held window, and memory that is carried on.
#[test]
fn the_cases_are_what_they_claim() {
    let drift = Drift::new(0);
    let folder = tempfile::tempdir().unwrap();
    for model in MODELS {
        let case = Case::new(model, 0);
        let folder = folder.path().join(model);
        let run = from_tables(&case, "gradual", &drift, &folder, &threads(1), &()).unwrap();
        assert_eq!(run.records().len(), 6);
        assert_eq!(run.records()[5].seen, WINDOW + ROWS % WINDOW);
        let held: Vec<bool> = run.records().iter().map(|record| record.held).collect();
        assert_eq!(held.iter().position(|held| *held), Some(ALIKE - 1));
        let last = run.model(None).unwrap();
        let forgetful = last.learner.forget(&last.version.model);
        let remembers = forgetful != last.version.model;
        assert_eq!(remembers, !["linear", "trees"].contains(&model), "{model}");
        assert!(run.resume_state().unwrap().is_none());
    }
}

#[test]
fn threads_change_no_bit() {
    let drift = Drift::new(0);
    for model in MODELS {
        let case = Case::new(model, 0);
        for method in METHODS {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            for (name, runtime) in [("one", threads(1)), ("three", threads(3))] {
                let run = from_tables(&case, method, &drift, &at(name), &runtime, &());
                let expected = last(&run.unwrap());
                let experiment = doors::experiment(&case, method, &drift, &runtime);
                assert!(experiment == expected, "{method}, {model}, {name}");
                let arrays = doors::arrays(&case, method, &drift, &runtime);
                assert!(arrays == expected, "{method}, {model}, {name}");
            }
            let what = format!("{method}, {model}");
            assert_same(&at("three"), &at("one"), &what);
        }
        let compared = [threads(1), threads(3)].map(|r| doors::compare(&case, &drift, &r));
        assert!(compared[0] == compared[1], "{model}");
    }
}

/// Asks the run to stop once so many windows are finished.
struct StopAfter(AtomicUsize, Cancel);

impl StopAfter {
    fn new(windows: usize) -> Self {
        Self(windows.into(), Cancel::new())
    }
}

impl Watch for StopAfter {
    fn window(&self, _: &WindowRecord, _: usize) {
        if self.0.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.1.cancel();
        }
    }
}

#[test]
fn a_run_that_is_stopped_ends_with_the_same_bytes() {
    let drift = Drift::new(1);
    for model in MODELS {
        let case = Case::new(model, 1);
        for method in METHODS {
            let folder = tempfile::tempdir().unwrap();
            let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
            let runtime = threads(1);
            from_tables(&case, method, &drift, &whole, &runtime, &()).unwrap();
            for (windows, finished) in [(1, 1), (3, 4)] {
                let watch = StopAfter::new(windows);
                let stopping = runtime.clone().with_cancel(watch.1.clone());
                let stopped = from_tables(&case, method, &drift, &part, &stopping, &watch);
                assert!(matches!(stopped, Err(Error::Interrupted)));
                let run = RunFolder::read(&part).unwrap();
                assert_eq!(run.manifest().windows, finished);
            }
            from_tables(&case, method, &drift, &part, &runtime, &()).unwrap();
            assert_same(&part, &whole, &format!("{method}, {model}"));
        }
    }
}

/// Windows that come by themselves, through every door that takes one: as if they had been in the stream.
#[test]
fn windows_that_come_by_themselves_lead_to_the_same_bits() {
    let drift = Drift::new(2);
    let window = |index: usize| match index {
        5 => drift.stream.slice(5 * WINDOW..ROWS),
        _ => drift.stream.slice(index * WINDOW..(index + 1) * WINDOW),
    };
    for model in MODELS {
        let case = Case::new(model, 2);
        let runtime = threads(1);
        let expected = doors::arrays(&case, "gradual", &drift, &runtime);
        let mut single = adapter(&case, "gradual", &drift, &runtime);
        for index in 0..6 {
            single.step(window(index).inputs()).unwrap();
        }
        assert!(
            single.version().model.store().unwrap() == expected,
            "{model}"
        );

        // Two from files, two by `step`, and two by an adapter that goes on with the folder.
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("run");
        let start = driftline_runs::Start::source("label", table(&drift.source));
        let first = table(&drift.stream.slice(0..2 * WINDOW));
        let adapt = adapt(&case, "gradual", &folder, &runtime);
        let mut run = adapt.run(start, first, &()).unwrap();
        for index in 2..4 {
            let data = table(&window(index));
            let taken = step(&mut run, &data, None, &ReadOptions::default(), &runtime);
            assert_eq!(taken.unwrap(), Stepped::Added(index + 1));
        }
        drop(run);
        let mut loaded = Adapter::load(&folder).unwrap();
        for index in 4..6 {
            loaded.step(window(index).inputs()).unwrap();
        }
        loaded.settle().unwrap();
        assert_eq!(loaded.records().len(), 6);
        drop(loaded);
        let run = RunFolder::read(&folder).unwrap();
        assert!(last(&run) == expected, "{model}");
    }
}
