//! The parts of a document that are made from results: Markdown tables of one experiment, of one table of the paper, and
//! of an experiment against another, and streams as the guard served them.

use driftline_lab::experiment::{
    Check, CheckVerdict, Contrast, Experiment, Leak, ResultTable, Row, TrustRow,
};
use driftline_models::evaluate::paired_difference;

use super::library::{Library, verdict};
use crate::failure::{Failure, Result};
use crate::output::{plus_minus, signed_with_interval, with_interval};

/// What a marker asks for: `results NAME`, `paired NAME`, `contrast NAME`, `leak NAME …`, `table NAME` or
/// `streams DATA SET = WHAT DRIFTS; …`.
pub fn block(request: &str, library: &Library<'_>) -> Result<String> {
    let (kind, name) = request.split_once(' ').unwrap_or((request, ""));
    let name = name.trim();
    match kind {
        "results" => results(library.plan(name)?, library),
        "paired" => paired(library.plan(name)?, library),
        "contrast" => contrast(library.plan(name)?, library),
        "leak" => leak(name, library),
        "table" => matrix(name, library),
        "streams" => streams(name, library),
        _ => Err(Failure::with_help(
            format!("there is no block `{request}`"),
            "there are: `results EXPERIMENT`, `paired EXPERIMENT`, `contrast EXPERIMENT`, `leak EXPERIMENT …`, `table NAME`, `streams DATA SET = WHAT DRIFTS; …`",
        )),
    }
}

/// Printed, ours with both intervals, and the difference where it exceeds them; then the checks.
fn results(plan: &Experiment, library: &Library<'_>) -> Result<String> {
    let store = library.store(plan)?;
    let table = ResultTable::of(&store);
    let many_sets = plan.datasets.len() > 1;
    let draws = plan.data_seeds.len() > 1;
    let printed = !plan.expected.cells.is_empty();
    let mut head = vec!["method"];
    if many_sets {
        head.insert(0, "data");
    }
    if printed {
        head.push("printed");
    }
    head.extend(["ours", "paper's ±"]);
    head.extend(if draws {
        ["lowest draw", "highest draw"]
    } else {
        ["n", "held-out source"]
    });
    if printed && !draws {
        head.push("beyond the intervals");
    }
    let mut rows = Vec::new();
    for dataset in &plan.datasets {
        for method in &plan.methods {
            let row = table.row(&dataset.name, &method.name);
            let mut cells = vec![method.name.clone()];
            if many_sets {
                cells.insert(0, dataset.name.clone());
            }
            if printed {
                let cell = plan.expected.cell(&dataset.name, &method.name);
                cells.push(cell.map_or(dash(), |cell| plus_minus(cell.mean, cell.half_width)));
            }
            cells.push(row.map_or(dash(), |row| with_interval(&row.accuracy)));
            let paper = row.and_then(|row| row.paper_style.half_width);
            cells.push(paper.map_or(dash(), |half| format!("{half:.1}")));
            if draws {
                cells.extend(row.map_or([dash(), dash()], extremes));
            } else {
                cells.push(row.map_or(0, |row| row.accuracy.n).to_string());
                let held_out = row.and_then(|row| row.held_out_source);
                cells.push(held_out.map_or(dash(), |held_out| with_interval(&held_out)));
            }
            if printed && !draws {
                cells.push(row.and_then(beyond).unwrap_or_default());
            }
            rows.push(cells);
        }
    }
    let mut text = grid(&head, &rows);
    let checks = Check::all(&store);
    if !checks.is_empty() {
        text += "\n";
    }
    for check in checks {
        let verdict = match check.verdict {
            CheckVerdict::Holds => "holds",
            CheckVerdict::Fails => "**does not hold**",
            CheckVerdict::Open => "open",
        };
        text += &format!("- {}: {verdict} ({})\n", check.claim, check.found);
    }
    Ok(text)
}

/// One row per data set, one column per method, for the experiments of one table.
fn matrix(name: &str, library: &Library<'_>) -> Result<String> {
    let plans = library.plans().iter();
    let plans = plans.filter(|plan| plan.table.as_deref() == Some(name));
    let plans: Vec<&Experiment> = plans.collect();
    let Some(first) = plans.first() else {
        return Err(Failure::told(format!("there is no table `{name}`")));
    };
    let methods: Vec<&str> = first.methods.iter().map(|method| &*method.name).collect();
    let mut rows = Vec::new();
    for plan in &plans {
        let store = library.store(plan)?;
        let table = ResultTable::of(&store);
        for dataset in &plan.datasets {
            let mut cells = vec![dataset.name.clone()];
            cells.extend(methods.iter().map(|method| {
                let row = table.row(&dataset.name, method);
                let ours = row.map_or(dash(), |row| with_interval(&row.accuracy));
                match plan.expected.cell(&dataset.name, method) {
                    Some(cell) => format!("{ours} ({:.1})", cell.mean),
                    None => ours,
                }
            }));
            rows.push(cells);
        }
    }
    let head: Vec<&str> = [""].into_iter().chain(methods).collect();
    Ok(grid(&head, &rows))
}

