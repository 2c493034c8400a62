//! The report of runs on the user's own data: for each a section of the page with the outcome, its charts, a row per
//! window, and where it all comes from.

mod classes;
mod columns;
mod decisions;
mod figures;
mod limits;
mod now;
mod shell;
mod tables;
mod thumbnails;

use driftline_io::{InputDigest, Note, NoteCode, Notes};
use driftline_runs::{Origin, RunFolder, SourceRecord, Verdict};
use serde_json::json;

use crate::chart::Figure;
use crate::numbers::count;
use crate::page::{self, Section, settings};
use crate::{Result, words};

/// More points than this in a curve are averaged, more rows in a table left out: a page is to stay small.
const MOST_POINTS: usize = 160;
const MOST_ROWS: usize = 120;

pub use shell::{quoted, word};

/// A page for runs on the user's own data.
pub fn runs_html(runs: &[RunFolder]) -> Result<String> {
    let sections = sections(runs)?;
    page::html(&page::title(&sections, "runs"), &sections)
}

/// A page for one of them.
pub fn run_html(run: &RunFolder) -> Result<String> {
    runs_html(std::slice::from_ref(run))
}

/// The same for a run whose folder is gone afterwards: commands call it by this name.
pub fn run_html_called(run: &RunFolder, name: &str) -> Result<String> {
    let sections = [section(run, name, 1)?];
    page::html(&page::title(&sections, "runs"), &sections)
}

/// The same without charts, for places that show text.
pub fn runs_markdown(runs: &[RunFolder]) -> Result<String> {
    let sections = sections(runs)?;
    Ok(page::markdown(&page::title(&sections, "runs"), &sections))
}

/// Every chart of a run as the name and the contents of an SVG file.
pub fn run_figure_files(run: &RunFolder) -> Result<Vec<(String, String)>> {
    let section = section(run, "RUN", 1)?;
    let all = section
        .figures
        .iter()
        .flat_map(|figure| [Some(figure), figure.under.as_deref()]);
    let file = |figure: &Figure| (format!("{}.svg", figure.name), figure.standalone());
    Ok(all.flatten().map(file).collect())
}

fn sections(runs: &[RunFolder]) -> driftline_core::Result<Vec<Section>> {
    let section = |(index, run): (usize, &RunFolder)| {
        section(run, &run.folder().display().to_string(), index + 1)
    };
    runs.iter().enumerate().map(section).collect()
}

/// The `number`-th section of the page.
fn section(run: &RunFolder, folder: &str, number: usize) -> driftline_core::Result<Section> {
    let manifest = run.manifest();
    let model = run.model(Some(0))?;
    let limits = limits::limits(run, &model);
    let source = model.source;
    let verdict = run.verdict()?;
    let verdict = verdict.as_ref();
    let id = format!("r{number}");
    let records = run.records();
    let learner = json!({ "model": source.model, "learner": model.learner, "seed": source.seed });
    let settings = [
        settings::grid("Adaptation", &json!(manifest.settings)),
        settings::grid("Source model", &learner),
    ];
    let last = records.last();
    let drift = run.column_drift()?;
    // Without the rows themselves, what the record of the window has noted of their means.
    let columns_table = match drift.is_empty() {
        true => last.and_then(now::moved),
        false => last.and_then(|last| columns::table(&drift, last)),
    };
    let tables = [
        verdict.and_then(tables::glance),
        last.and_then(now::explanations),
        columns_table,
        last.and_then(|last| classes::classes(last, &source)),
        last.and_then(classes::confusion),
        tables::windows(records).if_any(),
    ];
    let mut figures = figures::all(run, &source, &id);
    figures.extend(last.and_then(|last| columns::figure(&drift, last, &id)));
    figures.extend(thumbnails::thumbnails(run, &id)?);
    Ok(Section {
        title: title(run),
        outcome: verdict.map_or("No window is finished yet.".into(), |own| {
            words::explanation(own, folder)
        }),
        verdict: verdict.map(words::badge),
        results: None,
        now: verdict.map(|own| words::headline(own, folder)),
        cards: verdict
            .zip(last)
            .map_or(vec![], |(own, last)| now::cards(own, last)),
        limits: verdict.map_or(vec![], |_| limits),
        figures,
        tables: tables.into_iter().flatten().collect(),
        notes: notes(run, &source),
        means: Vec::new(),
        settings: settings.into_iter().flatten().collect(),
        facts: facts(run, &source, verdict),
        command: quoted(&manifest.command),
        id,
    })
}

