//! What was asked for in a run, and the labels that have come: `labels/asked.csv`.

use super::RunFolder;
use super::commit::write_asked;
use crate::asked::{AskedRows, GivenLabels, LateLabels};
use driftline_core::Result;

impl RunFolder {
    /// The rows that were asked for, with the labels that are known.
    pub fn asked(&self) -> Result<AskedRows> {
        AskedRows::read(&self.folder, &self.records, &self.manifest.classes)
    }

    /// Keeps labels, and what an audit has asked for. They count at once; decisions hear of them before the next window.
    pub fn keep_asked(&mut self, asked: &AskedRows) -> Result<()> {
        self.settle()?;
        self.expect_lock()?;
        write_asked(&self.folder, asked.lines())
    }

    /// Takes labels from a file; how many are new. A line about a row that was not asked for is refused.
    pub fn label_from(&mut self, given: &GivenLabels) -> Result<usize> {
        self.fill_asked(given, true)
    }

    pub(crate) fn fill_asked(&mut self, given: &GivenLabels, strict: bool) -> Result<usize> {
        self.settle()?;
        let mut asked = self.asked()?;
        let new = asked.fill(given, strict, &self.records, &self.manifest.classes)?;
        if new > 0 {
            self.keep_asked(&asked)?;
        }
        Ok(new)
    }

    /// The labels that no decision has heard of yet.
    pub(crate) fn late_labels(&self) -> Result<LateLabels> {
        Ok(self.asked()?.late(&self.records, &self.manifest.classes))
    }
}
