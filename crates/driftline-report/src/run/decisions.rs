//! What was decided window by window, as a strip under the accuracies.

use driftline_runs::{DecisionKind, WindowRecord};

use super::MOST_POINTS;
use crate::chart::Figure;
use crate::chart::decisions::{self, Cell};
use crate::chart::lines::{self, Series};
use crate::chart::tone::Tone;
use crate::words;

/// Nothing where every step was deployed.
pub fn strip(records: &[WindowRecord], above: &[Series], id: &str) -> Option<Figure> {
    let plain = |record: &WindowRecord| {
        record.decision == DecisionKind::Deploy
            && record.candidate.as_deref().is_none_or(|c| c == "plain")
    };
    if records.iter().all(plain) {
        return None;
    }
    let mut names: Vec<&str> = vec![];
    for name in records.iter().filter_map(|r| r.candidate.as_deref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let shown = &records[records.len().saturating_sub(MOST_POINTS)..];
    let cells: Vec<Cell> = shown.iter().map(|record| cell(record, &names)).collect();
    let named = names.iter().enumerate();
    let named = named.map(|(at, name)| (Tone::Series(at), format!("{} {name}", letter(at))));
    let mut legend: Vec<(Tone, String)> = named.collect();
    let count = |kind| records.iter().filter(|r| r.decision == kind).count();
    let (deployed, held) = (count(DecisionKind::Deploy), count(DecisionKind::Hold));
    let back = count(DecisionKind::RollBack);
    legend.extend((held > 0).then(|| (Tone::Neutral, "– held".into())));
    legend.extend((back > 0).then(|| (Tone::Neutral, "↩ rolled back".into())));
    let facts = format!(
        "{deployed} windows deployed ({}), {held} held, {back} rolled back.",
        names.join(", ")
    );
    let chart = decisions::chart(&lines::frame(above), &cells, &legend);
    Some(Figure::draw(
        id,
        "decisions",
        "Decisions",
        "",
        &facts,
        chart,
    ))
}

fn letter(place: usize) -> char {
    char::from(b'A' + (place % 26) as u8)
}

fn cell(record: &WindowRecord, names: &[&str]) -> Cell {
    let named = |name: &&str| record.candidate.as_deref() == Some(name);
    let place = names.iter().position(named);
    let filled = record.decision == DecisionKind::Deploy;
    let (sign, what) = match record.decision {
        DecisionKind::Deploy => {
            let sign = place.map_or(String::new(), |place| letter(place).to_string());
            let name = place.map_or("a step", |place| names[place]);
            (sign, format!("{name} deployed"))
        }
        DecisionKind::Hold => ("–".into(), "held".into()),
        DecisionKind::RollBack => ("↩".into(), "rolled back".into()),
    };
    let why = record.reason.as_deref();
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    Cell {
        sign,
        tone: place.filter(|_| filled).map_or(Tone::Neutral, Tone::Series),
        filled,
        hint: format!("{}, {what}{why}", words::when(record)).replace('`', ""),
    }
}
