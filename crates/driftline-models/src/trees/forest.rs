//! The trees of a training as they come, packed: with many classes and few rows they are most of its memory.

use super::bins::{Binning, Bins};
use super::grow::Tree;
use super::model::{BY_SET, FlatNode, MISSING_LEFT, Set};

/// All trees so far. A grown tree takes nine times the memory of its flat nodes, and those 1.6 times that of this.
#[derive(Debug, Default)]
pub(super) struct Forest {
    /// How many splits each tree has.
    sizes: Vec<usize>,
    /// Tree after tree, in the order in which its leaves were split: the k-th split made nodes 2k + 1 and 2k + 2.
    splits: Vec<Packed>,
    /// What the leaves of each tree add, in the order of their nodes.
    values: Vec<f32>,
    sets: Vec<Set>,
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
        let from = self.splits.len();
        for (at, node) in tree.nodes.iter().enumerate() {
            let Some((split, _)) = &node.split else {
                self.values.push(node.value);
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
            self.splits.push(packed);
        }
        self.splits[from..].sort_unstable_by_key(|split| {
            let (_, child) = tree.nodes[split.node as usize]
                .split
                .expect("it is a split");
            child
        });
        self.sizes.push(self.splits.len() - from);
    }

    /// The first `trees` trees.
    pub(super) fn flat(self, trees: usize) -> Flat {
        let sizes = &self.sizes[..trees.min(self.sizes.len())];
        let n_splits: usize = sizes.iter().sum();
        let n_nodes = 2 * n_splits + sizes.len();
        let mut flat = Flat {
            nodes: Vec::with_capacity(n_nodes),
            sets: self.sets,
            roots: Vec::with_capacity(sizes.len()),
        };
        let (mut splits, mut values) = (&self.splits[..], self.values.iter());
        for &size in sizes {
            let (own, rest) = splits.split_at(size);
            splits = rest;
            let root = flat.nodes.len();
            flat.roots.push(root as u32);
            let leaf = |at| FlatNode::leaf(at as u32, 0.0);
            flat.nodes.extend((root..=root + 2 * size).map(leaf));
            for (k, split) in own.iter().enumerate() {
                let at = root + split.node as usize;
                flat.nodes[at] = FlatNode {
                    threshold: split.threshold,
                    child: (root + 2 * k + 1) as u32,
                    column: split.column,
                    value: split.gain,
                };
            }
            let leaves = (root..).zip(&mut flat.nodes[root..]);
            let leaves = leaves.filter(|(at, node)| node.child as usize == *at);
            for ((_, leaf), &value) in leaves.zip(&mut values) {
                leaf.value = value;
            }
        }
        let by_set = flat.nodes.iter().filter(|node| node.column & BY_SET != 0);
        let n_sets = by_set.count();
        flat.sets.truncate(n_sets);
        flat
    }
}