/// The named data sets of `experiments/trust`: unadapted, and as the guard served them.
fn streams(names: &str, library: &Library<'_>) -> Result<String> {
    let plans = library.plans().iter();
    let plans = plans.filter(|plan| plan.table.as_deref() == Some("trust"));
    let mut found = Vec::new();
    for plan in plans {
        found.extend(TrustRow::of(&library.store(plan)?));
    }
    let mut rows = Vec::new();
    for named in names.split(';') {
        let (name, drift) = named.split_once('=').unwrap_or((named, ""));
        let row = found.iter().find(|row| row.dataset == name.trim());
        let none = || Failure::told(format!("no stream `{}` has been judged", name.trim()));
        let row = row.ok_or_else(none)?;
        let points = |share: f64| format!("{:.1}", 100.0 * share);
        let gain = |share: f64| format!("{:+.1}", 100.0 * share);
        rows.push(vec![
            row.dataset.clone(),
            drift.trim().into(),
            points(row.unadapted),
            points(row.serving),
            gain(row.serving - row.unadapted),
            row.best.as_ref().map_or_else(dash, |best| gain(best.1)),
        ]);
    }
    let head = [
        "stream",
        "what drifts",
        "unadapted %",
        "served %",
        "gain",
        "best single method",
    ];
    Ok(grid(&head, &rows))
}

/// Every method of an experiment against its first one, seed by seed.
fn paired(plan: &Experiment, library: &Library<'_>) -> Result<String> {
    let table = ResultTable::of(&library.store(plan)?);
    let first = &plan.methods[0].name;
    let against = format!("against {first}, paired");
    let head = ["data", "method", &against, "n", "that is"];
    let mut rows = Vec::new();
    for row in table.rows.iter().filter(|row| row.method != *first) {
        let base = table.row(&row.dataset, first);
        let difference = base.and_then(|base| paired_difference(&row.values, &base.values));
        rows.extend(difference.map(|difference| {
            vec![
                row.dataset.clone(),
                row.method.clone(),
                signed_with_interval(&difference),
                difference.n.to_string(),
                verdict(&difference).into(),
            ]
        }));
    }
    Ok(grid(&head, &rows))
}

/// What choosing the step, or settings and step, by the labels of the target would have added, over several experiments;
/// settings against the last method of the first experiment.
fn leak(names: &str, library: &Library<'_>) -> Result<String> {
    let mut known: Vec<(Leak, &str)> = Vec::new();
    let mut subject = None;
    for name in names.split_whitespace() {
        for leak in Leak::all(&library.store(library.plan(name)?)?) {
            if !known.iter().any(|(before, _)| before.is(&leak)) {
                known.push((leak, name));
            }
        }
        subject = subject.or(known.len().checked_sub(1));
    }
    let Some(subject) = subject else {
        return Ok("Not run yet.\n".into());
    };
    let title = |(leak, name): &(Leak, &str)| format!("{}, `{name}`", leak.method);
    let row = |one: &(Leak, &str)| {
        vec![
            title(one),
            one.0.last.n.to_string(),
            with_interval(&one.0.last),
            with_interval(&one.0.best),
            signed_with_interval(&one.0.inflation),
        ]
    };
    let mut rows: Vec<Vec<String>> = known.iter().map(row).collect();
    let mut all: Vec<&Leak> = known.iter().map(|(leak, _)| leak).collect();
    all.swap(0, subject);
    if let Some((best, inflation)) = Leak::best_of(&all) {
        rows.push(vec![
            format!(
                "the best of these for each seed, against {}",
                title(&known[subject])
            ),
            best.n.to_string(),
            dash(),
            with_interval(&best),
            signed_with_interval(&inflation),
        ]);
    }
    let head = [
        "method",
        "n",
        "last step",
        "best step by the target's labels",
        "inflation, paired",
    ];
    Ok(grid(&head, &rows))
}

fn contrast(plan: &Experiment, library: &Library<'_>) -> Result<String> {
    let none = || Failure::told(format!("`{}` has no [contrast] in its file", plan.name));
    let contrasted = library.contrast(plan)?.ok_or_else(none)?;
    if contrasted.rows.is_empty() {
        return Ok("Not run yet.\n".into());
    }
    let (there, here) = (format!("`{}`", contrasted.with), &contrasted.here);
    let head = ["method", &there, here, "difference, paired", "that is"];
    let row = |row: &Contrast| {
        vec![
            row.method.clone(),
            with_interval(&row.there),
            with_interval(&row.here),
            signed_with_interval(&row.difference),
            verdict(&row.difference).into(),
        ]
    };
    let rows: Vec<Vec<String>> = contrasted.rows.iter().map(row).collect();
    Ok(grid(&head, &rows))
}

/// By how much ours differs from the printed mean, where that is more than both intervals together, both computed as the
/// paper does: a printed interval is narrower than Student's, and only like may be compared with like.
fn beyond(row: &Row) -> Option<String> {
    let cell = row.printed.as_ref()?;
    let difference = row.accuracy.mean - cell.mean;
    let reach = row.paper_style.half_width? + cell.half_width.unwrap_or(0.0);
    (difference.abs() > reach).then(|| format!("{difference:+.1}"))
}

fn extremes(row: &Row) -> [String; 2] {
    let values = || row.values.iter().map(|(_, value)| *value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    [format!("{low:.1}"), format!("{high:.1}")]
}

fn dash() -> String {
    "–".into()
}

fn grid(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_lab::experiment::ExpectedCell;
    use driftline_models::evaluate::Interval;

    /// More than both intervals together is beyond them, however little more.
    #[test]
    fn a_difference_just_beyond_the_intervals_is_shown() {
        let of = |half_width| Interval {
            mean: 32.92,
            half_width: Some(half_width),
            n: 5,
        };
        let mut row = Row {
            dataset: "Rot MNIST".into(),
            method: "Source".into(),
            accuracy: of(2.0),
            paper_style: of(1.4),
            held_out_source: None,
            behind_last: None,
            printed: Some(ExpectedCell {
                dataset: "Rot MNIST".into(),
                method: "Source".into(),
                mean: 30.5,
                half_width: Some(1.0),
            }),
            values: Vec::new(),
        };
        assert_eq!(beyond(&row).as_deref(), Some("+2.4"));
        row.paper_style.half_width = Some(1.43);
        assert_eq!(beyond(&row), None);
    }
}