fn title(run: &RunFolder) -> String {
    let stream = &run.manifest().stream;
    let name = |input: &InputDigest| {
        let name = input.path.file_name().unwrap_or(input.path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    match &stream[..] {
        [] => "Adapting along a stream".into(),
        [only] => format!("Adapting along {}", name(only)),
        [first, .., last] => {
            let (first, last, files) = (name(first), name(last), stream.len());
            format!("Adapting along {first} to {last} ({files} files)")
        }
    }
}

/// What was handled on the way, each thing once.
fn notes(run: &RunFolder, source: &SourceRecord) -> Vec<String> {
    let mut all = Notes::new();
    all.extend(run.manifest().notes.clone());
    for record in run.records() {
        all.extend(record.notes.clone());
    }
    let from_source = source.notes.as_slice().iter();
    let mut lines: Vec<String> = from_source.map(|note| format!("Source: {note}")).collect();
    // Windows that were held are counted at a glance and marked in the table.
    let told = |note: &&Note| note.code != NoteCode::WindowHeld;
    lines.extend(all.as_slice().iter().filter(told).map(Note::to_string));
    let (done, planned) = (run.manifest().windows, run.manifest().planned);
    if done < planned {
        lines.push(format!(
            "Unfinished: {done} of {planned} windows. Run the same command again to continue."
        ));
    }
    lines
}

fn facts(
    run: &RunFolder,
    source: &SourceRecord,
    verdict: Option<&Verdict>,
) -> Vec<(String, String)> {
    let manifest = run.manifest();
    let validation = source.validation.as_ref();
    let (windows, planned) = (manifest.windows, manifest.planned.max(manifest.windows));
    let version = match verdict.map_or(manifest.current, |own| own.version) {
        0 => "0, the source model".into(),
        n => format!("{n}, the model after window {n}"),
    };
    let model = format!("{} on {}", source.model, count(source.rows, "row"));
    let validation = validation.map_or("unknown: too few rows".into(), words::held_out);
    let mut facts = vec![
        ("Windows".into(), format!("{windows} of {planned}")),
        ("Current version".into(), version),
        ("Source model".into(), model),
        ("Validation".into(), validation),
        ("Stream".into(), manifest.detected.clone()),
    ];
    let (role, first) = match &manifest.origin {
        Origin::Source(inputs) => ("Source file", inputs),
        Origin::Model(inputs) => ("Model file", inputs),
    };
    let steps = run.records().iter().flat_map(|record| &record.inputs);
    let inputs = first.iter().map(|input| (role, input));
    let inputs = inputs
        .chain(manifest.stream.iter().map(|input| ("Stream file", input)))
        .chain(steps.map(|input| ("Added file", input)));
    let inputs: Vec<(&str, &InputDigest)> = inputs.collect();
    for (role, input) in inputs.iter().take(8) {
        let hash: String = input.blake3.chars().take(12).collect();
        let file = format!("{}, blake3 {hash}…", input.path.display());
        facts.push(((*role).into(), file));
    }
    if inputs.len() > 8 {
        let more = format!("{} more, in manifest.json", inputs.len() - 8);
        facts.push(("Files".into(), more));
    }
    let environment = manifest.environment.iter();
    facts.extend(environment.map(|(name, value)| (name.clone(), value.clone())));
    facts.push(("Identity".into(), manifest.identity.clone()));
    facts
}
