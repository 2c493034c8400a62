//! How large a network may be. Beyond these numbers stand mistakes and hostile files, which are refused before anything is
//! allocated or counted up to.

use super::layers::{Layer, TensorSpec};
use driftline_core::data::Shape;
use driftline_core::{Error, Result};

/// Numbers in all layers' outputs together for one input, in one layer's surrounded input, and in one tensor of weights.
const MOST_NUMBERS: usize = 1 << 28;
/// Sides of kernels and pooling windows, and strides.
const LONGEST_SIDE: usize = 1024;
const MOST_LAYERS: usize = 1024;

pub(super) fn check_layers(count: usize) -> Result<()> {
    match count {
        0 => Err(Error::empty("the list of layers")),
        1..=MOST_LAYERS => Ok(()),
        _ => Err(Error::out_of_range(
            "the number of layers",
            count,
            format!("at most {MOST_LAYERS}"),
        )),
    }
}

/// The numbers that a layer is described by, and the room that its input takes with zeros around it.
pub(super) fn check_layer(layer: &Layer, input: Shape) -> Result<(), String> {
    let sides = match layer {
        Layer::Conv(conv) => [("kernel", conv.kernel), ("stride", conv.stride)],
        Layer::MaxPool(pool) => [("size", pool.size), ("stride", pool.stride)],
        _ => return Ok(()),
    };
    for (name, side) in sides {
        if side.get() > LONGEST_SIDE {
            return Err(format!(
                "has a {name} of {side}, but at most {LONGEST_SIDE} is allowed"
            ));
        }
    }
    if let (Layer::Conv(conv), Shape::Image { .. }) = (layer, input) {
        let [height, width, channels] = input.volume();
        let surrounded = |size: usize| conv.extent(size).map(|e| size + e.before + e.after);
        if let (Some(height), Some(width)) = (surrounded(height), surrounded(width)) {
            check_shape(Shape::Image {
                height,
                width,
                channels,
            })?;
        }
    }
    Ok(())
}

pub(super) fn check_shape(shape: Shape) -> Result<Shape, String> {
    match numbers(&shape.volume()) {
        Some(1..=MOST_NUMBERS) => Ok(shape),
        Some(0) => Err(format!("has {shape}, which is empty")),
        _ => Err(format!("has {shape}, which is beyond reason")),
    }
}

pub(super) fn check_tensors(learned: &[TensorSpec]) -> Result<(), String> {
    let small = |spec: &TensorSpec| numbers(&spec.dimensions).is_some_and(|n| n <= MOST_NUMBERS);
    match learned.iter().all(small) {
        true => Ok(()),
        false => Err("has more weights than is reasonable".into()),
    }
}

/// What the layers up to one make of a single input, all together.
pub(super) fn check_total(before: &[Shape], after: Shape) -> Result<Shape, String> {
    let total: usize = before
        .iter()
        .chain([&after])
        .map(|shape| shape.size())
        .sum();
    match total <= MOST_NUMBERS {
        true => Ok(after),
        false => Err(format!(
            "makes {total} numbers of one input, together with the layers before it, but at most {MOST_NUMBERS} are allowed"
        )),
    }
}

fn numbers(dimensions: &[usize]) -> Option<usize> {
    let mut sizes = dimensions.iter();
    sizes.try_fold(1_usize, |product, &size| product.checked_mul(size))
}

#[cfg(test)]
mod tests {
    use super::super::Architecture;
    use super::*;

    /// The paper's network, one number of its description changed.
    fn refused(from: &str, to: &str) -> String {
        let text = serde_json::to_string(&Architecture::paper_conv()).unwrap();
        assert!(text.contains(from), "{text}");
        let other: Architecture = serde_json::from_str(&text.replacen(from, to, 1)).unwrap();
        let [height, width, channels] = [28, 28, 1];
        let digits = Shape::Image {
            height,
            width,
            channels,
        };
        other.build(digits, 10).unwrap_err().to_string()
    }

    #[test]
    fn every_number_of_an_architecture_has_a_bound() {
        let stride = refused("\"stride\":2", "\"stride\":1099511627776");
        let said = "layer 0 (`conv`) has a stride of 1099511627776, but at most 1024 is allowed";
        assert_eq!(stride, said);
        assert!(refused("\"kernel\":5", "\"kernel\":4096").contains("a kernel of 4096"));
        assert!(refused("\"channels\":32", "\"channels\":99999999999").contains("beyond reason"));
        let relu = "{\"layer\":\"relu\"}";
        let pool = "{\"layer\":\"max-pool\",\"size\":2,\"stride\":1099511627776}";
        assert!(refused(relu, pool).contains("a stride of"));
        let relus = vec![relu; 2000].join(",");
        assert!(refused(relu, &relus).contains("the number of layers"));
        // Each within bounds, but not all together; and an image that is small without the zeros around it.
        let wide = "\"channels\":1000000,\"kernel\":1,";
        let from = "\"channels\":32,\"kernel\":5,";
        assert!(refused(from, wide).contains("together with the layers before it"));
        let [height, width, channels] = [28, 28, 1000];
        let many = Shape::Image {
            height,
            width,
            channels,
        };
        let text = serde_json::to_string(&Architecture::paper_conv()).unwrap();
        let large = text.replacen("\"kernel\":5", "\"kernel\":1000", 1);
        let large: Architecture = serde_json::from_str(&large).unwrap();
        let surrounded = large.build(many, 10).unwrap_err().to_string();
        assert!(surrounded.contains("beyond reason"), "{surrounded}");
    }
}
