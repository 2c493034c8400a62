//! Global pooling: `y[c]` = mean over all pixels of `x[·,·,c]`; the gradient spreads evenly, ∂L/∂x = ∂L/∂y / pixels.

use crate::data::Shape;

pub(super) fn output(input: Shape) -> Result<Shape, String> {
    match input {
        Shape::Image { channels, .. } => Ok(Shape::Vector(channels)),
        Shape::Vector(_) => Err(format!("needs an image, but gets {input}")),
    }
}

pub fn forward(x: &[f64], channels: usize) -> Vec<f64> {
    let share = channels as f64 / x.len() as f64;
    let mut sums = vec![0.0; channels];
    for pixel in x.chunks_exact(channels) {
        for (sum, x) in sums.iter_mut().zip(pixel) {
            *sum += x;
        }
    }
    sums.iter().map(|sum| sum * share).collect()
}

pub fn backward(size: usize, dy: &[f64]) -> Vec<f64> {
    let share = dy.len() as f64 / size as f64;
    let pixel = dy.iter().map(|d| d * share);
    pixel.cycle().take(size).collect()
}
