//! `score --learn`: the next version of a run learns from labels that came late. The rows of the window that have none
//! keep the class that the version in use gives them, and count together no more than those that have one.

use super::labels::{Answers, LabelFile};
use super::rows::rows_of;
use crate::findings::Findings;
use crate::folder::RunFolder;
use crate::predictions::WindowTable;
use crate::session::Session;
use crate::step::{Stepped, by_itself};
use crate::walk::Keep;
use driftline_core::data::{Examples, LabeledDomain, Labels, Targets};
use driftline_core::{Error, Result};
use driftline_io::{Answer, Notes, ReadOptions};
use driftline_models::{Classifier, Runtime};

/// Adds a version that has learned from labels of the rows of `window`: those of a file, or of the rows that were asked for.
pub fn learn(
    run: &mut RunFolder,
    window: usize,
    labels: Option<&LabelFile<'_>>,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<Stepped> {
    runtime.install(|| {
        run.expect_own_report()?;
        let rows = rows_of(run, window, read, runtime)?;
        let Answers {
            of_rows: answers,
            digests,
            ..
        } = Answers::of(labels, run, window, &rows)?;
        if let Some(window) = run.window_of(&digests) {
            return Ok(Stepped::Known(window));
        }
        let (finished, planned) = (run.manifest().windows, run.manifest().planned);
        if finished < planned {
            return Err(Error::Unfinished {
                path: run.folder().into(),
                finished,
                planned,
            });
        }
        let mut session = run.session(None, runtime, None)?;
        let examples = examples(&session, &rows.inputs, &answers)?;
        let window_of_rows = by_itself(rows, Notes::new());
        let mut measured = session.learn(&examples, &window_of_rows)?;
        measured.record.inputs = digests;
        // Its rows are those of that window; what it is known by is the file of labels.
        measured.record.findings = Findings::learned_from(window);
        let table = WindowTable {
            rows: window_of_rows.rows,
            classes: session.source().classes().to_vec(),
            labels: measured.labels,
            probabilities: measured.probabilities,
        };
        run.keep(
            measured.record,
            session.current(),
            session.engine(),
            Some(table),
        )?;
        run.settle()?;
        Ok(Stepped::Added(finished + 1))
    })
}

/// Labelled rows, and the others by the class of the version in use.
fn examples(
    session: &Session,
    inputs: &driftline_core::data::Inputs,
    answers: &[Answer],
) -> Result<Examples> {
    let version = session.engine().deployed();
    let aligned = version.alignment.apply(inputs)?;
    let given = |row: &usize| match answers[*row] {
        Answer::Class(class) => Some(class),
        Answer::Unknown | Answer::Missing => None,
    };
    let (labeled, others): (Vec<usize>, Vec<usize>) = (0..answers.len())
        // A class that the model does not know cannot be learned, and its row is not one of another.
        .filter(|&row| answers[row] != Answer::Unknown)
        .partition(|row| given(row).is_some());
    if labeled.is_empty() {
        return Err(Error::empty("the column of labels"));
    }
    let classes: Vec<u32> = labeled.iter().filter_map(given).collect();
    let labels = Labels::new(classes, version.n_classes())?;
    let examples = Examples::new(aligned.pick(&labeled), Targets::Hard(labels))?;
    if others.is_empty() {
        return Ok(examples);
    }
    let rest = aligned.pick(&others);
    let predicted = version.model.predict(&rest)?;
    let weight = (labeled.len() as f32 / others.len() as f32).min(1.0);
    examples.joined_with(&LabeledDomain::new(rest, predicted)?, weight)
}
