//! Histograms of gradients as ONNX nodes, by the formula of `hog/histograms.rs`.

use super::graph::{Attribute, Graph, Node};
use crate::hog::{CLIP, EPSILON, Histograms};
use driftline_core::Result;
use driftline_core::data::Shape;

/// From images, channels last, to one row of features each.
pub(crate) fn hog(
    graph: &mut Graph,
    histograms: &Histograms,
    shape: Shape,
    input: Node,
) -> Result<Node> {
    let [rows, columns] = histograms.layout(shape)?.cells;
    let (directions, least) = histograms.directions();
    let keep = || ("keepdims", Attribute::Int(1));
    let last = ("axes", Attribute::Ints(vec![3]));
    let grey = graph.node("ReduceMean", &[&input], &[last, keep()]);
    let grey = graph.node("Transpose", &[&grey], &[("perm", ints([0, 3, 1, 2]))]);
    let border = graph.ints("border", &[8], &[0, 0, 1, 1, 0, 0, 1, 1]);
    let edge = [("mode", Attribute::Text("edge"))];
    let grey = graph.node("Pad", &[&grey, &border], &edge);

    let votes = filtered(graph, "directions", &grey, &directions);
    let votes = graph.node("Abs", &[&votes], &[]);
    let both = filtered(graph, "gradient", &grey, &[[1.0, 0.0], [0.0, 1.0]]);
    let floor = length(graph, &both, "gradient", 0.0);
    let share = graph.floats("gradient.least", &[1], &[least]);
    let floor = graph.node("Mul", &[&floor, &share], &[]);
    let votes = graph.node("Sub", &[&votes, &floor], &[]);
    let votes = graph.node("Relu", &[&votes], &[]);
    let cell = histograms.cell.get() as i64;
    let cells = [
        ("kernel_shape", ints([cell, cell])),
        ("strides", ints([cell, cell])),
    ];
    let cells = graph.node("AveragePool", &[&votes], &cells);
    // A mean is a sum over the number of pixels.
    let scale = (cell * cell) as f32 / (1.0 - least);
    let scale = graph.floats("cells.scale", &[1], &[scale]);
    let cells = graph.node("Mul", &[&cells, &scale], &[]);

    let axes = graph.ints("cells.axes", &[2], &[2, 3]);
    let mut four = vec![];
    for (down, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let name = format!("cells.{down}{right}");
        let ends = [rows as i64 - 1 + down, columns as i64 - 1 + right];
        let starts = graph.ints(&format!("{name}.starts"), &[2], &[down, right]);
        let ends = graph.ints(&format!("{name}.ends"), &[2], &ends);
        four.push(graph.node("Slice", &[&cells, &starts, &ends, &axes], &[]));
    }
    let four: Vec<&Node> = four.iter().collect();
    let blocks = graph.node("Concat", &four, &[("axis", Attribute::Int(1))]);
    let blocks = normalized(graph, &blocks, "first");
    let most = graph.floats("blocks.most", &[1], &[CLIP]);
    let blocks = graph.node("Min", &[&blocks, &most], &[]);
    let blocks = normalized(graph, &blocks, "second");
    let blocks = graph.node("Transpose", &[&blocks], &[("perm", ints([0, 2, 3, 1]))]);
    Ok(graph.node("Flatten", &[&blocks], &[("axis", Attribute::Int(1))]))
}

/// (right − left)·a + (below − above)·b for each (a, b).
fn filtered(graph: &mut Graph, name: &str, grey: &Node, weights: &[[f32; 2]]) -> Node {
    let kernel = |&[a, b]: &[f32; 2]| [0.0, -b, 0.0, -a, 0.0, a, 0.0, b, 0.0];
    let kernels: Vec<f32> = weights.iter().flat_map(kernel).collect();
    let kernels = graph.floats(
        &format!("{name}.kernel"),
        &[weights.len(), 1, 3, 3],
        &kernels,
    );
    let size = ("kernel_shape", ints([3, 3]));
    graph.node("Conv", &[grey, &kernels], &[size])
}

/// √(Σ v² + more²) over channels.
fn length(graph: &mut Graph, value: &Node, name: &str, more: f32) -> Node {
    let squares = graph.node("Mul", &[value, value], &[]);
    let axis = graph.ints(&format!("{name}.axis"), &[1], &[1]);
    let sum = graph.node(
        "ReduceSum",
        &[&squares, &axis],
        &[("keepdims", Attribute::Int(1))],
    );
    let more = graph.floats(&format!("{name}.more"), &[1], &[more * more]);
    let sum = graph.node("Add", &[&sum, &more], &[]);
    graph.node("Sqrt", &[&sum], &[])
}

fn normalized(graph: &mut Graph, blocks: &Node, name: &str) -> Node {
    let length = length(graph, blocks, &format!("blocks.{name}"), EPSILON);
    graph.node("Div", &[blocks, &length], &[])
}

fn ints<const N: usize>(values: [i64; N]) -> Attribute {
    Attribute::Ints(values.to_vec())
}
