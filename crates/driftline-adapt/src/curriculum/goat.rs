//! One window after the other, with domains made up between each and the one before it (and between the source and the
//! first): for streams with few windows and long steps. How they are made is in `bridge.rs`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::spec::fault;
use super::{Curriculum, Gradual, Stage, WindowsSpec};
use crate::bridge::{Bridge, Matching, Space};
use crate::{Version, Windows};
use driftline_core::data::{Domain, Period, Positive, Tail, Windowing};
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "GoatSpec")]
#[cfg_attr(feature = "schema", schemars(with = "GoatSpec"))]
#[non_exhaustive]
pub struct Goat {
    #[serde(flatten)]
    pub windows: Gradual,
    #[serde(flatten)]
    pub bridge: Bridge,
}

/// Exactly one of `window`, `windows`, `boundaries` and `every`, and how domains are made.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct GoatSpec {
    window: Option<NonZeroUsize>,
    windows: Option<NonZeroUsize>,
    boundaries: Option<Vec<usize>>,
    every: Option<Period>,
    tail: Option<Tail>,
    /// End on the target pool.
    #[serde(default, alias = "then_target")]
    then_target: bool,
    #[cfg_attr(feature = "schema", schemars(skip))]
    windowing: Option<Windowing>,
    /// Generated domains before each window; chosen by distance if absent.
    domains: Option<NonZeroUsize>,
    /// Where the number is chosen: no step is to be longer than this many times the distance between two samples of one
    /// domain; 0.1 if absent.
    step: Option<Positive>,
    /// Where the number is chosen: at most this many, 20 if absent.
    #[serde(alias = "at_most")]
    at_most: Option<NonZeroUsize>,
    #[serde(default)]
    space: Space,
    /// Where rows are near each other; the space that is interpolated in if absent.
    pairs: Option<Space>,
    #[serde(default)]
    matching: Matching,
}

impl Goat {
    pub fn new(windowing: Windowing, bridge: Bridge) -> Self {
        Self {
            windows: Gradual::new(windowing),
            bridge,
        }
    }

    /// The same, with the target pool at the end.
    pub fn then_target(self) -> Self {
        Self {
            windows: self.windows.then_target(),
            ..self
        }
    }
}

impl TryFrom<GoatSpec> for Goat {
    type Error = Error;

    fn try_from(spec: GoatSpec) -> Result<Self> {
        if spec.domains.is_some() && (spec.step.is_some() || spec.at_most.is_some()) {
            return Err(fault(
                "`domains` gives the number that `step` and `at-most` would choose",
            ));
        }
        let windows = WindowsSpec {
            window: spec.window,
            windows: spec.windows,
            boundaries: spec.boundaries,
            every: spec.every,
            tail: spec.tail,
            then_target: spec.then_target,
            ..spec
                .windowing
                .map_or_else(WindowsSpec::default, WindowsSpec::of)
        };
        Ok(Self {
            windows: windows.try_into()?,
            bridge: Bridge {
                domains: spec.domains,
                step: spec.step,
                at_most: spec.at_most,
                space: spec.space,
                pairs: spec.pairs,
                matching: spec.matching,
            },
        })
    }
}

impl Curriculum for Goat {
    fn next(
        &self,
        done: usize,
        stream: &mut dyn Windows,
        teacher: &Version,
    ) -> Result<Option<Stage>> {
        let stage = self.windows.next(done, stream, teacher)?;
        Ok(stage.map(|stage| stage.across(self.bridge)))
    }

    fn arriving(&self, window: Domain) -> Stage {
        Stage::window(window).across(self.bridge)
    }

    fn windowing(&self) -> Option<&Windowing> {
        self.windows.windowing()
    }

    fn stages(&self, windows: usize) -> usize {
        self.windows.stages(windows)
    }

    fn examples(&self, stream: usize, target_pool: usize) -> f64 {
        // A number that is chosen is guessed at.
        let domains = self.bridge.domains.map_or(4, NonZeroUsize::get);
        (domains + 1) as f64 * self.windows.examples(stream, target_pool)
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        let two = NonZeroUsize::new(2).expect("not 0");
        let mut bridge = self.bridge;
        match &mut bridge.domains {
            Some(domains) => *domains = two.min(*domains),
            None => bridge.at_most = Some(two.min(bridge.at_most.unwrap_or(two))),
        }
        Some(Arc::new(Self {
            windows: Gradual {
                windowing: self.windows.windowing.scaled_down(divisor),
                ..self.windows.clone()
            },
            bridge,
        }))
    }
}
