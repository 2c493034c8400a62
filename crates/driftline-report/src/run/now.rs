//! What a run is like now, at the top of its page: three figures and a sentence, from its newest window.

use driftline::runs::{Fate, RunFolder, Summary, WindowRecord};
use serde_json::Value;

use crate::numbers::{fixed, per_cent};
use crate::page::Card;

/// Accuracy now, drift, and what is deployed.
pub fn cards(run: &RunFolder, summary: &Summary) -> Vec<Card> {
    let Some(last) = run.records().last() else {
        return vec![];
    };
    vec![accuracy(last, summary), drift(last), deployed(run, last)]
}

/// One sentence.
pub fn sentence(run: &RunFolder) -> Option<String> {
    let last = run.records().last()?;
    let what = in_use(run);
    let fate = match last.decision {
        _ if run.manifest().current != last.window => "was chosen by hand",
        Fate::Deploy => "was deployed after",
        Fate::Hold => "was kept through",
        Fate::RollBack => "was taken up again after",
    };
    let window = match run.manifest().current == last.window {
        true => format!(" window {}", last.window),
        false => String::new(),
    };
    let interval = last.estimated_low.zip(last.estimated_high);
    let accuracy = match (last.estimated_accuracy, interval) {
        (Some(estimate), Some((low, high))) => format!(
            "its accuracy there is estimated at {} % ({} to {})",
            per_cent(estimate),
            per_cent(low),
            per_cent(high)
        ),
        _ => "how accurate it is there cannot be told without answers".into(),
    };
    let scored = last.score.as_ref().map(|score| {
        let hits = per_cent(score.accuracy_after);
        format!("by the answers it is {hits} % accurate there")
    });
    let accuracy = match (scored, last.estimated_accuracy) {
        (Some(scored), None) => scored,
        (Some(scored), Some(_)) => format!("{accuracy}, and {scored}"),
        (None, _) => accuracy,
    };
    Some(format!("{what} {fate}{window}; {accuracy}."))
}

/// The version in use, for the beginning of a sentence.
fn in_use(run: &RunFolder) -> String {
    match run.manifest().current {
        0 => "The source model".into(),
        version => format!("Version {version}"),
    }
}

fn accuracy(last: &WindowRecord, summary: &Summary) -> Card {
    let interval = last.estimated_low.zip(last.estimated_high);
    match (last.estimated_accuracy, interval, &summary.newest) {
        (Some(estimate), Some((low, high)), _) => Card::new(
            "Estimated accuracy now",
            format!("{} %", per_cent(estimate)),
            format!(
                "between {} and {} %, without answers, on window {}",
                per_cent(low),
                per_cent(high),
                last.window
            ),
        ),
        (_, _, Some(newest)) => Card::new(
            "Accuracy now, by answers",
            format!("{} %", per_cent(newest.accuracy)),
            format!(
                "{} % unadapted, on {} rows; not measurable without answers",
                per_cent(newest.accuracy_unadapted),
                newest.rows
            ),
        ),
        _ => Card::new(
            "Estimated accuracy now",
            "not measurable".into(),
            "there are no answers, and nothing that could be rehearsed tells".into(),
        ),
    }
}

/// Drift against the limit up to which steps are safe, as far as the policy has found it.
fn drift(last: &WindowRecord) -> Card {
    let found = &last.findings["drift"];
    let number = |key: &str| found[key].as_f64().filter(|n| n.is_finite());
    let verdict = found["verdict"].as_str().map(String::from);
    let sentence = found["sentence"].as_str().or(found["reason"].as_str());
    let detail = sentence.map(String::from);
    match (number("size"), number("limit"), number("floor")) {
        (Some(size), Some(limit), _) if limit > 0.0 => Card::new(
            "Drift against the safe limit",
            format!("{} × the limit", fixed(size / limit, 2)),
            detail
                .or(verdict)
                .unwrap_or_else(|| "of the newest window".into()),
        ),
        (Some(size), _, Some(floor)) if floor > 0.0 => Card::new(
            "Drift",
            format!("{} × its noise", fixed(size / floor, 1)),
            detail
                .or(verdict)
                .unwrap_or_else(|| "of the newest window".into()),
        ),
        _ => match last.moved.first() {
            Some(moved) => Card::new(
                "Drift",
                format!("{} deviations", fixed(moved.by.abs(), 1)),
                format!(
                    "the mean of `{}`, which has moved most; no safe limit is known",
                    moved.column
                ),
            ),
            None => Card::new(
                "Drift",
                format!("{} % flips", per_cent(last.flips)),
                "rows where the deployed and the source model differ; no safe limit is known"
                    .into(),
            ),
        },
    }
}

