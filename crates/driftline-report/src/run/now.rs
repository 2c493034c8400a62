//! What a run is like now, at the top of its page: the numbers of the verdict, and the drift of the newest window.

use driftline_runs::{Explanation, Moved, Quantity, StepKind, Verdict, WindowRecord};

use crate::numbers::{fixed, per_cent, points, signed};
use crate::page::{Card, Grid};
use crate::words;

/// Accuracy as served, the difference to the unadapted model, what is in use, and the drift.
pub fn cards(verdict: &Verdict, last: &WindowRecord) -> Vec<Card> {
    vec![
        served(verdict),
        difference(verdict),
        in_use(verdict),
        drift(last),
    ]
}

fn range(own: &Quantity) -> String {
    let [low, high] = [own.low, own.high].map(per_cent);
    format!("{low} to {high} %, {}", words::how(own.by))
}

fn served(verdict: &Verdict) -> Card {
    let name = "Accuracy as served";
    match &verdict.served {
        Some(own) => Card::new(
            name,
            format!("{} %", per_cent(own.value)),
            format!("{}, {}", range(own), words::place(verdict)),
        ),
        None => Card::new(
            name,
            "not known".into(),
            "there are no labels and no estimate".into(),
        ),
    }
}

fn difference(verdict: &Verdict) -> Card {
    let name = "Against the unadapted model";
    let unadapted = verdict
        .unadapted
        .map(|own| format!("unadapted {}", words::with_interval(&own)));
    match (&verdict.difference, unadapted) {
        (Some(own), Some(unadapted)) => {
            let [low, high] = [own.low, own.high].map(|end| signed(100.0 * end, 1));
            let detail = format!("{low} to {high}, {}; {unadapted}", words::how(own.by));
            Card::new(name, points(own.value), detail)
        }
        (_, unadapted) => Card::new(name, "not known".into(), unadapted.unwrap_or_default()),
    }
}

fn in_use(verdict: &Verdict) -> Card {
    let value = match (verdict.version, &verdict.candidate) {
        (0, _) => "the source model".into(),
        (version, Some(name)) => format!("version {version}, {name}"),
        (version, None) => format!("version {version}"),
    };
    let step = match verdict.last_step.kind {
        StepKind::Deployed if verdict.version == verdict.window => "deployed",
        StepKind::Deployed => "chosen by hand",
        StepKind::Held => "the newest step was held",
        StepKind::TakenBack => "taken up again",
        _ => "only watched",
    };
    let accuracy = verdict
        .in_use
        .map(|own| format!("{} {}; ", words::how(own.by), words::with_interval(&own)));
    Card::new("In use now", value, accuracy.unwrap_or_default() + step)
}

/// Drift against the limit up to which steps are safe, as far as the policy has found it.
fn drift(last: &WindowRecord) -> Card {
    let Some(found) = last.findings().drift else {
        return moved_most(last);
    };
    match found.limit.filter(|limit| *limit > 0.0) {
        Some(limit) => {
            let value = format!("{} × the limit", fixed(found.size / limit, 2));
            Card::new("Drift against the safe limit", value, found.reason)
        }
        None if found.floor > 0.0 => {
            let value = format!("{} × its noise", fixed(found.size / found.floor, 1));
            Card::new("Drift", value, found.reason)
        }
        None => moved_most(last),
    }
}

fn moved_most(last: &WindowRecord) -> Card {
    let (value, what) = match last.moved.first() {
        Some(moved) => (
            format!("{} deviations", fixed(moved.by.abs(), 1)),
            format!("the mean of {}, which has moved most", moved.column),
        ),
        None => (
            format!("{} % changed", per_cent(last.flips)),
            "rows where the deployed and the source model differ".into(),
        ),
    };
    Card::new("Drift", value, format!("{what}; no safe limit is known"))
}

/// The explanations of the drift that were tried, where the policy tells them.
pub fn explanations(last: &WindowRecord) -> Option<Grid> {
    let all = last.findings().explanations;
    let title = format!("Explanations of the drift in {}", words::when(last));
    let head = "Explanation|Weight %|Misfit, in units of noise|Source model %|Best candidate %";
    let mut grid = Grid::new(title, 1, head);
    let row = |own: Explanation| {
        let best = own.accuracy.iter().skip(1).copied().reduce(f64::max);
        let percent = |n: Option<f64>| n.map_or("–".to_owned(), per_cent);
        vec![
            own.name.replace('-', " "),
            per_cent(own.weight),
            fixed(own.misfit, 1),
            percent(own.accuracy.first().copied()),
            percent(best),
        ]
    };
    grid.rows = all.into_iter().map(row).collect();
    grid.notes.push(
        "Each explanation is a way in which the labelled source could have become this window. The accuracies follow from it; they were not measured on the window."
            .into(),
    );
    grid.if_any()
}

/// The columns that have moved most.
pub fn moved(last: &WindowRecord) -> Option<Grid> {
    let title = format!(
        "Columns that have moved most, source to {}",
        words::when(last)
    );
    let mut grid = Grid::new(
        title,
        1,
        "Column|Shift of the mean, standard deviations|Accuracy lost on the source when shuffled, points|Rows of the window that change class, %",
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
