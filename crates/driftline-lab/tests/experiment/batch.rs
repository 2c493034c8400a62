//! Several experiments in one queue: the first seed of every cell comes first, data are shared, and the bytes are those
//! of each experiment alone.

use std::fs;
use std::sync::Mutex;

use driftline_lab::experiment::{
    Batch, BatchPart, Experiment, Observer, Resources, Selection, Store, Trial, TrialKey,
};

use super::{SMALL, plan_of, small};

/// Notes what was finished, and lets only so many trials start.
struct Watch {
    finished: Mutex<Vec<(String, u64)>>,
    may_start: usize,
}

impl Observer for Watch {
    fn may_start(&self, _: &Experiment, _: &TrialKey) -> bool {
        self.finished.lock().unwrap().len() < self.may_start
    }

    fn finished(&self, plan: &Experiment, _: &TrialKey, trial: &Trial) {
        let mut finished = self.finished.lock().unwrap();
        finished.push((plan.name.clone(), trial.seed));
    }
}

/// Runs both experiments on one thread in a folder; returns what was finished, in order, and the stored bytes.
fn run(folder: &std::path::Path, may_start: usize) -> (Vec<(String, u64)>, [String; 2]) {
    let plans = [
        small(),
        plan_of(&SMALL.replace("name = \"small\"", "name = \"other\"")).unwrap(),
    ];
    let paths = plans.each_ref().map(|plan| folder.join(&plan.name));
    let [mut first, mut second] = [0, 1].map(|i| Store::open(&paths[i], &plans[i]).unwrap());
    let keys = |plan: &Experiment| plan.trials(&Selection::default()).unwrap();
    let watch = Watch {
        finished: Mutex::default(),
        may_start,
    };
    let parts = [(&plans[0], &mut first), (&plans[1], &mut second)];
    let batch = Batch {
        parts: parts
            .map(|(plan, store)| BatchPart {
                plan,
                keys: keys(plan),
                store,
            })
            .into(),
        jobs: 1.try_into().unwrap(),
        resources: Resources::default(),
    };
    batch.run(&watch).unwrap();
    let stored = paths.map(|path| fs::read_to_string(path.join("trials.jsonl")).unwrap());
    (watch.finished.into_inner().unwrap(), stored)
}

#[test]
fn seeds_come_in_order_across_experiments() {
    let folder = tempfile::tempdir().unwrap();
    let (order, [first, second]) = run(folder.path(), usize::MAX);
    let seeds: Vec<u64> = order.iter().map(|(_, seed)| *seed).collect();
    assert_eq!(seeds, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!((&*order[0].0, &*order[2].0), ("small", "other"));
    assert_eq!(first, second, "the same settings under another name");
}

#[test]
fn what_may_not_start_is_left_for_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let (order, [_, second]) = run(folder.path(), 3);
    assert_eq!(order.len(), 3);
    assert_eq!(second.lines().count(), 1);
    let (rest, both) = run(folder.path(), usize::MAX);
    assert_eq!(rest.len(), 9);
    assert_eq!(
        rest[0],
        ("other".into(), 0),
        "finished trials keep their place"
    );
    assert_eq!(both[0], both[1]);
}
