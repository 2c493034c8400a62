//! A session along the windows of its stream, to the end, each measured and kept: the same for a run with a folder of its
//! own and for one of the thousands of a fleet.

use super::model_file::Bundle;
use super::predictions::WindowTable;
use super::record::WindowRecord;
use super::session::Session;
use super::stream::FileWindows;
use super::watch::Watch;
use crate::adapt::{Archive, Standing};
use crate::{Error, Result};

/// Where the finished windows of a run go, and where its earlier versions are found.
pub(crate) trait Keep: Archive {
    fn keep(
        &mut self,
        record: WindowRecord,
        bundle: Bundle,
        standing: Option<Standing>,
        predictions: Option<WindowTable>,
    ) -> Result<()>;
}

/// Goes on to the end of `stream`, which has `planned` stages in all.
pub(crate) fn walk(
    session: &mut Session,
    stream: &mut FileWindows,
    planned: usize,
    kept: &mut impl Keep,
    watch: &dyn Watch,
) -> Result<()> {
    let repeats = session.adaptation().candidate().curriculum.repeats();
    while let Some(step) = session.advance(stream, &*kept)? {
        let Some(window) = stream.arrived() else {
            return Err(Error::empty("the window that arrived"));
        };
        let span = window.span;
        let span = span.map(|(from, to)| (from.to_string(), to.to_string()));
        let measured = session.measure(&step, &window.rows, span, window.notes.clone())?;
        watch.window(&measured.record, planned);
        // Rows that come again are predicted for the last time only.
        let table = (!repeats || step.version.number == planned).then(|| WindowTable {
            rows: window.rows.clone(),
            classes: session.source().classes().to_vec(),
            labels: measured.labels,
            probabilities: measured.probabilities,
        });
        let standing = session.standing();
        kept.keep(measured.record, session.current(), standing, table)?;
    }
    Ok(())
}
