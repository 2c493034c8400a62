//! How a file says where windows end: one vocabulary for all curricula.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use driftline_core::data::{Period, Tail, Windowing};
use driftline_core::{Error, Result};

/// Exactly one of `window`, `windows`, `boundaries` and `every`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WindowsSpec {
    /// Examples per window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<NonZeroUsize>,
    /// Number of windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<NonZeroUsize>,
    /// Where each window ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundaries: Option<Vec<usize>>,
    /// A window for each period of time, such as `P7D`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Period>,
    /// What to do with examples after the last full window; `forbid` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
    /// Gradual only: end on the target pool.
    #[serde(default, alias = "then_target", skip_serializing_if = "is_false")]
    pub then_target: bool,
    /// The same as one value: how it is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) windowing: Option<Windowing>,
}

/// How often, and at most one of `window`, `windows`, `boundaries` and `every`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RepeatsSpec {
    /// As often as there are windows if absent.
    #[serde(default)]
    pub repeats: Option<NonZeroUsize>,
    /// Pooled only: pool the target with the stream.
    #[serde(default, alias = "and_target")]
    pub and_target: bool,
    #[serde(default)]
    window: Option<NonZeroUsize>,
    #[serde(default)]
    windows: Option<NonZeroUsize>,
    #[serde(default)]
    boundaries: Option<Vec<usize>>,
    #[serde(default)]
    every: Option<Period>,
    #[serde(default)]
    tail: Option<Tail>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    windowing: Option<Windowing>,
}

fn is_false(value: &bool) -> bool {
    !*value
}

impl WindowsSpec {
    pub(super) fn of(windowing: Windowing) -> Self {
        Self {
            windowing: Some(windowing),
            ..Self::default()
        }
    }

    /// Where windows end, if that is said.
    pub(super) fn windowing(self) -> Result<Option<Windowing>> {
        let tail = self.tail.unwrap_or(Tail::Forbid);
        let mut given = [
            self.window.map(|size| Windowing::Size(size, tail)),
            self.windows.map(Windowing::Count),
            self.boundaries
                .map(|ends| Windowing::Boundaries(ends, tail)),
            self.every.map(Windowing::Every),
            self.windowing,
        ]
        .into_iter()
        .flatten();
        match (given.next(), given.next()) {
            (only, None) => Ok(only),
            (Some(_), Some(_)) => Err(exactly_one()),
            (None, Some(_)) => unreachable!("a list has no second without a first"),
        }
    }

    pub(super) fn required(self) -> Result<Windowing> {
        self.windowing()?.ok_or_else(exactly_one)
    }
}

impl RepeatsSpec {
    pub fn windowing(self) -> Result<Option<Windowing>> {
        let cut = WindowsSpec {
            window: self.window,
            windows: self.windows,
            boundaries: self.boundaries,
            every: self.every,
            tail: self.tail,
            then_target: false,
            windowing: self.windowing,
        };
        match (cut.windowing()?, self.repeats) {
            (None, None) => Err(fault("give `repeats`, or windows to repeat once each")),
            (windowing, _) => Ok(windowing),
        }
    }
}

fn exactly_one() -> Error {
    fault("exactly one of `window`, `windows` and `boundaries` (or `every`) must be given")
}

pub(super) fn fault(message: &str) -> Error {
    Error::Experiment {
        field: String::new(),
        message: message.into(),
    }
}
