//! What a policy expects of a stream before anything learns from it.

use serde::Serialize;

use super::Estimate;

/// What rehearsals along a few windows of a stream came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// Accuracy on rows of the source that were not learned from.
    pub at_home: f64,
    /// Windows that were looked at, and how many of them the source could be moved to.
    pub windows: usize,
    pub explained: usize,
    /// Worlds that were rehearsed in, in all windows together, and the rows of each.
    pub worlds: usize,
    pub rows: usize,
    /// The source model (`hold`) first, then every candidate.
    pub prospects: Vec<Prospect>,
    /// The candidate that gains enough and loses nowhere; none: hold.
    pub preferred: Option<String>,
}

/// How a candidate does there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prospect {
    pub name: String,
    /// Over the source model, on average over all worlds; none where no world fits.
    pub gain: Option<f64>,
    /// Whether it costs nothing where nothing drifts.
    pub allowed: bool,
    /// Accuracy at the end of the stream, where it can be told.
    pub at_end: Option<Estimate>,
}

impl Forecast {
    /// What is to be deployed: the preferred candidate, or the source model.
    pub fn choice(&self) -> Option<&Prospect> {
        let name = self.preferred.as_deref().unwrap_or("hold");
        self.prospects.iter().find(|own| own.name == name)
    }
}
