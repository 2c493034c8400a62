//! Global pooling: `y[c]` = mean over all pixels of `x[·,·,c]`; the gradient spreads evenly, ∂L/∂x = ∂L/∂y / pixels.

use driftline_core::data::Shape;

pub(super) fn output(input: Shape) -> Result<Shape, String> {
    match input {
        Shape::Image { channels, .. } => Ok(Shape::Vector(channels)),
        Shape::Vector(_) => Err(format!("needs an image, but gets {input}")),
    }
}
