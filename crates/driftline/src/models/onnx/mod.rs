//! ONNX: a graph that grows node by node, and the nodes of the library's models.

mod gradients;
mod graph;
mod nodes;
mod wire;

pub(crate) use gradients::gradients;
pub use graph::{Attribute, Element, Graph, Node};
pub(crate) use nodes::{linear, margin, neighbours, network, network_features};
