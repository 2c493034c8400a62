//! ONNX: a graph that grows node by node, and the nodes of the library's models.

mod graph;
mod hog;
mod nodes;
mod wire;

pub use graph::{Attribute, Element, Graph, Node};
pub(crate) use hog::hog;
pub(crate) use nodes::{linear, margin, neighbours, network, network_layers};
