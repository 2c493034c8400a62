//! Max-pool: `y[i,j,c]` = max over the size × size window at (stride·i, stride·j); only whole windows count. The gradient
//! goes to the first of equal maxima, row by row.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use driftline_core::data::Shape;

/// Square max-pooling without padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MaxPool {
    pub size: NonZeroUsize,
    pub stride: NonZeroUsize,
}

impl MaxPool {
    pub(super) fn output(&self, input: Shape) -> Result<Shape, String> {
        let Shape::Image {
            height,
            width,
            channels,
        } = input
        else {
            return Err(format!("needs an image, but gets {input}"));
        };
        let (size, stride) = (self.size.get(), self.stride.get());
        let side = |length: usize, name| match length.checked_sub(size) {
            Some(room) => Ok(room / stride + 1),
            None => Err(format!(
                "has windows of {size}×{size}, but its input has {name} {length}"
            )),
        };
        Ok(Shape::Image {
            height: side(height, "height")?,
            width: side(width, "width")?,
            channels,
        })
    }
}
