//! The trees of a training as they come, packed: with many classes and few rows they are most of its memory.

use super::bins::{Binning, Bins};
use super::grow::Tree;
use super::model::{BY_SET, FlatNode, MISSING_LEFT, Set};

/// All trees so far. A grown tree takes nine times the memory of its flat nodes, and those 1.6 times that of this.
#[derive(Debug, Default)]
pub(super) struct Forest {
    /// Each in a place of its own: one long list that grows would be copied, and be twice in memory then.
    trees: Vec<PackedTree>,
    sets: Vec<Set>,
}

#[derive(Debug)]
struct PackedTree {
    /// In the order in which its leaves were split: the k-th split made nodes 2k + 1 and 2k + 2.
    splits: Box<[Packed]>,
    /// What its leaves add, in the order of their nodes.
    values: Box<[f32]>,
}

#[derive(Clone, Copy, Debug)]
struct Packed {
    /// The node that is split.
    node: u32,
    /// As in a [`FlatNode`], like the column.
    threshold: f32,
    column: u32,
    gain: f32,
}

/// What a model holds of its trees.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) nodes: Vec<FlatNode>,
    pub(super) sets: Vec<Set>,
    pub(super) roots: Vec<u32>,
}

impl Forest {
    pub(super) fn push(&mut self, tree: &Tree, binning: &Binning) {
        let mut splits = Vec::with_capacity(tree.nodes.len() / 2);
        let mut values = Vec::with_capacity(tree.nodes.len() / 2 + 1);
        for (at, node) in tree.nodes.iter().enumerate() {
            let Some((split, _)) = &node.split else {
                values.push(node.value);
                continue;
            };
            let missing = if split.goes_left[0] & 1 == 1 {
                MISSING_LEFT
            } else {
                0
            };
            let (threshold, flags) = match &binning.columns[split.column as usize] {
                // Beyond the last cut, everything but missing values goes left.
                Bins::Number { cuts } => {
                    let cut = cuts.get(usize::from(split.last) - 1);
                    (cut.copied().unwrap_or(f32::INFINITY), missing)
                }
                Bins::Category { .. } => {
                    let words = split
                        .goes_left
                        .map(|word| [word as u32, (word >> 32) as u32]);
                    self.sets.push(std::array::from_fn(|i| words[i / 2][i % 2]));
                    (f32::from_bits(self.sets.len() as u32 - 1), missing | BY_SET)
                }
            };
            let packed = Packed {
                node: at as u32,
                threshold,
                column: split.column | flags,
                gain: split.gain as f32,
            };
            splits.push(packed);
        }
        splits.sort_unstable_by_key(|split| {
            let (_, child) = tree.nodes[split.node as usize]
                .split
                .expect("it is a split");
            child
        });
        self.trees.push(PackedTree {
            splits: splits.into(),
            values: values.into(),
        });
    }

    /// The first `trees` trees.
    pub(super) fn flat(mut self, trees: usize) -> Flat {
        self.trees.truncate(trees);
        let n_splits: usize = self.trees.iter().map(|tree| tree.splits.len()).sum();
        let mut flat = Flat {
            nodes: Vec::with_capacity(2 * n_splits + self.trees.len()),
            sets: self.sets,
            roots: Vec::with_capacity(self.trees.len()),
        };
        for tree in self.trees {
            let root = flat.nodes.len();
            flat.roots.push(root as u32);
            let leaf = |at| FlatNode::leaf(at as u32, 0.0);
            flat.nodes
                .extend((root..=root + 2 * tree.splits.len()).map(leaf));
            for (k, split) in tree.splits.iter().enumerate() {
                flat.nodes[root + split.node as usize] = FlatNode {
                    threshold: split.threshold,
                    child: (root + 2 * k + 1) as u32,
                    column: split.column,
                    value: split.gain,
                };
            }
            let leaves = (root..).zip(&mut flat.nodes[root..]);
            let leaves = leaves.filter(|(at, node)| node.child as usize == *at);
            for ((_, leaf), &value) in leaves.zip(&tree.values) {
                leaf.value = value;
            }
        }
        let by_set = flat.nodes.iter().filter(|node| node.column & BY_SET != 0);
        let n_sets = by_set.count();
        flat.sets.truncate(n_sets);
        flat
    }
}
