//! Max-pool: `y[i,j,c]` = max over the size × size window at (stride·i, stride·j); only whole windows count. The gradient
//! goes to the first of equal maxima, row by row.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::Shape;

/// Square max-pooling without padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// For every output of one image, the index of the input that it takes.
pub fn winners(
    pool: MaxPool,
    x: &[f64],
    [_, width, channels]: [usize; 3],
    [rows, columns, _]: [usize; 3],
) -> Vec<usize> {
    let mut winners = Vec::with_capacity(rows * columns * channels);
    for i in 0..rows {
        for j in 0..columns {
            for c in 0..channels {
                let at = |u: usize, v: usize| {
                    ((i * pool.stride.get() + u) * width + j * pool.stride.get() + v) * channels + c
                };
                let mut best = at(0, 0);
                for u in 0..pool.size.get() {
                    for v in 0..pool.size.get() {
                        if x[at(u, v)] > x[best] {
                            best = at(u, v);
                        }
                    }
                }
                winners.push(best);
            }
        }
    }
    winners
}
