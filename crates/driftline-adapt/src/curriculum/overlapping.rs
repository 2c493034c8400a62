//! Windows that overlap: every `stride` rows the last `window` rows are learned from, those that were seen before
//! included. Other cuts (`windows`, `boundaries`, `every`) give the strides, and `together` says how many make a window.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::spec::fault;
use super::{Curriculum, Stage, WindowsSpec};
use crate::{Version, Windows};
use driftline_core::data::{Domain, Period, Tail, Windowing};
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "OverlappingSpec")]
#[cfg_attr(feature = "schema", schemars(with = "OverlappingSpec"))]
#[non_exhaustive]
pub struct Overlapping {
    /// Where the strides end; a stage arrives with each.
    pub windowing: Windowing,
    /// This many strides make a window; fewer at the beginning.
    pub together: NonZeroUsize,
    /// At most this many rows of them are learned from, the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<NonZeroUsize>,
}

/// `window` with `stride`, or one of `windows`, `boundaries` and `every` with `together`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OverlappingSpec {
    /// Examples per window.
    window: Option<NonZeroUsize>,
    /// Examples from the end of one window to the end of the next; half a window if absent.
    stride: Option<NonZeroUsize>,
    /// Number of strides.
    windows: Option<NonZeroUsize>,
    /// Where each stride ends.
    boundaries: Option<Vec<usize>>,
    /// A stride for each period of time, such as `P1D`.
    every: Option<Period>,
    /// This many strides make a window; 2 if absent.
    together: Option<NonZeroUsize>,
    /// What to do with examples after the last full stride; `forbid` if absent.
    tail: Option<Tail>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    windowing: Option<Windowing>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    rows: Option<NonZeroUsize>,
}

impl Overlapping {
    /// Windows of this many rows, a new one after each stride.
    pub fn new(window: NonZeroUsize, stride: NonZeroUsize, tail: Tail) -> Result<Self> {
        if stride > window {
            return Err(fault(&format!(
                "`stride` is {stride}, but windows of {window} overlap only if it is at most that"
            )));
        }
        let together = window.get().div_ceil(stride.get());
        Ok(Self {
            windowing: Windowing::Size(stride, tail),
            together: NonZeroUsize::new(together).unwrap_or(NonZeroUsize::MIN),
            rows: Some(window),
        })
    }
}

impl TryFrom<OverlappingSpec> for Overlapping {
    type Error = Error;

    fn try_from(spec: OverlappingSpec) -> Result<Self> {
        if let Some(window) = spec.window {
            let others = spec.windows.is_some() || spec.boundaries.is_some();
            if others || spec.every.is_some() || spec.windowing.is_some() || spec.together.is_some()
            {
                return Err(fault("`window` goes with `stride`, and with no other cut"));
            }
            let half = NonZeroUsize::new(window.get().div_ceil(2)).unwrap_or(window);
            let tail = spec.tail.unwrap_or(Tail::Forbid);
            return Self::new(window, spec.stride.unwrap_or(half), tail);
        }
        if spec.stride.is_some() {
            return Err(fault(
                "`stride` goes with `window`; other cuts take `together`",
            ));
        }
        let strides = WindowsSpec {
            windows: spec.windows,
            boundaries: spec.boundaries,
            every: spec.every,
            tail: spec.tail,
            ..spec
                .windowing
                .map_or_else(WindowsSpec::default, WindowsSpec::of)
        };
        let two = NonZeroUsize::new(2).expect("not 0");
        Ok(Self {
            windowing: strides.required()?,
            together: spec.together.unwrap_or(two),
            rows: spec.rows,
        })
    }
}

impl Curriculum for Overlapping {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        if done >= stream.count() {
            return Ok(None);
        }
        // What lies back first: a stream on disk is read in its order.
        // A short last stride may leave a window one stride short.
        let one_more = self
            .together
            .saturating_add(usize::from(self.rows.is_some()));
        let recent = stream.recent(done, one_more)?.inputs;
        let rows = self.rows.map_or(recent.len(), NonZeroUsize::get);
        let arrived = stream.window(done)?;
        // A last stride that was given the tail may be longer than a window; all of it is learned from.
        let rows = rows.max(arrived.len()).min(recent.len());
        let learn = recent.slice(recent.len() - rows..recent.len());
        Ok(Some(Stage {
            learn: Some(Domain::new(learn)),
            ..Stage::window(arrived)
        }))
    }

    fn windowing(&self) -> Option<&Windowing> {
        Some(&self.windowing)
    }

    fn examples(&self, stream: usize, _: usize) -> f64 {
        (self.together.get() * stream) as f64
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        let fewer = |rows: NonZeroUsize| {
            NonZeroUsize::new(rows.get() / divisor.max(1)).unwrap_or(NonZeroUsize::MIN)
        };
        Some(Arc::new(Self {
            windowing: self.windowing.scaled_down(divisor),
            rows: self.rows.map(fewer),
            ..self.clone()
        }))
    }
}
