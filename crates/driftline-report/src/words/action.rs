//! The first line of every outcome, which says what to do, and the commands that do it. `run` is the folder of the run.

use driftline_runs::{Action, StepKind, Verdict, WayOut};

use crate::numbers::count;
use crate::run::word;

/// What to do, with the command where there is one.
pub fn headline(verdict: &Verdict, run: &str) -> String {
    let todo = todo(&verdict.action, verdict.last_step.kind);
    let why = standing(verdict);
    match (&verdict.action, command(verdict, run)) {
        (Action::Label { named: false, .. }, Some(command)) => {
            format!("{todo}; `{command}` selects them. {why}")
        }
        (_, Some(command)) => format!("{todo}: `{command}`. {why}"),
        (_, None) => format!("{todo}. {why}"),
    }
}

/// The action in a few words.
pub fn todo(action: &Action, step: StepKind) -> String {
    match action {
        Action::Adapted => "Adapted, nothing to do".into(),
        Action::Label { rows, named } => {
            let state = match step {
                StepKind::Held => "Held",
                StepKind::TakenBack => "Taken back",
                _ => "In doubt",
            };
            let rows = match (*named, *rows) {
                (true, 1) => "this row".into(),
                (true, rows) => format!("these {rows} rows"),
                (false, rows) => count(rows, "row"),
            };
            format!("{state}: label {rows}")
        }
        Action::RollBack(back) => format!("Roll back to {}", version(back.to)),
        _ => "Keep serving".into(),
    }
}

/// The command that does it; none where there is nothing to do.
pub fn command(verdict: &Verdict, run: &str) -> Option<String> {
    let (run, window) = (word(run), verdict.window);
    match &verdict.action {
        Action::Label { named: true, .. } => {
            Some(format!("driftline label {run} --window {window}"))
        }
        // Half of them are of rows that both versions class alike: what is in doubt is the accuracy, too.
        Action::Label { rows, .. } => {
            let (alike, other) = (rows / 2, rows - rows / 2);
            Some(format!(
                "driftline audit {run} --budget {other} --agreeing {alike}"
            ))
        }
        Action::RollBack(back) => Some(format!("driftline rollback {run} --to {}", back.to)),
        _ => None,
    }
}

/// Which model is in use, and since when.
fn standing(verdict: &Verdict) -> String {
    let own = verdict.version;
    match verdict.last_step.kind {
        StepKind::TakenBack => format!("{} is in use again.", capital(&version(own))),
        StepKind::Deployed if own == verdict.window => format!("Version {own} is in use."),
        StepKind::Deployed => format!("{} was chosen by hand.", capital(&version(own))),
        _ if own == 0 => "The source model is in use, unchanged.".into(),
        _ => format!("The model is unchanged since version {own}."),
    }
}

/// What ends a hold, in one sentence; none where nothing was held.
pub fn ways_out(verdict: &Verdict, run: &str) -> Option<String> {
    let ends = &verdict.last_step.ends;
    let last = ends.last()?;
    let ways: Vec<String> = ends.iter().map(|way| way_out(*way, verdict, run)).collect();
    let all = match &ways[..] {
        [only] => only.clone(),
        [first @ .., _] => format!("{}; or {}", first.join("; "), way_out(*last, verdict, run)),
        [] => return None,
    };
    Some(format!("Ways to end the hold: {all}."))
}

fn way_out(way: WayOut, verdict: &Verdict, run: &str) -> String {
    let (window, run) = (verdict.window, word(run));
    match way {
        WayOut::Label => {
            format!("labels (`driftline label {run} --window {window}`), which the next step uses")
        }
        WayOut::Audit => format!("labels of rows that `driftline audit {run}` selects"),
        WayOut::Learn => format!(
            "a version trained on labels of this window (`driftline score {run} --window {window} --learn`)"
        ),
        WayOut::Refit => {
            "a new run with a newer labelled source (`driftline adapt --source`)".into()
        }
        WayOut::Always => "`--policy always`, which deploys every step".into(),
        WayOut::MoreRows => "more rows in a window (`--window`)".into(),
        WayOut::DropLess => "a filter that keeps more rows (`--drop`)".into(),
        WayOut::SourceSample => {
            "a run that stores a sample of its source (without `--no-source-sample`)".into()
        }
        _ => "labels".into(),
    }
}

/// `the source model`, `version 3`.
pub fn version(number: usize) -> String {
    match number {
        0 => "version 0, the source model".into(),
        number => format!("version {number}"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
