//! Inputs as they are: the paper's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Aligned, Alignment};
use crate::Result;
use crate::adapt::Context;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoAlignment;

impl Alignment for NoAlignment {
    fn fit(&self, _: &Context<'_>) -> Result<Aligned> {
        Ok(Aligned::Identity)
    }
}
