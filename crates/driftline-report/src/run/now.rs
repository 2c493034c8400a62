//! What a run is like now, at the top of its page: three figures and a sentence, from its newest window.

use driftline_runs::{DecisionKind, Moved, RunFolder, Summary, WindowRecord};
use serde_json::Value;

use crate::numbers::{fixed, per_cent, signed};
use crate::page::{Card, Grid};

/// Accuracy now, drift, and what is deployed.
pub fn cards(run: &RunFolder, summary: Option<&Summary>) -> Vec<Card> {
    match (run.records().last(), summary) {
        (Some(last), Some(summary)) => {
            vec![accuracy(last, summary), drift(last), deployed(run, last)]
        }
        _ => vec![],
    }
}

/// One sentence.
pub fn sentence(run: &RunFolder) -> Option<String> {
    let last = run.records().last()?;
    let (current, window) = (run.manifest().current, last.window);
    let what = match current {
        0 => "The source model".into(),
        version => format!("Version {version}"),
    };
    let decision = match last.decision {
        _ if current != window => "was chosen by hand".into(),
        DecisionKind::Deploy => format!("was deployed after window {window}"),
        DecisionKind::Hold => format!("was kept through window {window}"),
        DecisionKind::RollBack => format!("was taken up again after window {window}"),
    };
    let accuracy = match estimate(last) {
        Some([estimate, low, high]) => {
            format!("its accuracy there is estimated at {estimate} % ({low} to {high})")
        }
        None => "how accurate it is there cannot be told without answers".into(),
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
    Some(format!("{what} {decision}; {accuracy}."))
}

/// The estimated accuracy of the newest window and its interval, in per cent.
fn estimate(last: &WindowRecord) -> Option<[String; 3]> {
    let (low, high) = last.estimated_low.zip(last.estimated_high)?;
    Some([last.estimated_accuracy?, low, high].map(per_cent))
}

fn accuracy(last: &WindowRecord, summary: &Summary) -> Card {
    let window = last.window;
    match (estimate(last), &summary.newest) {
        (Some([estimate, low, high]), _) => Card::new(
            "Estimated accuracy now",
            format!("{estimate} %"),
            format!("between {low} and {high} %, without answers, on window {window}"),
        ),
        (_, Some(newest)) => Card::new(
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
    let told = ["sentence", "reason", "verdict"].iter();
    let detail = told.clone().find_map(|key| found[key].as_str());
    let detail = detail.unwrap_or("of the newest window").to_owned();
    match (number("size"), number("limit"), number("floor")) {
        (Some(size), Some(limit), _) if limit > 0.0 => {
            let value = format!("{} × the limit", fixed(size / limit, 2));
            Card::new("Drift against the safe limit", value, detail)
        }
        (Some(size), _, Some(floor)) if floor > 0.0 => {
            let value = format!("{} × its noise", fixed(size / floor, 1));
            Card::new("Drift", value, detail)
        }
        _ => {
            let (value, what) = match last.moved.first() {
                Some(moved) => (
                    format!("{} deviations", fixed(moved.by.abs(), 1)),
                    format!("the mean of `{}`, which has moved most", moved.column),
                ),
                None => (
                    format!("{} % changed", per_cent(last.flips)),
                    "rows where the deployed and the source model differ".into(),
                ),
            };
            Card::new("Drift", value, format!("{what}; no safe limit is known"))
        }
    }
}

fn deployed(run: &RunFolder, last: &WindowRecord) -> Card {
    let current = run.manifest().current;
    // A version that was kept has the name of the one that it was made from.
    let mut before = run.records().iter().take(current).rev();
    let made_by = before.find_map(|record| match record.decision {
        DecisionKind::Deploy => Some(record.candidate.clone()),
        DecisionKind::RollBack => Some(None),
        DecisionKind::Hold => None,
    });
    let value = match (current, made_by.flatten()) {
        (0, _) => "the source model".into(),
        (version, Some(name)) => format!("version {version}, {name}"),
        (version, None) => format!("version {version}"),
    };
    let decision = match last.decision {
        _ if current != last.window => "chosen by hand",
        DecisionKind::Deploy => "deployed",
        DecisionKind::Hold => "held",
        DecisionKind::RollBack => "rolled back",
    };
    let why = last.reason.as_ref().filter(|_| current == last.window);
    let detail = match why {
        Some(why) => format!("{decision}: {why}"),
        None => decision.into(),
    };
    Card::new("Deployed now", value, detail)
}

/// The explanations of the drift that were tried, where the policy tells them.
pub fn explanations(last: &WindowRecord) -> Option<Grid> {
    let lists = [
        &last.findings["details"]["worlds"],
        &last.findings["explanations"],
        &last.findings["worlds"],
    ];
    let all = lists.into_iter().find_map(Value::as_array)?;
    let title = format!("Explanations of the drift in window {}", last.window);
    let head = "Explanation|Fits|Distance|Source model %|Best candidate %";
    let mut grid = Grid::new(title, 1, head);
    let per_cent = |n: Option<f64>| n.map_or("–".to_owned(), per_cent);
    for world in all {
        let name = world["world"].as_str().or(world["name"].as_str())?;
        // Two forms in which the scores were written: numbers, or objects with an accuracy.
        let list = world["accuracy"].as_array().or(world["scores"].as_array());
        let scores = list.into_iter().flatten();
        let score = |score: &Value| score.as_f64().or(score["accuracy"].as_f64());
        let scores: Vec<f64> = scores.filter_map(score).collect();
        let best = scores.iter().skip(1).copied().reduce(f64::max);
        let fits = world["fits"].as_bool().unwrap_or(true);
        let distance = world["distance"].as_f64();
        grid.rows.push(vec![
            name.replace('-', " "),
            if fits { "yes" } else { "no" }.into(),
            distance.map_or("–".into(), |d| fixed(d, 3)),
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
pub fn moved(last: &WindowRecord) -> Option<Grid> {
    let window = last.window;
    let title = format!("Columns that have moved most, source to window {window}");
    let mut grid = Grid::new(
        title,
        1,
        "Column|Mean moved by, deviations|Accuracy lost on the source when shuffled, points|Rows of the window that change class, %",
    );
    // A column that has moved and matters comes first.
    let matters = |moved: &Moved| {
        let importance = moved.importance;
        moved.by.abs() * importance.map_or(0.0, |found| found.source.max(0.0) + found.window)
    };
    let mut all: Vec<&Moved> = last.moved.iter().collect();
    all.sort_by(|a, b| matters(b).total_cmp(&matters(a)));
    let percent = |share: Option<f64>| share.map_or(String::new(), |share| fixed(100.0 * share, 1));
    let rows = all.into_iter().map(|moved| {
        let importance = moved.importance;
        vec![
            moved.column.clone(),
            signed(moved.by, 2),
            percent(importance.map(|found| found.source)),
            percent(importance.map(|found| found.window)),
        ]
    });
    grid.rows = rows.collect();
    if last.moved.iter().any(|moved| moved.importance.is_some()) {
        grid.notes.push(
            "Columns that moved far and that the model needs come first. Shuffling one category shuffles its whole column."
                .into(),
        );
    }
    grid.if_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_runs::Importance;

    #[test]
    fn a_column_that_has_moved_and_matters_comes_first() {
        let moved = |column: &str, by, source, window| Moved {
            column: column.into(),
            by,
            importance: Some(Importance { source, window }),
        };
        let last = WindowRecord {
            window: 7,
            moved: vec![
                moved("far", 3.0, -0.01, 0.0),
                moved("half", -1.0, 0.1, 0.05),
                moved("both", 0.9, 0.2, 0.3),
            ],
            ..WindowRecord::default()
        };
        let rows = super::moved(&last).unwrap().rows;
        let columns: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
        assert_eq!(columns, ["both", "half", "far"]);
        assert_eq!(rows[0][2..], ["20.0", "30.0"]);
    }
}