fn deployed(run: &RunFolder, last: &WindowRecord) -> Card {
    let current = run.manifest().current;
    let records = run.records();
    // A version that was kept has the name of the one that it was made from.
    let made_by = records
        .iter()
        .take(current)
        .rev()
        .find_map(|record| match record.decision {
            Fate::Deploy => Some(record.candidate.clone()),
            Fate::RollBack => Some(None),
            Fate::Hold => None,
        });
    let value = match (current, made_by.flatten()) {
        (0, _) => "the source model".into(),
        (version, Some(name)) => format!("version {version}, {name}"),
        (version, None) => format!("version {version}"),
    };
    let fate = match last.decision {
        _ if current != last.window => "chosen by hand",
        Fate::Deploy => "deployed",
        Fate::Hold => "held",
        Fate::RollBack => "rolled back",
    };
    let why = last.reason.as_ref().filter(|_| current == last.window);
    let detail = match why {
        Some(why) => format!("{fate}: {why}"),
        None => fate.into(),
    };
    Card::new("Deployed now", value, detail)
}

/// The explanations of the drift that were tried, where the policy tells them.
pub fn explanations(last: &WindowRecord) -> Option<crate::page::Grid> {
    let lists = [
        &last.findings["details"]["worlds"],
        &last.findings["explanations"],
        &last.findings["worlds"],
    ];
    let all = lists.into_iter().find_map(Value::as_array)?;
    let title = format!("Explanations of the drift in window {}", last.window);
    let mut grid = crate::page::Grid::new(
        title,
        1,
        &[
            "Explanation",
            "Fits",
            "Distance",
            "Source model %",
            "Best candidate %",
        ],
    );
    let per_cent = |n: Option<f64>| n.map_or("–".to_owned(), per_cent);
    for world in all {
        let name = world["world"].as_str().or(world["name"].as_str())?;
        let scores: Vec<f64> = match (world["accuracy"].as_array(), world["scores"].as_array()) {
            (Some(list), _) => list.iter().filter_map(Value::as_f64).collect(),
            (_, Some(list)) => list
                .iter()
                .filter_map(|score| score["accuracy"].as_f64())
                .collect(),
            _ => vec![],
        };
        let best = scores.iter().skip(1).copied().reduce(f64::max);
        grid.rows.push(vec![
            name.replace('-', " "),
            match world["fits"].as_bool() {
                Some(false) => "no".into(),
                _ => "yes".into(),
            },
            world["distance"]
                .as_f64()
                .map_or("–".into(), |d| fixed(d, 3)),
            per_cent(scores.first().copied()),
            per_cent(best),
        ]);
    }
    grid.notes.push(
        "Each is a way in which the labelled source could have become this window; accuracies are those that were \
         rehearsed there, not measured on the window itself."
            .into(),
    );
    grid.if_any()
}

/// The columns that have moved most.
pub fn moved(last: &WindowRecord) -> Option<crate::page::Grid> {
    let title = format!(
        "Columns that have moved most, source to window {}",
        last.window
    );
    let mut grid = crate::page::Grid::new(title, 1, &["Column", "Mean moved by, deviations"]);
    let rows = last.moved.iter();
    grid.rows = rows
        .map(|moved| vec![moved.column.clone(), crate::numbers::signed(moved.by, 2)])
        .collect();
    grid.if_any()
}
