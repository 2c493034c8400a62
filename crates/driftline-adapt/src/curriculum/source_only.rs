//! No adaptation: the baseline *Source*. Given windows, it watches them without learning.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Curriculum, Stage, WindowsSpec};
use crate::{Version, Windows};
use driftline_core::data::{Domain, Windowing};
use driftline_core::{Error, Result};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Option<WindowsSpec>", into = "Option<WindowsSpec>")]
#[cfg_attr(feature = "schema", schemars(with = "Option<WindowsSpec>"))]
#[non_exhaustive]
pub struct SourceOnly {
    pub windowing: Option<Windowing>,
}

impl SourceOnly {
    pub fn new() -> Self {
        Self::default()
    }

    /// Watches windows of a stream.
    pub fn watching(windowing: Windowing) -> Self {
        Self {
            windowing: Some(windowing),
        }
    }
}

impl TryFrom<Option<WindowsSpec>> for SourceOnly {
    type Error = Error;

    fn try_from(spec: Option<WindowsSpec>) -> Result<Self> {
        let windowing = spec.map(WindowsSpec::windowing).transpose()?.flatten();
        Ok(Self { windowing })
    }
}

impl From<SourceOnly> for Option<WindowsSpec> {
    fn from(source: SourceOnly) -> Self {
        source.windowing.map(WindowsSpec::of)
    }
}

impl Curriculum for SourceOnly {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        match self.windowing.is_some() && done < stream.count() {
            true => stream
                .window(done)
                .map(|window| Some(self.arriving(window))),
            false => Ok(None),
        }
    }

    fn arriving(&self, window: Domain) -> Stage {
        Stage {
            learn: None,
            ..Stage::window(window)
        }
    }

    fn windowing(&self) -> Option<&Windowing> {
        self.windowing.as_ref()
    }

    fn learns(&self) -> bool {
        false
    }

    fn examples(&self, _: usize, _: usize) -> f64 {
        0.0
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        let windowing = self.windowing.as_ref()?.scaled_down(divisor);
        Some(Arc::new(Self::watching(windowing)))
    }
}
