//! One window after the other, each together with all earlier ones.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::spec::fault;
use super::{Curriculum, Stage, WindowsSpec};
use crate::{Version, Windows};
use driftline_core::data::Windowing;
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "WindowsSpec")]
#[cfg_attr(feature = "schema", schemars(with = "WindowsSpec"))]
#[non_exhaustive]
pub struct Accumulate {
    pub windowing: Windowing,
}

impl Accumulate {
    pub fn new(windowing: Windowing) -> Self {
        Self { windowing }
    }
}

impl TryFrom<WindowsSpec> for Accumulate {
    type Error = Error;

    fn try_from(spec: WindowsSpec) -> Result<Self> {
        if spec.then_target {
            return Err(fault("`then-target` goes with `gradual` only"));
        }
        spec.required().map(Self::new)
    }
}

impl Curriculum for Accumulate {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        if done >= stream.count() {
            return Ok(None);
        }
        // The pile first: it reads the window too.
        let learn = stream.up_to(done)?;
        Ok(Some(Stage {
            learn: Some(learn),
            ..Stage::window(stream.window(done)?)
        }))
    }

    fn windowing(&self) -> Option<&Windowing> {
        Some(&self.windowing)
    }

    fn examples(&self, stream: usize, _: usize) -> f64 {
        let split = self.windowing.split(stream);
        let ends = split.map(|split| split.windows.iter().map(|window| window.end as f64).sum());
        ends.unwrap_or(stream as f64)
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        Some(Arc::new(Self::new(self.windowing.scaled_down(divisor))))
    }
}
