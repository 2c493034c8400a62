//! `audit`: the rows whose labels would settle whether the version in use or a rival of it is better on the newest window.
//! Only rows that the two class differently can tell, so only those are asked for, in an order that is drawn; the answer
//! is valid whenever somebody stops ([`Settling`]).

use std::collections::HashSet;

use serde::Serialize;

use super::labels::{Answers, LabelFile};
use super::rows::rows_of;
use crate::asked::{AskedLine, OTHER_CLASS};
use crate::folder::RunFolder;
use crate::record::DecisionKind;
use driftline_adapt::Version;
use driftline_core::data::Labels;
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};
use driftline_io::{Answer, ReadOptions, Rows};
use driftline_models::evaluate::Settling;
use driftline_models::{Classifier, Runtime};

/// What is to be settled, and by how many labels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Audit<'a> {
    pub budget: usize,
    /// A candidate of the run or the number of a version; if absent, the one that the open question is about.
    pub against: Option<String>,
    /// How many rows that the two class alike are named too; if any, as many more as there are too few of the others.
    pub agreeing: usize,
    /// Labels that are there already, beside those of the run.
    pub labels: Option<LabelFile<'a>>,
    pub read: ReadOptions,
    pub runtime: Runtime,
}

/// Where the question stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Audited {
    pub window: usize,
    /// The version in use, and what it is compared with.
    pub version: usize,
    pub rival: String,
    pub rows: usize,
    /// Rows that the two class differently.
    pub differing: usize,
    /// Labels so far, in the order in which they were asked for.
    pub labels: usize,
    /// The rival's accuracy less that of the version in use: what is possible now, and the width of that now and after
    /// the budget if the labels are half and half.
    pub low: f64,
    pub high: f64,
    pub width: f64,
    pub width_after: f64,
    /// Whether the rival is better, once that is settled; and which of them the labels speak for.
    pub settled: Option<bool>,
    pub leaning: Option<bool>,
    /// The rows to label next.
    pub asked: Vec<Asked>,
    /// Rows that both class alike: labels of them tell how often each is right, together with the others.
    pub agreeing: Vec<Asked>,
}

/// A row to be labelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Asked {
    pub file: String,
    pub row: u64,
    /// What the version in use takes it for, and the rival.
    pub class: String,
    pub class_rival: String,
}

impl Audit<'_> {
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            against: None,
            agreeing: 0,
            labels: None,
            read: ReadOptions::default(),
            runtime: Runtime::all_cores(),
        }
    }

    /// What the labels say, and what to label next, which is kept among what was asked for in the run.
    pub fn run(&self, run: &mut RunFolder) -> Result<Audited> {
        self.runtime.install(|| self.ask(run))
    }

    fn ask(&self, run: &mut RunFolder) -> Result<Audited> {
        run.settle()?;
        let window = run.manifest().windows;
        let rows = rows_of(run, window, &self.read, &self.runtime)?;
        let in_use = run.model(None)?.with_runtime(&self.runtime)?.version;
        let (rival, other) = self.rival(run)?;
        let other = other.with_runtime(&self.runtime)?;
        let (ours, theirs) = (in_use.predict(&rows.inputs)?, other.predict(&rows.inputs)?);
        let seed = run.manifest().settings.seed;
        let order = drawn(&ours, &theirs, true, seed, window);
        let alike = drawn(&ours, &theirs, false, seed, window);
        let mut settling = Settling::new(rows.len(), order.len());
        let mut answers = Answers::of(None, run, window, &rows)?.of_rows;
        if let Some(labels) = &self.labels {
            let given = labels.answers(&rows, &run.manifest().classes)?.of_rows;
            for (own, given) in answers.iter_mut().zip(given) {
                if given != Answer::Missing {
                    *own = given;
                }
            }
        }
        // The order was drawn: a label that was skipped ends what may be counted.
        let labeled = order
            .iter()
            .take_while(|&&row| answers[row] != Answer::Missing);
        for &row in labeled {
            let right = |labels: &Labels| answers[row] == Answer::Class(labels.as_slice()[row]);
            settling.add(right(&ours), right(&theirs));
        }
        let (low, high) = settling.interval();
        let settled = settling.settled();
        let next = order.iter().skip(settling.labels());
        let next = next.take(if settled.is_some() { 0 } else { self.budget });
        let next: Vec<usize> = next.copied().collect();
        let also = alike.iter().filter(|&&row| answers[row] == Answer::Missing);
        let short = self.budget.saturating_sub(next.len());
        let wanted = match self.agreeing {
            0 => 0,
            agreeing => agreeing + short,
        };
        let also: Vec<usize> = also.take(wanted).copied().collect();
        let draw = Draw {
            window,
            asked_by: format!("audit: {rival}"),
            rows: &rows,
            differing: &order,
        };
        draw.keep(run, [&next, &also], &answers)?;
        let classes = &run.manifest().classes;
        let named = |row: &usize| asked(&rows, *row, classes, [&ours, &theirs]);
        let asked: Vec<Asked> = next.iter().map(named).collect();
        Ok(Audited {
            window,
            version: run.manifest().current,
            rival,
            rows: rows.len(),
            differing: order.len(),
            labels: settling.labels(),
            low,
            high,
            width: high - low,
            width_after: settling.width_after(settling.labels() + asked.len()),
            settled,
            leaning: settling.leaning(),
            asked,
            agreeing: also.iter().map(named).collect(),
        })
    }

    /// What the version in use is compared with: the candidate that the policy had in mind; after a step the version
    /// before it; after a hold the first candidate, or else the source model.
    fn rival(&self, run: &RunFolder) -> Result<(String, Version)> {
        let resume_state = run.resume_state()?;
        let chains = resume_state
            .iter()
            .flat_map(|resume_state| &resume_state.chains);
        let chain = |name: &str| {
            let mut chains = chains.clone();
            let found = chains.find(|chain| chain.candidate == name)?;
            Some((found.candidate.clone(), found.version.clone()))
        };
        let version = |number: usize| -> Result<(String, Version)> {
            let name = match number {
                0 => "the source model".into(),
                number => format!("version {number}"),
            };
            Ok((name, run.model(Some(number))?.version))
        };
        if let Some(name) = &self.against {
            return match (name.parse(), chain(name)) {
                (Ok(number), _) => version(number),
                (_, Some(found)) => Ok(found),
                _ => {
                    let known: Vec<&str> = chains.map(|chain| &*chain.candidate).collect();
                    Err(Error::unknown_name("candidate of this run", name, &known))
                }
            };
        }
        let last = run.records().last();
        let last = last.ok_or_else(|| Error::empty("the list of windows"))?;
        let meant = last.findings().question.map(|own| own.candidate);
        if let Some(found) = meant.as_deref().and_then(chain) {
            return Ok(found);
        }
        let mut chains = chains.clone();
        match (last.decision, chains.next()) {
            (DecisionKind::Deploy, _) => version(last.teacher),
            (_, Some(first)) => Ok((first.candidate.clone(), first.version.clone())),
            _ => version(0),
        }
    }
}

