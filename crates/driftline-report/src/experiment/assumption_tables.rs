//! What Theorem 3.2 asks of an experiment's drift, and what its bound says beside the loss that was measured.

use driftline_drift::transport::WInfinity;
use driftline_theory::assumptions::{AssumptionVerdict, Assumptions, Shift};

use crate::assumptions::Finding;
use crate::page::Grid;

/// One table per data set: a row per step of the drift, the verdicts below.
pub fn grids(findings: &[Finding]) -> Vec<Grid> {
    findings.iter().map(grid).collect()
}

fn grid(finding: &Finding) -> Grid {
    let found = &finding.assumptions;
    let (dataset, method) = (&finding.dataset, &finding.method);
    let title = format!("Assumptions of Theorem 3.2: {dataset}, {method}");
    let head = "Window|W∞, all|W∞, chance|ρ|Label shift|α* ≤|Loss before|Bound after|Loss after";
    let mut grid = Grid::new(title, 0, head);
    grid.rows = found.steps.iter().map(row).collect();
    grid.notes = notes(finding, found);
    grid
}

fn row(step: &Shift) -> Vec<String> {
    let bound = step.bound.as_ref().map(|bound| match bound.value {
        value if value.is_finite() => format!("{value:.2}"),
        _ => "∞".into(),
    });
    vec![
        step.window.to_string(),
        distance(&step.unlabeled),
        distance(&step.floor),
        step.rho.as_ref().map_or("–".into(), distance),
        number(step.label_shift),
        number(step.best),
        number(step.loss_before),
        bound.unwrap_or("–".into()),
        number(step.loss_after),
    ]
}

fn notes(finding: &Finding, found: &Assumptions) -> Vec<String> {
    let mut notes = vec![format!(
        "Measured with data seed {} and training seed {}. “Chance” is the distance between two halves of one window, where \
         nothing shifts; ρ is the largest distance within a class.",
        finding.data_seed, finding.seed
    )];
    let margin = found
        .radius
        .zip(found.margin)
        .map(|(radius, margin)| format!("R = {radius:.2}, so the margin 1/R is {margin:.3}; "));
    notes.push(format!("{}B = {:.2}.", margin.unwrap_or_default(), found.b));
    notes.push(format!(
        "Gradual shift (ρ < 1/R): {}. No label shift: {}. Separation: {}.",
        verdict(found.gradual_shift),
        verdict(found.no_label_shift),
        match found.best {
            Some(best) => format!("{} (α* ≤ {best:.3})", verdict(found.separation)),
            None => verdict(found.separation).to_string(),
        }
    ));
    let bounded = found.steps.iter().filter(|step| step.bound.is_some());
    let bounded = bounded.count();
    if bounded > 0 {
        notes.push(format!(
            "The bound is below 1, so that it can fail, for {} of {bounded} steps. A measured loss stands beside it in {}, \
             and exceeds it in {}.",
            found.telling_bounds,
            found.bounds_compared(),
            found.bounds_exceeded
        ));
    }
    notes.extend(found.notes.iter().cloned());
    notes
}

fn verdict(verdict: AssumptionVerdict) -> &'static str {
    match verdict {
        AssumptionVerdict::Holds => "holds",
        AssumptionVerdict::Violated => "violated",
        AssumptionVerdict::NotRefuted => "not refuted",
        AssumptionVerdict::NotApplicable => "not applicable",
    }
}

fn distance(w: &WInfinity) -> String {
    if w.exact {
        format!("{:.2}", w.value)
    } else {
        format!("{:.2}–{:.2}", w.lower, w.upper)
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.3}"))
}
