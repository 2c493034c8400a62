//! Rectifier: y = max(x, 0); its derivative at 0 is taken to be 0.

pub fn forward(x: &[f64]) -> Vec<f64> {
    x.iter().map(|&x| x.max(0.0)).collect()
}

/// ∂L/∂x for ∂L/∂y = `dy`.
pub fn backward(x: &[f64], dy: &[f64]) -> Vec<f64> {
    let gate = |(&x, &d): (&f64, &f64)| if x > 0.0 { d } else { 0.0 };
    x.iter().zip(dy).map(gate).collect()
}
