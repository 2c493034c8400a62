//! Operators on planes (rows × channels × height × width), by the ONNX specification: those that histograms of gradients use.

use super::wire::{Node, Tensor};

/// Nothing where the operator is none of them, or its input has no planes.
pub fn apply(node: &Node, inputs: &[&Tensor]) -> Option<Tensor> {
    let x = inputs[0];
    let [n, channels, height, width] = x.dimensions[..] else {
        return None;
    };
    let at = |row: usize, channel: usize, i: usize, j: usize| {
        x.values[((row * channels + channel) * height + i) * width + j]
    };
    Some(match &*node.operator {
        // The last dimension, which is one of pixels here and of channels before they are turned.
        "ReduceMean" => {
            assert_eq!(node.ints["axes"], [3]);
            let mean = |part: &[f64]| part.iter().sum::<f64>() / width as f64;
            let values = x.values.chunks_exact(width).map(mean).collect();
            Tensor {
                dimensions: vec![n, channels, height, 1],
                values,
            }
        }
        "Pad" => {
            assert_eq!(node.texts["mode"], "edge");
            assert_eq!(inputs[1].values, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
            let inside = |place: usize, size: usize| place.saturating_sub(1).min(size - 1);
            planes([n, channels, height + 2, width + 2], |r, c, i, j| {
                at(r, c, inside(i, height), inside(j, width))
            })
        }
        // Ours that have no bias have no padding and no stride either.
        "Conv" if inputs.len() == 2 => {
            let kernel = inputs[1];
            let outputs = kernel.dimensions[0];
            assert_eq!((channels, &kernel.dimensions[1..]), (1, &[1, 3, 3][..]));
            planes([n, outputs, height - 2, width - 2], |r, o, i, j| {
                let term = |k: usize| at(r, 0, i + k / 3, j + k % 3) * kernel.values[o * 9 + k];
                (0..9).map(term).sum()
            })
        }
        "AveragePool" => {
            let side = node.ints["kernel_shape"][0] as usize;
            assert_eq!(node.ints["strides"], [side as i64; 2]);
            planes([n, channels, height / side, width / side], |r, c, i, j| {
                let pixel = |k: usize| at(r, c, i * side + k / side, j * side + k % side);
                (0..side * side).map(pixel).sum::<f64>() / (side * side) as f64
            })
        }
        "Slice" => {
            assert_eq!(inputs[3].values, [2.0, 3.0]);
            let [from, to] = [1, 2].map(|input| [0, 1].map(|k| inputs[input].values[k] as usize));
            let sizes = [n, channels, to[0] - from[0], to[1] - from[1]];
            planes(sizes, |r, c, i, j| at(r, c, from[0] + i, from[1] + j))
        }
        "Concat" => {
            assert_eq!(node.ints["axis"], [1]);
            let plane = height * width;
            planes([n, channels * inputs.len(), height, width], |r, c, i, j| {
                let part = inputs[c / channels];
                part.values[(r * channels + c % channels) * plane + i * width + j]
            })
        }
        "ReduceSum" => {
            assert_eq!(
                (&node.ints["keepdims"][..], &inputs[1].values[..]),
                (&[1][..], &[1.0][..])
            );
            planes([n, 1, height, width], |r, _, i, j| {
                (0..channels).map(|c| at(r, c, i, j)).sum()
            })
        }
        // One plane for all channels.
        "Sub" | "Div" if inputs[1].dimensions == [n, 1, height, width] => {
            planes([n, channels, height, width], |r, c, i, j| {
                let other = inputs[1].values[(r * height + i) * width + j];
                match &*node.operator {
                    "Sub" => at(r, c, i, j) - other,
                    _ => at(r, c, i, j) / other,
                }
            })
        }
        _ => return None,
    })
}

fn planes(dimensions: [usize; 4], value: impl Fn(usize, usize, usize, usize) -> f64) -> Tensor {
    let [_, channels, height, width] = dimensions;
    let of = |index: usize| {
        let (plane, pixel) = (index / (height * width), index % (height * width));
        value(
            plane / channels,
            plane % channels,
            pixel / width,
            pixel % width,
        )
    };
    Tensor {
        values: (0..dimensions.iter().product()).map(of).collect(),
        dimensions: dimensions.to_vec(),
    }
}
