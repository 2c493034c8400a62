//! The operators that trees use, by the ONNX specification: columns picked and folded, and `TreeEnsembleClassifier`.

use super::wire::{Node, Tensor};

/// Nothing where the operator is none of them.
pub fn apply(node: &Node, inputs: &[&Tensor]) -> Option<Tensor> {
    let x = inputs[0];
    let kept = node.ints.get("keepdims").is_some_and(|keep| keep == &[1]);
    let by_row = |width: usize, row: &dyn Fn(&[f64]) -> Vec<f64>| Tensor {
        dimensions: vec![x.dimensions[0], width],
        values: x
            .values
            .chunks_exact(x.dimensions[1])
            .flat_map(row)
            .collect(),
    };
    let compared = |f: &dyn Fn(f64, f64) -> bool| Tensor {
        dimensions: x.dimensions.clone(),
        values: x
            .values
            .iter()
            .map(|&v| f64::from(u8::from(f(v, inputs[1].values[0]))))
            .collect(),
    };
    let largest = |row: &[f64]| row.iter().copied().fold(f64::MIN, f64::max);
    Some(match &*node.operator {
        "Gather" if node.ints.get("axis").is_some_and(|axis| axis == &[1]) => {
            let places = &inputs[1].values;
            by_row(places.len(), &|row| {
                places.iter().map(|&at| row[at as usize]).collect()
            })
        }
        "GreaterOrEqual" => compared(&|a, b| a >= b),
        "Less" => compared(&|a, b| a < b),
        "ReduceMax" if node.ints["axes"] == [1] && kept => by_row(1, &|row| vec![largest(row)]),
        "ArgMax" if kept => by_row(1, &|row| {
            vec![row.iter().position(|&v| v == largest(row)).unwrap() as f64]
        }),
        "TreeEnsembleClassifier" => classified(node, x),
        _ => return None,
    })
}

/// The scores; for two classes with weights of class 1 only, as ours are, the second column is that score.
fn classified(node: &Node, x: &Tensor) -> Tensor {
    let (ints, values) = (&node.ints, &node.lists["nodes_values"]);
    let classes = ints["classlabels_int64s"].len();
    let mut scores = vec![];
    for row in x.values.chunks_exact(x.dimensions[1]) {
        let mut own = vec![0.0; classes];
        let roots = (0..values.len()).filter(|&at| ints["nodes_nodeids"][at] == 0);
        for mut at in roots {
            let tree = ints["nodes_treeids"][at];
            let find = |id: i64| {
                let is = |&at: &usize| {
                    ints["nodes_treeids"][at] == tree && ints["nodes_nodeids"][at] == id
                };
                (0..values.len()).find(is).unwrap()
            };
            while node.words["nodes_modes"][at] != "LEAF" {
                let (value, limit) = (
                    row[ints["nodes_featureids"][at] as usize] as f32,
                    values[at],
                );
                let holds = match &*node.words["nodes_modes"][at] {
                    "BRANCH_LEQ" => value <= limit,
                    "BRANCH_EQ" => value == limit,
                    other => panic!("{other}"),
                };
                let missing = value.is_nan() && ints["nodes_missing_value_tracks_true"][at] == 1;
                let next = if holds || missing {
                    "nodes_truenodeids"
                } else {
                    "nodes_falsenodeids"
                };
                at = find(ints[next][at]);
            }
            let (tree, id) = (ints["nodes_treeids"][at], ints["nodes_nodeids"][at]);
            for (leaf, &weight) in node.lists["class_weights"].iter().enumerate() {
                if ints["class_treeids"][leaf] == tree && ints["class_nodeids"][leaf] == id {
                    own[ints["class_ids"][leaf] as usize] += f64::from(weight);
                }
            }
        }
        scores.extend(own);
    }
    Tensor {
        dimensions: vec![x.dimensions[0], classes],
        values: scores,
    }
}
