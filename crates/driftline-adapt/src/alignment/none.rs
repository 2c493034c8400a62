//! Inputs as they are: the paper's.

use serde::{Deserialize, Serialize};

use super::{Aligned, Alignment};
use crate::Context;
use driftline_core::Result;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoAlignment;

impl Alignment for NoAlignment {
    fn fit(&self, _: &Context<'_>) -> Result<Aligned> {
        Ok(Aligned::Identity)
    }
}
