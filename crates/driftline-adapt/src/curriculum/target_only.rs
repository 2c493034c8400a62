//! The target pool, again and again: *Target ST*.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::spec::{RepeatsSpec, fault};
use super::{Curriculum, Stage};
use crate::{Version, Windows};
use driftline_core::data::Windowing;
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "RepeatsSpec")]
#[cfg_attr(feature = "schema", schemars(with = "RepeatsSpec"))]
#[non_exhaustive]
pub struct TargetOnly {
    /// As often as the stream has windows if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windowing: Option<Windowing>,
}

impl TargetOnly {
    pub fn new(repeats: NonZeroUsize) -> Self {
        Self {
            repeats: Some(repeats),
            windowing: None,
        }
    }

    /// As often as the stream has windows.
    pub fn once_a_window(windowing: Windowing) -> Self {
        Self {
            repeats: None,
            windowing: Some(windowing),
        }
    }
}

impl TryFrom<RepeatsSpec> for TargetOnly {
    type Error = Error;

    fn try_from(spec: RepeatsSpec) -> Result<Self> {
        if spec.and_target {
            return Err(fault("`and-target` goes with `pooled` only"));
        }
        Ok(Self {
            repeats: spec.repeats,
            windowing: spec.windowing()?,
        })
    }
}

impl Curriculum for TargetOnly {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        if done >= self.stages(stream.count()) {
            return Ok(None);
        }
        let pool = stream.target_pool()?;
        Ok(Some(Stage::window(pool)))
    }

    fn windowing(&self) -> Option<&Windowing> {
        self.windowing.as_ref()
    }

    fn stages(&self, windows: usize) -> usize {
        self.repeats.map_or(windows, NonZeroUsize::get)
    }

    fn repeats(&self) -> bool {
        true
    }

    fn examples(&self, _: usize, target_pool: usize) -> f64 {
        let repeats = self.repeats.map_or(1, NonZeroUsize::get);
        (repeats * target_pool) as f64
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        let two = NonZeroUsize::new(2).expect("not 0");
        Some(Arc::new(Self {
            repeats: self.repeats.map(|repeats| repeats.min(two)),
            windowing: self.windowing.as_ref().map(|w| w.scaled_down(divisor)),
            ..self.clone()
        }))
    }
}
