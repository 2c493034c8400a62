//! What a fit or an adaptation would do: everything is read, nothing is trained or written.

use serde::Serialize;

use super::adapt::{Adapt, Data, Start, expect_known_answers};
use super::fit::{Fit, Prepared};
use super::model_choice::ModelChoice;
use crate::Result;
use crate::reading::{FrameSource, Notes, WindowedStream};

/// A source before it is trained on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survey {
    pub rows: usize,
    pub classes: Vec<String>,
    pub class_counts: Vec<usize>,
    pub features: Vec<String>,
    pub input: String,
    /// Never `auto`: what it would come to.
    pub model: ModelChoice,
    pub stated: String,
    pub notes: Notes,
}

/// A stream before it is walked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Where a source is to be fitted first.
    pub source: Option<Survey>,
    pub rows: u64,
    /// The rows of each window.
    pub windows: Vec<usize>,
    /// The first and the last time, where there is a time column.
    pub span: Option<(String, String)>,
    /// What becomes of the rows after the last full window.
    pub remainder: String,
    pub stated: String,
    pub notes: Notes,
}

impl Fit {
    /// Reads `source` and says what would be trained.
    pub fn survey(&self, source: &dyn FrameSource) -> Result<Survey> {
        self.expect_columns(source)?;
        Ok(self.describe(&self.read(source)?))
    }

    fn describe(&self, source: &Prepared) -> Survey {
        let Prepared {
            encoding,
            rows,
            notes,
        } = source;
        Survey {
            rows: rows.labels.len(),
            classes: encoding.classes().to_vec(),
            class_counts: rows.labels.counts(),
            features: encoding.input_names(),
            input: encoding.shape().to_string(),
            model: self.model.resolved(encoding.shape()),
            stated: rows.stated.clone(),
            notes: notes.clone(),
        }
    }
}

/// Reads source and stream and says what [`Adapt::run`] would do.
pub fn plan(adapt: &Adapt, start: &Start, stream: Data) -> Result<Plan> {
    let (survey, encoding) = match start {
        Start::Source(fit, data) => {
            let source = fit.read(&*data.source)?;
            (Some(fit.describe(&source)), source.encoding)
        }
        Start::Model(bundle, _) => (None, bundle.encoding.clone()),
    };
    let settings = &adapt.settings;
    let (choice, cut) = (&settings.choice, settings.cut());
    let stream = WindowedStream::open(stream.source, &encoding, choice, cut, &adapt.read)?;
    let outline = stream.outline();
    expect_known_answers(outline, choice, &encoding)?;
    let windows = outline.windows.iter().map(|window| window.rows).collect();
    let span = outline.span;
    let span = span.map(|(from, to)| (from.to_string(), to.to_string()));
    let mut notes = survey
        .as_ref()
        .map_or_else(Notes::new, |survey| survey.notes.clone());
    notes.extend(stream.notes().clone());
    Ok(Plan {
        rows: outline.rows,
        windows,
        span,
        remainder: outline.remainder.to_string(),
        stated: outline.stated.clone(),
        source: survey,
        notes,
    })
}
