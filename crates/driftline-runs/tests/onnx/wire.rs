//! A small reader of ONNX files, written from the specification and sharing nothing with the writer.

use std::collections::BTreeMap;

/// The fields of one message: number and contents.
pub struct Fields<'a>(Vec<(u64, Content<'a>)>);

#[derive(Clone, Copy)]
pub enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Float(f32),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a number ends");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

impl<'a> Fields<'a> {
    pub fn read(mut bytes: &'a [u8]) -> Self {
        let mut fields = vec![];
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let content = match key & 7 {
                0 => Content::Number(varint(&mut bytes)),
                2 => {
                    let size = varint(&mut bytes) as usize;
                    let (own, rest) = bytes.split_at(size);
                    bytes = rest;
                    Content::Bytes(own)
                }
                5 => {
                    let (own, rest) = bytes.split_at(4);
                    bytes = rest;
                    Content::Float(f32::from_le_bytes(own.try_into().unwrap()))
                }
                other => panic!("layout {other}"),
            };
            fields.push((key >> 3, content));
        }
        Self(fields)
    }

    pub fn all(&self, number: u64) -> impl Iterator<Item = Content<'a>> + '_ {
        let own = self.0.iter().filter(move |(n, _)| *n == number);
        own.map(|(_, content)| *content)
    }

    pub fn messages(&self, number: u64) -> Vec<Fields<'a>> {
        self.all(number)
            .map(|content| Fields::read(content.bytes()))
            .collect()
    }

    pub fn message(&self, number: u64) -> Fields<'a> {
        self.messages(number).into_iter().next().expect("a message")
    }

    pub fn texts(&self, number: u64) -> Vec<String> {
        let text = |content: Content<'a>| String::from_utf8(content.bytes().to_vec()).unwrap();
        self.all(number).map(text).collect()
    }

    pub fn text(&self, number: u64) -> String {
        self.texts(number).into_iter().next().unwrap_or_default()
    }

    pub fn numbers(&self, number: u64) -> Vec<i64> {
        let value = |content: Content<'_>| match content {
            Content::Number(value) => value as i64,
            _ => panic!("not a number"),
        };
        self.all(number).map(value).collect()
    }

    pub fn floats(&self, number: u64) -> Vec<f32> {
        let value = |content: Content<'_>| match content {
            Content::Float(value) => value,
            _ => panic!("not a float"),
        };
        self.all(number).map(value).collect()
    }

    pub fn number(&self, number: u64) -> i64 {
        self.numbers(number).into_iter().next().unwrap_or(0)
    }
}

impl<'a> Content<'a> {
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Content::Bytes(bytes) => bytes,
            _ => panic!("not bytes"),
        }
    }
}

/// A file taken apart.
pub struct Model {
    pub operator_set: i64,
    pub nodes: Vec<Node>,
    pub constants: BTreeMap<String, Tensor>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub properties: BTreeMap<String, String>,
}

pub struct Node {
    pub operator: String,
    pub inputs: Vec<String>,
    /// The last: where there are two, the second is what is used.
    pub output: String,
    pub ints: BTreeMap<String, Vec<i64>>,
    pub floats: BTreeMap<String, f32>,
    pub texts: BTreeMap<String, String>,
    pub lists: BTreeMap<String, Vec<f32>>,
    pub words: BTreeMap<String, Vec<String>>,
}

/// Numbers in row-major order.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub dimensions: Vec<usize>,
    pub values: Vec<f64>,
}

impl Model {
    pub fn read(bytes: &[u8]) -> Self {
        let file = Fields::read(bytes);
        assert_eq!(file.number(1), 8, "the version of the representation");
        let graph = file.message(7);
        let properties = file.messages(14);
        let named = |number| graph.messages(number).iter().map(|v| v.text(1)).collect();
        Self {
            operator_set: file.message(8).number(2),
            nodes: graph.messages(1).iter().map(Node::read).collect(),
            constants: graph
                .messages(5)
                .iter()
                .map(|tensor| (tensor.text(8), Tensor::read(tensor)))
                .collect(),
            inputs: named(11),
            outputs: named(12),
            properties: properties.iter().map(|p| (p.text(1), p.text(2))).collect(),
        }
    }
}

impl Node {
    fn read(node: &Fields<'_>) -> Self {
        let (mut ints, mut floats, mut texts) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut lists, mut words) = (BTreeMap::new(), BTreeMap::new());
        for attribute in node.messages(5) {
            let name = attribute.text(1);
            match attribute.number(20) {
                1 => match attribute.all(2).next() {
                    Some(Content::Float(value)) => drop(floats.insert(name, value)),
                    _ => panic!("no float"),
                },
                2 => drop(ints.insert(name, attribute.numbers(3))),
                3 => drop(texts.insert(name, attribute.text(4))),
                6 => drop(lists.insert(name, attribute.floats(7))),
                7 => drop(ints.insert(name, attribute.numbers(8))),
                8 => drop(words.insert(name, attribute.texts(9))),
                other => panic!("attribute of type {other}"),
            }
        }
        Self {
            operator: node.text(4),
            inputs: node.texts(1),
            output: node.texts(2).pop().unwrap(),
            ints,
            floats,
            texts,
            lists,
            words,
        }
    }
}

impl Tensor {
    fn read(tensor: &Fields<'_>) -> Self {
        let bytes = tensor.all(9).next().map_or(&[][..], Content::bytes);
        let dimensions: Vec<usize> = tensor.numbers(1).iter().map(|&n| n as usize).collect();
        let values: Vec<f64> = match tensor.number(2) {
            1 => bytes
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
                .collect(),
            7 => bytes
                .chunks_exact(8)
                .map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64)
                .collect(),
            11 => bytes
                .chunks_exact(8)
                .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                .collect(),
            other => panic!("tensor of type {other}"),
        };
        assert_eq!(values.len(), dimensions.iter().product::<usize>());
        Self { dimensions, values }
    }
}
