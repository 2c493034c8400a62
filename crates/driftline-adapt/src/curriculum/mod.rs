//! Which windows to learn from, and in which order: all that the paper's methods differ in. One file each.

mod accumulate;
mod goat;
mod gradual;
mod ordered;
mod overlapping;
mod pooled;
mod source_only;
mod spec;
mod target_only;

use std::sync::Arc;

pub use accumulate::Accumulate;
pub use goat::Goat;
pub use gradual::Gradual;
pub use ordered::Ordered;
pub use overlapping::Overlapping;
pub use pooled::Pooled;
pub use source_only::SourceOnly;
pub use spec::WindowsSpec;
pub use target_only::TargetOnly;

use super::bridge::Bridge;
use super::parts::Part;
use super::version::Version;
use super::windows::Windows;
use driftline_core::Result;
use driftline_core::data::{Domain, Windowing};

/// One turn of the loop.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What to learn from; nothing where the model is only watched.
    pub learn: Option<Domain>,
    /// The window that has arrived with it, which the result is measured on; none for domains that were made up.
    pub arrived: Option<Domain>,
    /// How to get there from the last one, where that is too far for one step.
    pub bridge: Option<Bridge>,
    /// Which window of the stream this is, where they are not taken in their order.
    pub place: Option<usize>,
}

impl Stage {
    /// Before the first: nothing to learn from.
    pub(super) const NONE: Self = Self {
        learn: None,
        arrived: None,
        bridge: None,
        place: None,
    };

    /// Whether the rows to learn from are those that arrived, so that a place among the one is a place among the other.
    pub fn learns_what_arrived(&self) -> bool {
        let rows = |domain: &Option<Domain>| domain.as_ref().map(Domain::len);
        self.learn.is_some() && rows(&self.learn) == rows(&self.arrived)
    }

    /// A window that has arrived, to be learned from.
    pub fn window(window: Domain) -> Self {
        Self {
            arrived: Some(window.clone()),
            ..Self::unseen(window)
        }
    }

    /// Rows to be learned from with which nothing arrives.
    pub fn unseen(learn: Domain) -> Self {
        Self {
            learn: Some(learn),
            ..Self::NONE
        }
    }

    /// The same, reached across domains that are made up.
    pub fn across(self, bridge: Bridge) -> Self {
        Self {
            bridge: Some(bridge),
            ..self
        }
    }
}

/// A rule that gives one stage after another. It keeps no state of its own, so that a run can go on anywhere.
pub trait Curriculum: Part {
    /// The stage after `done` of them, or none at the end. It may look at the model that will label it.
    fn next(
        &self,
        done: usize,
        stream: &mut dyn Windows,
        teacher: &Version,
    ) -> Result<Option<Stage>>;

    /// What becomes of a window that comes by itself, after the stream.
    fn arriving(&self, window: Domain) -> Stage {
        Stage::window(window)
    }

    /// How it wants the stream cut.
    fn windowing(&self) -> Option<&Windowing> {
        None
    }

    /// How many stages a stream of so many windows makes.
    fn stages(&self, windows: usize) -> usize {
        windows
    }

    /// Whether every stage has the same examples.
    fn repeats(&self) -> bool {
        false
    }

    /// Whether it learns from anything at all.
    fn learns(&self) -> bool {
        true
    }

    /// About how many examples all stages together learn from: for estimates of time.
    fn examples(&self, stream: usize, _target_pool: usize) -> f64 {
        stream as f64
    }

    /// A version for a stream of which one row in `divisor` is left; `None` where it fits any stream.
    fn scaled_down(&self, _divisor: usize) -> Option<Arc<dyn Curriculum>> {
        None
    }
}
