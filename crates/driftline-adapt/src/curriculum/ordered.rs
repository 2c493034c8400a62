//! Domains that have no time, one after the other in the order that is found for them (`order.rs`).

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Curriculum, Stage, WindowsSpec};
use crate::bridge::Space;
use crate::order::{DomainOrder, OrderBy};
use crate::{Version, Windows};
use driftline_core::data::{Tail, Windowing};
use driftline_core::{Error, Result};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "OrderedSpec")]
#[cfg_attr(feature = "schema", schemars(with = "OrderedSpec"))]
#[non_exhaustive]
pub struct Ordered {
    /// Where the domains end.
    pub windowing: Windowing,
    #[serde(flatten)]
    pub order: DomainOrder,
}

/// Exactly one of `window`, `windows` and `boundaries` says where domains end; `by` and `space` how they are ordered.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OrderedSpec {
    window: Option<NonZeroUsize>,
    windows: Option<NonZeroUsize>,
    boundaries: Option<Vec<usize>>,
    tail: Option<Tail>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    windowing: Option<Windowing>,
    #[serde(default)]
    by: OrderBy,
    #[serde(default)]
    space: Space,
}

impl Ordered {
    pub fn new(windowing: Windowing, order: DomainOrder) -> Self {
        Self { windowing, order }
    }
}

impl TryFrom<OrderedSpec> for Ordered {
    type Error = Error;

    fn try_from(spec: OrderedSpec) -> Result<Self> {
        let domains = WindowsSpec {
            window: spec.window,
            windows: spec.windows,
            boundaries: spec.boundaries,
            tail: spec.tail,
            ..spec
                .windowing
                .map_or_else(WindowsSpec::default, WindowsSpec::of)
        };
        let (by, space) = (spec.by, spec.space);
        Ok(Self::new(domains.required()?, DomainOrder { by, space }))
    }
}

impl Curriculum for Ordered {
    fn next(
        &self,
        done: usize,
        stream: &mut dyn Windows,
        teacher: &Version,
    ) -> Result<Option<Stage>> {
        let order = stream.ordered(self.order, teacher)?;
        let Some(&place) = order.get(done) else {
            return Ok(None);
        };
        Ok(Some(Stage {
            place: Some(place),
            ..Stage::window(stream.window(place)?)
        }))
    }

    fn windowing(&self) -> Option<&Windowing> {
        Some(&self.windowing)
    }

    fn scaled_down(&self, divisor: usize) -> Option<Arc<dyn Curriculum>> {
        let windowing = self.windowing.scaled_down(divisor);
        Some(Arc::new(Self::new(windowing, self.order)))
    }
}