/// The rows that the two class differently, or else alike, in an order that is drawn.
fn drawn(ours: &Labels, theirs: &Labels, differing: bool, seed: u64, window: usize) -> Vec<usize> {
    let pairs = ours.as_slice().iter().zip(theirs.as_slice()).enumerate();
    let rows: Vec<usize> = pairs
        .filter(|(_, (ours, theirs))| (ours != theirs) == differing)
        .map(|(row, _)| row)
        .collect();
    let name = if differing { "audit" } else { "audit agreeing" };
    let seed = Seed::new(seed).named(name).nth(window);
    let drawn = permutation(rows.len(), seed).into_iter();
    drawn.map(|place| rows[place]).collect()
}

/// What an audit asks for, on its way into the store.
struct Draw<'a> {
    window: usize,
    asked_by: String,
    rows: &'a Rows,
    differing: &'a [usize],
}

impl Draw<'_> {
    /// Adds the rows that are new, of either kind, with all labels that are known. A row stands for as many of its kind as
    /// were not drawn for each that was.
    fn keep(&self, run: &mut RunFolder, new: [&[usize]; 2], answers: &[Answer]) -> Result<()> {
        let mut asked = run.asked()?;
        let (before, classes) = (asked.clone(), run.manifest().classes.clone());
        let is_own =
            |line: &AskedLine| line.window == self.window && line.asked_by == self.asked_by;
        let known = asked.lines.iter().filter(|line| is_own(line));
        let known: HashSet<usize> = known.map(|line| line.window_row - 1).collect();
        for &row in new.into_iter().flatten().filter(|row| !known.contains(row)) {
            asked.lines.push(self.line(row));
        }
        let differing: HashSet<usize> = self.differing.iter().copied().collect();
        let differs = |line: &AskedLine| differing.contains(&(line.window_row - 1));
        let own = |line: &&AskedLine| is_own(line);
        let drawn = asked.lines.iter().filter(own).count();
        let drawn_differing = asked
            .lines
            .iter()
            .filter(own)
            .filter(|own| differs(own))
            .count();
        let share = |all: usize, drawn: usize| all as f64 / drawn.max(1) as f64;
        let weights = [
            share(self.rows.len() - differing.len(), drawn - drawn_differing),
            share(differing.len(), drawn_differing),
        ];
        for line in asked.lines.iter_mut() {
            if is_own(line) {
                line.weight = weights[usize::from(differs(line))];
            }
            let row = line.window_row.wrapping_sub(1);
            if line.window != self.window || !line.is_open() {
                continue;
            }
            line.label = match answers.get(row) {
                Some(Answer::Class(class)) => classes[*class as usize].clone(),
                Some(Answer::Unknown) => OTHER_CLASS.into(),
                _ => continue,
            };
        }
        asked.lines.sort_by_key(|line| line.window);
        if asked != before {
            run.keep_asked(&asked)?;
        }
        Ok(())
    }

    fn line(&self, row: usize) -> AskedLine {
        let (file, number) = self.rows.origins.get(row);
        let id = self.rows.ids.first().map(|ids| ids.values[row].clone());
        AskedLine {
            window: self.window,
            window_row: row + 1,
            id: id.unwrap_or_else(|| (row + 1).to_string()),
            file: file.display().to_string(),
            row: number,
            weight: 1.0,
            asked_by: self.asked_by.clone(),
            label: String::new(),
        }
    }
}

fn asked(rows: &Rows, row: usize, classes: &[String], [ours, theirs]: [&Labels; 2]) -> Asked {
    let (file, number) = rows.origins.get(row);
    let name = |labels: &Labels| classes[labels.as_slice()[row] as usize].clone();
    Asked {
        file: file.display().to_string(),
        row: number,
        class: name(ours),
        class_rival: name(theirs),
    }
}
