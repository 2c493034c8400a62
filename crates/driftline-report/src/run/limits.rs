//! What the page takes for granted, and what cannot be known: in plain words, under every run.

use driftline_runs::{ModelFile, RunFolder};

pub fn limits(run: &RunFolder, source: &ModelFile) -> Vec<String> {
    let policy = run.manifest().settings.method.policy.as_ref();
    let policy = policy.map_or("always", |named| &*named.name);
    let mut all = vec![
        "Without labels, no method can detect that the classes have changed their meaning while the inputs stay the same, or that one class has jumped to where another was.",
        "A class that the source lacks is never predicted. Where true labels are known, its rows count as errors.",
    ];
    all.push(match policy {
        "always" => {
            "Every step is deployed, whether it helps or not. Without labels, only confidence and class balance can be watched."
        }
        "never" => "Nothing is deployed: the stream is only watched.",
        _ => {
            "Every deployed step was rehearsed on labelled source rows that were moved to look like the window. The estimates are valid if one of these explanations is close to what happened."
        }
    });
    if policy != "always" && source.source_sample.is_none() {
        all.push("No source rows are stored with the run, so later windows cannot be rehearsed.");
    }
    all.push("A few dozen labels of the newest window tell more than any estimate: `driftline audit` selects the rows.");
    all.into_iter().map(String::from).collect()
}
