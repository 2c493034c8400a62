//! Residual blocks: `remember` passes its input on, and the `add` that closes the block adds it to what the layers between
//! have made of it, y = x + f(x). Blocks may stand inside one another; the gradient goes both ways.

use super::Layer;
use driftline_core::data::Shape;

/// For every layer, the `remember` whose input it adds, if it is an `add`; or what is wrong with which layer.
pub(in crate::network) fn partners(
    layers: &[Layer],
) -> Result<Vec<Option<usize>>, (usize, String)> {
    let mut open = vec![];
    let mut partners = vec![None; layers.len()];
    for (index, layer) in layers.iter().enumerate() {
        match layer {
            Layer::Remember => open.push(index),
            Layer::Add => {
                let alone = || (index, "has no `remember` before it".to_owned());
                partners[index] = Some(open.pop().ok_or_else(alone)?);
            }
            _ => {}
        }
    }
    match open.pop() {
        Some(index) => Err((index, "is never added: an `add` must follow".into())),
        None => Ok(partners),
    }
}

/// Both summands must be alike.
pub(in crate::network) fn check(remembered: Shape, input: Shape) -> Result<(), String> {
    match remembered == input {
        true => Ok(()),
        false => Err(format!("gets {input}, but {remembered} was remembered")),
    }
}
