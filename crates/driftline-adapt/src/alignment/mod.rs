//! How a window's inputs are brought into the frame that the model was trained in. Fitted without labels, one file each;
//! the result is data, so that it is stored, applied and exported in one place.

mod aligned;
mod coral;
mod none;
mod quantiles;
mod shrinkage;
mod standardize;
mod subspace;

pub use aligned::Aligned;
pub(super) use coral::recolouring;
pub use coral::{Coral, LinearMap};
pub use none::NoAlignment;
pub use quantiles::{QuantileMap, Quantiles};
pub use shrinkage::Shrinkage;
pub use standardize::{ColumnMap, Standardize};
pub use subspace::Subspace;
pub(super) use subspace::{projection, subspace_size};

use super::context::Context;
use super::parts::Part;
use driftline_core::data::{Domain, Shape};
use driftline_core::{Error, Result};

/// A rule that looks at a window and gives the map for its inputs.
pub trait Alignment: Part {
    fn fit(&self, ctx: &Context<'_>) -> Result<Aligned>;
}

/// The window that an alignment is fitted to.
fn window<'a>(ctx: &Context<'a>) -> Result<&'a Domain> {
    let window = ctx.stage.learn.as_ref().filter(|window| !window.is_empty());
    window.ok_or_else(|| Error::empty("the window to be aligned"))
}

/// Refuses images, whose columns mean nothing by themselves.
fn expect_table(shape: Shape, how: &str) -> Result<usize> {
    match shape {
        Shape::Vector(size) => Ok(size),
        Shape::Image { .. } => Err(Error::NotSupported {
            what: "images".into(),
            how: how.into(),
        }),
    }
}
