//! How a stream is adapted to, all numbers resolved: what a run's manifest records and its identity is made of.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::adapt::{
    Confidence, Filter, LabelKind, OptimizerState, PseudoLabeling, SelfTraining, Starvation,
    StudentStart,
};
use crate::data::{Fraction, Tail};
use crate::reading::{Choice, Cut, Period};
use crate::{Error, Result};

/// Which rows of the stream are learned from, in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One window after the other.
    #[default]
    Gradual,
    /// The last window, as often as there are windows.
    Target,
    /// The whole stream at once, as often as there are windows.
    All,
    /// One window after the other, each with all before it.
    Accumulate,
}

/// Where windows end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Windows {
    /// So many rows each.
    Size(NonZeroUsize),
    /// So many windows.
    Count(NonZeroUsize),
    /// One for each calendar period, or step of a numeric time.
    Every(Period),
}

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptSettings {
    pub method: Method,
    pub windows: Windows,
    /// What becomes of rows that do not fill a window.
    pub tail: Tail,
    /// The share of least confident rows that is not learned from.
    pub drop: Fraction,
    pub labels: LabelKind,
    pub seed: u64,
    /// The columns and rows of the stream.
    pub choice: Choice,
}

impl Default for AdaptSettings {
    /// Gradual, windows of 500 with the tail merged into the last, a tenth dropped, hard labels, seed 0.
    fn default() -> Self {
        Self {
            method: Method::Gradual,
            windows: Windows::Size(NonZeroUsize::new(500).expect("not 0")),
            tail: Tail::Merge,
            drop: Fraction::new(0.1).expect("a tenth is a fraction"),
            labels: LabelKind::Hard,
            seed: 0,
            choice: Choice::default(),
        }
    }
}

impl AdaptSettings {
    pub fn cut(&self) -> Cut {
        match self.windows {
            Windows::Size(rows) => Cut::Size(rows, self.tail),
            Windows::Count(windows) => Cut::Count(windows),
            Windows::Every(period) => Cut::Every(period),
        }
    }

    /// The self-training step: a window that leaves nothing to learn from is held.
    pub fn self_training<L>(&self, learner: L) -> SelfTraining<L> {
        SelfTraining {
            learner,
            pseudo_labeling: PseudoLabeling {
                kind: self.labels,
                confidence: Confidence::Spread,
                filter: Filter::DropFraction(self.drop),
                starvation: Starvation::Hold,
            },
            start: StudentStart::Teacher,
            optimizer_state: OptimizerState::Carried,
            replay: None,
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.drop.get() >= 1.0 {
            return Err(Error::out_of_range(
                "the share to drop",
                self.drop.get(),
                "below 1: something must be left to learn from",
            ));
        }
        Ok(())
    }
}

const METHODS: [(&str, Method); 4] = [
    ("gradual", Method::Gradual),
    ("target", Method::Target),
    ("all", Method::All),
    ("accumulate", Method::Accumulate),
];

impl Method {
    /// Whether every step learns from the same rows.
    pub fn repeats(self) -> bool {
        matches!(self, Method::Target | Method::All)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = METHODS.iter().find(|(_, method)| method == self);
        f.write_str(name.map_or("gradual", |(name, _)| name))
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = METHODS.iter().find(|(name, _)| *name == text);
        found.map(|(_, method)| *method).ok_or_else(|| {
            Error::out_of_range("the method", text, "gradual, target, all or accumulate")
        })
    }
}

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Windows::Size(rows) => write!(f, "windows of {rows} rows"),
            Windows::Count(windows) => write!(f, "{windows} windows"),
            Windows::Every(period) => write!(f, "a window every {period}"),
        }
    }
}
