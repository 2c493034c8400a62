//! What was decided window by window, as a strip under the accuracies.

use driftline::runs::{Fate, WindowRecord};

use super::MOST_POINTS;
use crate::chart::Figure;
use crate::chart::decisions::{self, Cell};
use crate::chart::lines::{self, Series};
use crate::chart::tone::Tone;

/// Nothing where every step was deployed.
pub fn strip(records: &[WindowRecord], above: &[Series], id: &str) -> Option<Figure> {
    let plain = |record: &WindowRecord| {
        record.decision == Fate::Deploy && record.candidate.as_deref().is_none_or(|c| c == "plain")
    };
    if records.iter().all(plain) {
        return None;
    }
    let mut names: Vec<&str> = vec![];
    for name in records
        .iter()
        .filter_map(|record| record.candidate.as_deref())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let shown = &records[records.len().saturating_sub(MOST_POINTS)..];
    let cells: Vec<Cell> = shown.iter().map(|record| cell(record, &names)).collect();
    let mut legend: Vec<(Tone, String)> = names
        .iter()
        .enumerate()
        .map(|(place, name)| (Tone::Series(place), format!("{} {name}", letter(place))))
        .collect();
    let count = |fate| {
        records
            .iter()
            .filter(|record| record.decision == fate)
            .count()
    };
    let (deployed, held, back) = (
        count(Fate::Deploy),
        count(Fate::Hold),
        count(Fate::RollBack),
    );
    legend.extend((held > 0).then(|| (Tone::Neutral, "– held".into())));
    legend.extend((back > 0).then(|| (Tone::Neutral, "↩ rolled back".into())));
    let caption = String::new();
    let facts = format!(
        "{deployed} windows deployed ({}), {held} held, {back} rolled back.",
        names.join(", ")
    );
    let frame = lines::frame(above);
    Some(Figure::draw(
        id,
        "decisions",
        "Decisions",
        caption,
        &facts,
        |heading| decisions::chart(heading, &frame, &cells, &legend),
    ))
}

fn letter(place: usize) -> char {
    char::from(b'A' + (place % 26) as u8)
}

fn cell(record: &WindowRecord, names: &[&str]) -> Cell {
    let place = names
        .iter()
        .position(|name| record.candidate.as_deref() == Some(name));
    let why = record
        .reason
        .as_deref()
        .map_or(String::new(), |why| format!(": {why}"));
    let window = record.window;
    match (record.decision, place) {
        (Fate::Deploy, place) => Cell {
            sign: place.map_or(String::new(), |place| letter(place).to_string()),
            tone: place.map_or(Tone::Neutral, Tone::Series),
            filled: true,
            hint: format!(
                "window {window}, {} deployed{why}",
                place.map_or("a step", |p| names[p])
            ),
        },
        (Fate::Hold, _) => Cell {
            sign: "–".into(),
            tone: Tone::Neutral,
            filled: false,
            hint: format!("window {window}, held{why}"),
        },
        (Fate::RollBack, _) => Cell {
            sign: "↩".into(),
            tone: Tone::Neutral,
            filled: false,
            hint: format!("window {window}, rolled back{why}"),
        },
    }
}
