//! The whole stream at once, again and again: *All ST*.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::spec::RepeatsSpec;
use super::{Curriculum, Stage};
use crate::{Version, Windows};
use driftline_core::data::{Domain, Windowing};
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "RepeatsSpec")]
#[cfg_attr(feature = "schema", schemars(with = "RepeatsSpec"))]
#[non_exhaustive]
pub struct Pooled {
    /// As often as the stream has windows if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<NonZeroUsize>,
    /// Pool the target with it, as the paper's text says; its numbers were made without.
    pub and_target: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windowing: Option<Windowing>,
}

impl Pooled {
    pub fn new(repeats: NonZeroUsize) -> Self {
        Self {
            repeats: Some(repeats),
            and_target: false,
            windowing: None,
        }
    }

    /// As often as the stream has windows.
    pub fn once_a_window(windowing: Windowing) -> Self {
        Self {
            repeats: None,
            and_target: false,
            windowing: Some(windowing),
        }
    }

    /// The same, with the target pool added.
    pub fn and_target(self) -> Self {
        Self {
            and_target: true,
            ..self
        }
    }
}

impl TryFrom<RepeatsSpec> for Pooled {
    type Error = Error;

    fn try_from(spec: RepeatsSpec) -> Result<Self> {
        Ok(Self {
            repeats: spec.repeats,
            and_target: spec.and_target,
            windowing: spec.windowing()?,
        })
    }
}

impl Curriculum for Pooled {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        if done >= self.stages(stream.count()) {
            return Ok(None);
        }
        let all = stream.all()?;
        let mut stage = Stage::window(all.clone());
        if self.and_target {
            let target = stream.target_pool()?.inputs;
            stage.learn = Some(Domain::new(all.inputs.followed_by(&target)?));
        }
        Ok(Some(stage))
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

    fn examples(&self, stream: usize, target_pool: usize) -> f64 {
        let repeats = self.repeats.map_or(1, NonZeroUsize::get);
        (repeats * (stream + usize::from(self.and_target) * target_pool)) as f64
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
