//! `export --onnx`: a model as an ONNX graph that any runtime can run. Imputation and standardisation are part of the
//! graph; categories are not: their inputs are 0 or 1, one per category, in the order of the property `features`.

use super::model_file::ModelFile;
use driftline_core::Result;
use driftline_core::data::Shape;
use driftline_io::{Coding, Feature, InputEncoding};
use driftline_models::Classifier;
use driftline_models::onnx::{Attribute, Element, Graph, Node};

/// The bytes of an ONNX file that takes `input` and gives `probabilities` and `class`.
///
/// Tables are rows of numbers as they stand in the file, one per entry of the property `features`; a missing one is NaN.
/// Images are height × width × channels with values from 0 to 1. `class` is the place of the class in the property
/// `classes`.
pub fn onnx(model_file: &ModelFile) -> Result<Vec<u8>> {
    let mut graph = Graph::default();
    let value = match model_file.encoding.input() {
        InputEncoding::Features(features) => {
            let clip = model_file.encoding.cleaning().clip;
            table(&mut graph, features, clip.map(|clip| clip.stream))
        }
        InputEncoding::Images { shape, .. } => graph.input("input", &dimensions(*shape)),
    };
    let value = model_file.version.alignment.onnx(&mut graph, value);
    let probabilities = model_file.version.model.onnx(&mut graph, value)?;
    let probabilities = {
        graph.node_to("probabilities", "Identity", &[&probabilities], &[]);
        Node::from("probabilities")
    };
    let across = [("axis", Attribute::Int(1)), ("keepdims", Attribute::Int(0))];
    graph.node_to("class", "ArgMax", &[&probabilities], &across);
    let classes = model_file.version.n_classes();
    graph.output(&probabilities, Element::Float, &[classes]);
    graph.output(&Node::from("class"), Element::Int, &[]);
    let json = |names: &[String]| serde_json::to_string(names).expect("texts are JSON");
    graph.property("classes", json(model_file.classes()));
    graph.property("features", json(&model_file.encoding.input_names()));
    graph.property("version", model_file.number().to_string());
    Ok(graph.finish(
        env!("CARGO_PKG_VERSION"),
        "input: rows of numbers as in the file, in the order of the property `features` (a category is 0 or 1), or \
         pictures as height × width × channels from 0 to 1; class: place in the property `classes`",
    ))
}

/// NaN becomes the source's mean (the most frequent category), then (x − shift) / scale in double precision, clipped where
/// cleaning says so, as `predict` computes it.
fn table(graph: &mut Graph, features: &[Feature], bound: Option<f32>) -> Node {
    let (mut fill, mut shift, mut scale) = (vec![], vec![], vec![]);
    for feature in features {
        match &feature.coding {
            Coding::Number {
                shift: s,
                scale: c,
                mean,
                mark,
            } => {
                fill.push(*mean);
                shift.push(*s);
                scale.push(*c);
                if *mark {
                    fill.push(0.0);
                    shift.push(0.0);
                    scale.push(1.0);
                }
            }
            Coding::OneHot {
                categories,
                most_frequent,
                mark,
            } => {
                for category in 0..categories.len() {
                    fill.push(f64::from(u8::from(!mark && category == *most_frequent)));
                    shift.push(0.0);
                    scale.push(1.0);
                }
            }
        }
    }
    let width = [fill.len()];
    let input = graph.input("input", &width);
    let missing = graph.node("IsNaN", &[&input], &[]);
    let double = graph.node("Cast", &[&input], &[("to", Attribute::Int(11))]);
    let fill = graph.doubles("prepare.fill", &width, &fill);
    let shift = graph.doubles("prepare.shift", &width, &shift);
    let scale = graph.doubles("prepare.scale", &width, &scale);
    let filled = graph.node("Where", &[&missing, &fill, &double], &[]);
    let centred = graph.node("Sub", &[&filled, &shift], &[]);
    let scaled = graph.node("Div", &[&centred, &scale], &[]);
    let single = graph.node("Cast", &[&scaled], &[("to", Attribute::Int(1))]);
    match bound {
        None => single,
        Some(bound) => {
            let least = graph.floats("prepare.least", &[], &[-bound]);
            let most = graph.floats("prepare.most", &[], &[bound]);
            graph.node("Clip", &[&single, &least, &most], &[])
        }
    }
}

/// Features whose values lie so far from 0 that a graph's input, in single precision, cannot tell them apart to 1e-4 of
/// their spread.
pub fn coarse(model_file: &ModelFile) -> Vec<&str> {
    let InputEncoding::Features(features) = model_file.encoding.input() else {
        return vec![];
    };
    let far = |feature: &&Feature| match &feature.coding {
        Coding::Number { shift, scale, .. } => shift.abs() > 1e3 * scale,
        Coding::OneHot { .. } => false,
    };
    features
        .iter()
        .filter(far)
        .map(|feature| &*feature.name)
        .collect()
}

fn dimensions(shape: Shape) -> Vec<usize> {
    match shape {
        Shape::Vector(size) => vec![size],
        Shape::Image {
            height,
            width,
            channels,
        } => vec![height, width, channels],
    }
}
