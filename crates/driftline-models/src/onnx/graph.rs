//! An ONNX graph that grows node by node, and its encoding. Field numbers are those of the ONNX specification, IR
//! version 8 with operator set 15.

use super::wire::Message;

const IR_VERSION: i64 = 8;
const OPERATOR_SET: i64 = 15;
/// Of the operators for machine learning, `ai.onnx.ml`.
const LEARNING_SET: i64 = 3;

/// What an array holds; the numbers are the specification's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Float = 1,
    Int = 7,
    Double = 11,
}

/// A setting of a node.
#[derive(Clone, Debug)]
pub enum Attribute {
    Int(i64),
    Float(f32),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Text(&'static str),
    Texts(Vec<&'static str>),
}

/// The name of a value that flows between nodes.
pub type Node = String;

/// A graph under construction.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    inputs: Vec<Message>,
    outputs: Vec<Message>,
    properties: Vec<(String, String)>,
    named: usize,
    /// Another set of operators that is used beside the usual ones.
    domain: Option<&'static str>,
}

impl Graph {
    /// An input with any number of rows of `dimensions` numbers.
    pub fn input(&mut self, name: &str, dimensions: &[usize]) -> Node {
        self.inputs
            .push(value_info(name, Element::Float, dimensions));
        name.into()
    }

    pub fn output(&mut self, value: &Node, element: Element, dimensions: &[usize]) {
        self.outputs.push(value_info(value, element, dimensions));
    }

    /// A text that readers of the file find beside the graph.
    pub fn property(&mut self, key: &str, value: String) {
        self.properties.push((key.into(), value));
    }

    pub fn floats(&mut self, name: &str, dimensions: &[usize], values: &[f32]) -> Node {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, Element::Float, dimensions, bytes)
    }

    pub fn doubles(&mut self, name: &str, dimensions: &[usize], values: &[f64]) -> Node {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, Element::Double, dimensions, bytes)
    }

    pub fn ints(&mut self, name: &str, dimensions: &[usize], values: &[i64]) -> Node {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, Element::Int, dimensions, bytes)
    }

    fn constant(
        &mut self,
        name: &str,
        element: Element,
        dimensions: &[usize],
        bytes: Vec<u8>,
    ) -> Node {
        let tensor = Message::new()
            .each(dimensions, |m, &size| m.int(1, size as i64))
            .int(2, element as i64)
            .text(8, name)
            .bytes(9, &bytes);
        self.constants.push(tensor);
        name.into()
    }

    /// A node with one output, named after its operator.
    pub fn node(
        &mut self,
        operator: &str,
        inputs: &[&Node],
        attributes: &[(&str, Attribute)],
    ) -> Node {
        self.named += 1;
        let output = format!("{}_{}", operator.to_lowercase(), self.named);
        self.node_to(&output, operator, inputs, attributes);
        output
    }

    /// The second output of a node that has two.
    pub fn second(
        &mut self,
        operator: &str,
        inputs: &[&Node],
        attributes: &[(&str, Attribute)],
    ) -> Node {
        self.named += 1;
        let name = format!("{}_{}", operator.to_lowercase(), self.named);
        let second = format!("{name}_second");
        self.add(&[&name, &second], operator, inputs, attributes);
        second
    }

    /// The same for an operator of another set.
    pub fn second_in(
        &mut self,
        domain: &'static str,
        operator: &str,
        inputs: &[&Node],
        attributes: &[(&str, Attribute)],
    ) -> Node {
        let second = self.second(operator, inputs, attributes);
        let node = self.nodes.pop().expect("a node was just added");
        self.nodes.push(node.text(7, domain));
        self.domain = Some(domain);
        second
    }

    /// A node whose output has a given name.
    pub fn node_to(
        &mut self,
        output: &str,
        operator: &str,
        inputs: &[&Node],
        attributes: &[(&str, Attribute)],
    ) {
        self.add(&[output], operator, inputs, attributes);
    }

    fn add(
        &mut self,
        outputs: &[&str],
        operator: &str,
        inputs: &[&Node],
        attributes: &[(&str, Attribute)],
    ) {
        let node = Message::new()
            .each(inputs, |m, input| m.text(1, input))
            .each(outputs, |m, output| m.text(2, output))
            .text(3, outputs[0])
            .text(4, operator)
            .each(attributes, |m, (name, value)| {
                m.message(5, attribute(name, value))
            });
        self.nodes.push(node);
    }

    /// The bytes of the file.
    pub fn finish(self, producer_version: &str, description: &str) -> Vec<u8> {
        let graph = Message::new()
            .each(self.nodes, |m, node| m.message(1, node))
            .text(2, "driftline")
            .each(self.constants, |m, tensor| m.message(5, tensor))
            .each(self.inputs, |m, input| m.message(11, input))
            .each(self.outputs, |m, output| m.message(12, output));
        let operators = Message::new().text(1, "").int(2, OPERATOR_SET);
        Message::new()
            .int(1, IR_VERSION)
            .text(2, "driftline")
            .text(3, producer_version)
            .text(6, description)
            .message(7, graph)
            .message(8, operators)
            .each(self.domain, |m, domain| {
                m.message(8, Message::new().text(1, domain).int(2, LEARNING_SET))
            })
            .each(self.properties, |m, (key, value)| {
                m.message(14, Message::new().text(1, &key).text(2, &value))
            })
            .finish()
    }
}

fn attribute(name: &str, value: &Attribute) -> Message {
    let message = Message::new().text(1, name);
    match value {
        Attribute::Float(value) => message.float(2, *value).int(20, 1),
        Attribute::Int(value) => message.int(3, *value).int(20, 2),
        Attribute::Floats(values) => message
            .each(values, |m, &value| m.float(7, value))
            .int(20, 6),
        Attribute::Texts(values) => message.each(values, |m, value| m.text(9, value)).int(20, 8),
        Attribute::Text(value) => message.text(4, value).int(20, 3),
        Attribute::Ints(values) => message.each(values, |m, &value| m.int(8, value)).int(20, 7),
    }
}

fn value_info(name: &str, element: Element, dimensions: &[usize]) -> Message {
    let rows = Message::new().text(2, "rows");
    let shape = Message::new()
        .message(1, rows)
        .each(dimensions, |m, &size| {
            m.message(1, Message::new().int(1, size as i64))
        });
    let tensor = Message::new().int(1, element as i64).message(2, shape);
    let kind = Message::new().message(1, tensor);
    Message::new().text(1, name).message(2, kind)
}
