//! What happened on the way and would otherwise go unseen: windows held, windows of one class, examples left over.

use std::collections::BTreeSet;

use driftline_adapt::Labeling;
use driftline_core::data::Remainder;
use driftline_lab::experiment::{Store, StoreWarning};

use super::curves::trials;
use crate::numbers::fixed;
use crate::page::Grid;

/// Self-training steps counted over all trials.
pub fn steps(store: &Store) -> Option<Grid> {
    let manifest = store.manifest();
    let head = "Data set|Method|Steps|Examples kept|Held windows|One-class windows";
    let mut grid = Grid::new("Self-training steps over all trials", 2, head);
    for dataset in &manifest.datasets {
        for method in &manifest.methods {
            let steps: Vec<&Labeling> = trials(store, &dataset.name, &method.name)
                .flat_map(|trial| &trial.outcome.stages)
                .filter_map(|stage| stage.labeling.as_ref())
                .collect();
            if steps.is_empty() {
                continue;
            }
            let seen: usize = steps.iter().map(|step| step.seen).sum();
            let kept: usize = steps.iter().map(|step| step.kept).sum();
            let share = match seen {
                0 => "–".into(),
                _ => fixed(100.0 * kept as f64 / seen as f64, 1) + " %",
            };
            let count = |event: fn(&Labeling) -> bool| {
                steps.iter().filter(|step| event(step)).count().to_string()
            };
            grid.rows.push(vec![
                dataset.name.clone(),
                method.name.clone(),
                steps.len().to_string(),
                share,
                count(|step| step.held),
                count(|step| !step.held && step.only_class().is_some()),
            ]);
        }
    }
    if !grid.rows.is_empty() {
        grid.notes.push(
            "Held: the filter kept too few examples, so the model did not change. One-class: all kept pseudo-labels \
             were the same class."
                .into(),
        );
    }
    grid.if_any()
}

/// The experiment's own remarks, and what the reader of its numbers must know besides.
pub fn notes(store: &Store) -> Vec<String> {
    let mut notes = store.manifest().notes.clone();
    let tails = store.trials().filter_map(|trial| {
        let (dataset, method, tail) = (&trial.dataset, &trial.method, &trial.outcome.remainder);
        (*tail != Remainder::None).then(|| format!("{dataset}, {method}: {tail}."))
    });
    notes.extend(tails.collect::<BTreeSet<_>>());
    for StoreWarning::UnreadableLine { line, .. } in &store.warnings {
        notes.push(format!(
            "Line {line} of trials.jsonl cannot be read and was left out; run the experiment again to restore it."
        ));
    }
    let engines: BTreeSet<u32> = store.trials().map(|trial| trial.engine).collect();
    if engines.len() > 1 {
        notes.push("The trials were made with different engine revisions and are not comparable bit for bit.".into());
    }
    notes
}
