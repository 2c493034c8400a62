//! What the page takes for granted, and what cannot be known: in plain words, under every run.

use driftline_runs::{ModelFile, RunFolder};

pub fn limits(run: &RunFolder, source: &ModelFile) -> Vec<String> {
    let policy = run.manifest().settings.method.policy.as_ref();
    let policy = policy.map_or("always", |named| &*named.name);
    let mut all = vec![
        "A change of what the classes mean that leaves the inputs as they are cannot be seen by any method without labels. \
         Nor can a jump that puts one class where another was.",
        "A class that the source lacks is never predicted, and counts as wrong wherever there are answers.",
    ];
    all.push(match policy {
        "always" => {
            "Every step is deployed, whether it helps or not: confidence and class balance are all that can be watched \
             without answers."
        }
        "never" => "Nothing is deployed: the stream is only watched.",
        _ => {
            "What is deployed was rehearsed on labelled rows of the source that were moved to look like the window. The \
             estimates hold as far as one of these explanations is close to what has happened."
        }
    });
    if policy != "always" && source.source_sample.is_none() {
        all.push(
            "No rows of the source are stored with the run, so that later windows cannot be rehearsed.",
        );
    }
    all.push("A few dozen labels of the newest window settle more than any of this: `driftline audit` names the rows.");
    all.into_iter().map(String::from).collect()
}
