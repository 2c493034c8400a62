//! One window after the other: *Gradual ST*, the paper's method.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Curriculum, Stage, WindowsSpec};
use crate::{Version, Windows};
use driftline_core::data::Windowing;
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "WindowsSpec")]
#[cfg_attr(feature = "schema", schemars(with = "WindowsSpec"))]
#[non_exhaustive]
pub struct Gradual {
    pub windowing: Windowing,
    /// End on the target pool, as the paper's text says; its numbers were made without.
    pub then_target: bool,
}

impl Gradual {
    pub fn new(windowing: Windowing) -> Self {
        Self {
            windowing,
            then_target: false,
        }
    }

    /// The same, with the target pool at the end.
    pub fn then_target(self) -> Self {
        Self {
            then_target: true,
            ..self
        }
    }
}

impl TryFrom<WindowsSpec> for Gradual {
    type Error = Error;

    fn try_from(spec: WindowsSpec) -> Result<Self> {
        Ok(Self {
            then_target: spec.then_target,
            windowing: spec.required()?,
        })
    }
}

impl Curriculum for Gradual {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        let count = stream.count();
        if done < count {
            return stream
                .window(done)
                .map(|window| Some(Stage::window(window)));
        }
        match self.then_target && done == count {
            true => stream.target_pool().map(|pool| Some(Stage::unseen(pool))),
            false => Ok(None),
        }
    }

    fn windowing(&self) -> Option<&Windowing> {
        Some(&self.windowing)
    }

    fn stages(&self, windows: usize) -> usize {
        windows + usize::from(self.then_target)
    }

    fn examples(&self, stream: usize, target_pool: usize) -> f64 {
        (stream + usize::from(self.then_target) * target_pool) as f64
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        Some(Arc::new(Self {
            windowing: self.windowing.scaled_down(divisor),
            ..self.clone()
        }))
    }
}
