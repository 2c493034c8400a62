//! Trees as ONNX: a `TreeEnsembleClassifier` of the operators for machine learning, then calibration and softmax.
//!
//! A set of categories becomes a chain of tests for equality that share their left child, as onnxruntime accepts it.

use super::bins::Bins;
use super::model::{BY_SET, FlatNode, MISSING_LEFT, Model};
use crate::onnx::{Attribute, Graph, Node};

/// The attributes of the operator, node by node and leaf by leaf.
#[derive(Default)]
struct Nodes {
    trees: Vec<i64>,
    ids: Vec<i64>,
    columns: Vec<i64>,
    values: Vec<f32>,
    modes: Vec<&'static str>,
    lefts: Vec<i64>,
    rights: Vec<i64>,
    missing_left: Vec<i64>,
    leaf_trees: Vec<i64>,
    leaf_ids: Vec<i64>,
    classes: Vec<i64>,
    weights: Vec<f32>,
}

impl Model {
    /// From rows of numbers, codes of categories and missing values to probabilities.
    pub fn onnx(&self, graph: &mut Graph, input: Node) -> Node {
        let outputs = self.base.len();
        let mut nodes = Nodes::default();
        for (tree, &root) in self.roots.iter().enumerate() {
            let end = self
                .roots
                .get(tree + 1)
                .map_or(self.nodes.len(), |&next| next as usize);
            self.push_tree(&mut nodes, tree, root as usize..end);
        }
        let classes = (0..self.n_classes as i64).collect();
        let scores = graph.second_in(
            "ai.onnx.ml",
            "TreeEnsembleClassifier",
            &[&input],
            &[
                ("nodes_treeids", Attribute::Ints(nodes.trees)),
                ("nodes_nodeids", Attribute::Ints(nodes.ids)),
                ("nodes_featureids", Attribute::Ints(nodes.columns)),
                ("nodes_values", Attribute::Floats(nodes.values)),
                ("nodes_modes", Attribute::Texts(nodes.modes)),
                ("nodes_truenodeids", Attribute::Ints(nodes.lefts)),
                ("nodes_falsenodeids", Attribute::Ints(nodes.rights)),
                (
                    "nodes_missing_value_tracks_true",
                    Attribute::Ints(nodes.missing_left),
                ),
                ("class_treeids", Attribute::Ints(nodes.leaf_trees)),
                ("class_nodeids", Attribute::Ints(nodes.leaf_ids)),
                ("class_ids", Attribute::Ints(nodes.classes)),
                ("class_weights", Attribute::Floats(nodes.weights)),
                ("classlabels_int64s", Attribute::Ints(classes)),
                ("post_transform", Attribute::Text("NONE")),
            ],
        );
        let scale = graph.floats("trees.scale", &[1], &[self.calibration.scale]);
        let shift = graph.floats("trees.shift", &[1], &[self.calibration.shift]);
        let base = graph.floats("trees.base", &[outputs], &self.base);
        let scores = if outputs == 1 {
            // Of two classes the operator has a second column whose meaning depends on the signs of the leaves.
            let one = graph.ints("trees.one", &[1], &[1]);
            graph.node("Gather", &[&scores, &one], &[("axis", Attribute::Int(1))])
        } else {
            scores
        };
        let scores = graph.node("Add", &[&scores, &base], &[]);
        let scores = graph.node("Mul", &[&scores, &scale], &[]);
        let scores = graph.node("Add", &[&scores, &shift], &[]);
        if outputs > 1 {
            return graph.node("Softmax", &[&scores], &[("axis", Attribute::Int(1))]);
        }
        let opposite = graph.node("Neg", &[&scores], &[]);
        let both = graph.node(
            "Concat",
            &[&opposite, &scores],
            &[("axis", Attribute::Int(1))],
        );
        graph.node("Sigmoid", &[&both], &[])
    }

    fn push_tree(&self, nodes: &mut Nodes, tree: usize, span: std::ops::Range<usize>) {
        let (root, n) = (span.start as i64, span.len() as i64);
        let class = if self.base.len() == 1 {
            1
        } else {
            (tree % self.base.len()) as i64
        };
        let mut more = n;
        for (id, node) in (0..).zip(&self.nodes[span]) {
            let left = i64::from(node.child) - root;
            if left == id {
                nodes.push([tree as i64, id, 0], 0.0, "LEAF", [0, 0], 0);
                nodes.leaf_trees.push(tree as i64);
                nodes.leaf_ids.push(id);
                nodes.classes.push(class);
                nodes.weights.push(node.value);
                continue;
            }
            let column = node.column();
            if node.column & BY_SET == 0 {
                let missing = i64::from(node.column & MISSING_LEFT != 0);
                nodes.push(
                    [tree as i64, id, column as i64],
                    node.threshold,
                    "BRANCH_LEQ",
                    [left, left + 1],
                    missing,
                );
                continue;
            }
            self.push_set(
                nodes,
                node,
                [tree as i64, id, column as i64],
                left,
                &mut more,
            );
        }
    }

    /// Missing values, and codes that are no category of the source, are tested for first: they are in bin 0.
    fn push_set(
        &self,
        nodes: &mut Nodes,
        node: &FlatNode,
        [tree, id, column]: [i64; 3],
        left: i64,
        more: &mut i64,
    ) {
        let Bins::Category { codes } = &self.binning.columns[column as usize] else {
            return;
        };
        let set = &self.sets[node.threshold.to_bits() as usize];
        let is_left = |bin: usize| set[bin / 32] >> (bin % 32) & 1 == 1;
        // Where missing values go left, the categories that go right are tested for: whatever else comes goes left.
        let missing_left = is_left(0);
        let tested: Vec<u32> = (1..=codes.len())
            .filter(|&bin| is_left(bin) != missing_left)
            .map(|bin| codes[bin - 1])
            .collect();
        let (equal, other) = if missing_left {
            (left + 1, left)
        } else {
            (left, left + 1)
        };
        let mut at = id;
        for (place, &code) in tested.iter().enumerate() {
            let next = if place + 1 == tested.len() {
                other
            } else {
                *more
            };
            nodes.push(
                [tree, at, column],
                code as f32,
                "BRANCH_EQ",
                [equal, next],
                0,
            );
            at = next;
            *more += i64::from(place + 1 < tested.len());
        }
        if tested.is_empty() {
            nodes.push(
                [tree, at, column],
                f32::INFINITY,
                "BRANCH_LEQ",
                [other, other],
                1,
            );
        }
    }
}

impl Nodes {
    fn push(
        &mut self,
        [tree, id, column]: [i64; 3],
        value: f32,
        mode: &'static str,
        next: [i64; 2],
        missing_left: i64,
    ) {
        self.trees.push(tree);
        self.ids.push(id);
        self.columns.push(column);
        self.values.push(value);
        self.modes.push(mode);
        self.lefts.push(next[0]);
        self.rights.push(next[1]);
        self.missing_left.push(missing_left);
    }
}
