//! How a window's inputs are brought into the frame that the model was trained in. Fitted without labels, one file each;
//! the result is data, so that it is stored, applied and exported in one place.

mod aligned;
mod none;

pub use aligned::Aligned;
pub use none::NoAlignment;

use super::adaptation::Context;
use super::parts::Part;
use crate::Result;

/// A rule that looks at a window and gives the map for its inputs.
pub trait Alignment: Part {
    fn fit(&self, now: &Context<'_>) -> Result<Aligned>;
}
