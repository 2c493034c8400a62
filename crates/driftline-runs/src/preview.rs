//! What a fit or an adaptation would do: everything is read, nothing is trained or written.

use serde::Serialize;

use super::file_run::{FileRun, Ready, Start};
use super::fit::{Fit, Prepared};
use driftline_core::Result;
use driftline_io::{Notes, TableSource};

/// A source before it is trained on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SourcePreview {
    pub rows: usize,
    pub classes: Vec<String>,
    pub class_counts: Vec<usize>,
    pub features: Vec<String>,
    pub input: String,
    /// Never `auto`: what it would come to.
    pub model: String,
    pub detected: String,
    pub notes: Notes,
}

/// A stream before it is adapted to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Preview {
    /// Where a source is to be fitted first.
    pub source: Option<SourcePreview>,
    pub rows: u64,
    /// The rows of each window.
    pub windows: Vec<usize>,
    /// The first and the last time, where there is a time column.
    pub span: Option<(String, String)>,
    /// What becomes of the rows after the last full window.
    pub remainder: String,
    pub detected: String,
    pub notes: Notes,
}

impl Fit {
    /// Reads `source` and says what would be trained.
    pub fn preview(&self, source: &dyn TableSource) -> Result<SourcePreview> {
        self.runtime.install(|| {
            self.expect_columns(source)?;
            Ok(self.describe(&self.read(source)?))
        })
    }

    fn describe(&self, source: &Prepared) -> SourcePreview {
        let Prepared {
            encoding,
            domain,
            detected,
            notes,
            ..
        } = source;
        SourcePreview {
            rows: domain.len(),
            classes: encoding.classes().to_vec(),
            class_counts: domain.labels().counts(),
            features: encoding.input_names(),
            input: encoding.shape().to_string(),
            model: self.model_name(encoding),
            detected: detected.clone(),
            notes: notes.clone(),
        }
    }
}

impl FileRun {
    /// Reads source and stream and says what [`FileRun::run`] would do.
    pub fn preview(&self, start: Start, stream: impl TableSource + 'static) -> Result<Preview> {
        let stream: Box<dyn TableSource> = Box::new(stream);
        let own = self.inheriting(&start);
        self.runtime.install(|| own.look(start, stream))
    }

    fn look(&self, start: Start, stream: Box<dyn TableSource>) -> Result<Preview> {
        let plan = self.plan()?;
        let ready = self.ready(start)?;
        let source = match &ready {
            Ready::Source(fit, source) => Some(fit.describe(source)),
            Ready::Model(..) => None,
        };
        let stream = self.windows(ready.encoding(), stream, &plan)?;
        let outline = stream.outline();
        let span = outline.span;
        let mut notes = source
            .as_ref()
            .map_or_else(Notes::new, |source| source.notes.clone());
        notes.extend(stream.notes());
        Ok(Preview {
            rows: outline.rows,
            windows: outline.windows.iter().map(|window| window.rows).collect(),
            span: span.map(|(from, to)| (from.to_string(), to.to_string())),
            remainder: outline.remainder.to_string(),
            detected: outline.detected.clone(),
            source,
            notes,
        })
    }
}
