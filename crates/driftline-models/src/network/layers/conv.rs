//! Convolution: `y[i,j,o] = b[o] + Σ_{u,v,c} x[s·i+u−top, s·j+v−left, c] · W[u,v,c,o]`, x being 0 outside its borders.
//! x: height × width × c, W: k × k × c × o, y: ⌈height/s⌉ × ⌈width/s⌉ × o ("same") or ⌊(height−k)/s⌋+1 … ("valid").

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use driftline_core::data::{NonNegative, Shape};

/// What surrounds the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Padding {
    /// Zeros, as many as an output of ⌈size/stride⌉ needs; an odd one goes below and to the right (28 → 14 pads 1 and 2).
    Same,
    /// Nothing.
    Valid,
    /// As many zeros on every side.
    Even(usize),
}

/// A square convolution with a bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Conv {
    pub channels: NonZeroUsize,
    /// Side of the kernel.
    pub kernel: NonZeroUsize,
    pub stride: NonZeroUsize,
    pub padding: Padding,
    /// λ in λ·ΣW², the kernel alone.
    pub l2: NonNegative,
}

/// One direction of a convolution: how many outputs, and how many zeros before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub outputs: usize,
    pub before: usize,
    pub after: usize,
}

impl Conv {
    /// Outputs and padding along a side of `size` pixels; `None` if the kernel does not fit.
    pub(crate) fn extent(&self, size: usize) -> Option<Extent> {
        let (kernel, stride) = (self.kernel.get(), self.stride.get());
        let (before, after) = match self.padding {
            Padding::Valid => (0, 0),
            Padding::Even(zeros) => (zeros, zeros),
            Padding::Same => {
                let outputs = size.div_ceil(stride);
                let covered = (outputs - 1).checked_mul(stride)?.checked_add(kernel)?;
                let zeros = covered.saturating_sub(size);
                (zeros / 2, zeros - zeros / 2)
            }
        };
        let room = size
            .checked_add(before)?
            .checked_add(after)?
            .checked_sub(kernel)?;
        Some(Extent {
            outputs: room / stride + 1,
            before,
            after,
        })
    }

    pub(super) fn output(&self, input: Shape) -> Result<Shape, String> {
        let Shape::Image { height, width, .. } = input else {
            return Err(format!("needs an image, but gets {input}"));
        };
        if let Padding::Even(zeros) = self.padding
            && zeros >= self.kernel.get()
        {
            let kernel = self.kernel;
            return Err(format!(
                "is padded with {zeros} zeros, but a kernel of {kernel}×{kernel} reaches over fewer than {kernel}"
            ));
        }
        let side = |size, name| {
            self.extent(size)
                .map(|extent| extent.outputs)
                .ok_or_else(|| {
                    let kernel = self.kernel;
                    format!("has a kernel of {kernel}×{kernel}, but its input has {name} {size}")
                })
        };
        Ok(Shape::Image {
            height: side(height, "height")?,
            width: side(width, "width")?,
            channels: self.channels.get(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conv(kernel: usize, stride: usize, padding: Padding) -> Conv {
        let size = |n| NonZeroUsize::new(n).unwrap();
        Conv {
            channels: size(1),
            kernel: size(kernel),
            stride: size(stride),
            padding,
            l2: NonNegative::new(0.0).unwrap(),
        }
    }

    /// The table of the paper's framework: an odd zero goes after.
    #[test]
    fn same_padding_is_asymmetric() {
        let paper = conv(5, 2, Padding::Same);
        for (size, outputs, before, after) in [
            (28, 14, 1, 2),
            (14, 7, 1, 2),
            (7, 4, 2, 2),
            (32, 16, 1, 2),
            (16, 8, 1, 2),
            (8, 4, 1, 2),
            (1, 1, 2, 2),
        ] {
            let right = Extent {
                outputs,
                before,
                after,
            };
            assert_eq!(paper.extent(size), Some(right), "{size}");
        }
        assert_eq!(conv(1, 3, Padding::Same).extent(9).unwrap().outputs, 3);
        assert_eq!(conv(3, 2, Padding::Valid).extent(8).unwrap().outputs, 3);
        assert_eq!(conv(9, 2, Padding::Valid).extent(8), None);
        assert_eq!(conv(5, 2, Padding::Even(2)).extent(28).unwrap().outputs, 14);
    }
}
