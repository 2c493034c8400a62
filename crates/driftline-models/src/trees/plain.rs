//! The plain twin of a training: no histograms, no subtraction, no threads, no panels. For every leaf, column and
//! threshold it adds up the rows again, one by one. Tests compare every tree with it, bit by bit.

use super::bins::{Binning, Bins, Finder};
use super::fixed::{Cell, Format, Row, Sums};
use super::split::{Rules, Split, contains};

/// A node of the twin: rows, and a split with two children unless it is a leaf.
pub(super) struct Node {
    pub(super) rows: Vec<Row>,
    pub(super) sums: Sums,
    pub(super) split: Option<(Split, usize)>,
}

pub(super) struct Plain<'a> {
    /// Row after row.
    pub(super) values: &'a [f32],
    pub(super) binning: &'a Binning,
    pub(super) rules: Rules,
    pub(super) max_leaves: usize,
}

impl Plain<'_> {
    pub(super) fn grow(&self, rows: &[Row]) -> Vec<Node> {
        let mut nodes = vec![self.node(rows.to_vec())];
        // Leaves in the order in which the left child takes its parent's place and the right one comes last.
        let mut leaves = vec![0];
        while leaves.len() < self.max_leaves {
            let mut best: Option<(usize, Split)> = None;
            for (place, &leaf) in leaves.iter().enumerate() {
                if let Some(split) = self.best(&nodes[leaf])
                    && best.is_none_or(|(_, best)| split.gain > best.gain)
                {
                    best = Some((place, split));
                }
            }
            let Some((place, split)) = best else { break };
            let parent = leaves[place];
            let goes_left =
                |row: &Row| contains(&split.goes_left, self.bin(row, split.column as usize));
            let (left, right) = nodes[parent].rows.iter().partition(|row| goes_left(row));
            let child = nodes.len();
            nodes[parent].split = Some((split, child));
            let (left, right) = (self.node(left), self.node(right));
            nodes.extend([left, right]);
            leaves[place] = child;
            leaves.push(child + 1);
        }
        nodes
    }

    fn node(&self, rows: Vec<Row>) -> Node {
        let sums = sums(self.rules.format, rows.iter());
        Node {
            rows,
            sums,
            split: None,
        }
    }

    fn bin(&self, row: &Row, column: usize) -> u8 {
        let finder: Finder = self.binning.columns[column].finder();
        finder.bin(self.values[row.row as usize * self.binning.columns.len() + column])
    }

    fn best(&self, node: &Node) -> Option<Split> {
        if node.sums.rows < 2 * self.rules.min_rows {
            return None;
        }
        let mut best: Option<Split> = None;
        for (column, bins) in self.binning.columns.iter().enumerate() {
            let of_rows: Vec<u8> = node.rows.iter().map(|row| self.bin(row, column)).collect();
            let found = match bins {
                Bins::Number { .. } => {
                    self.best_threshold(node, &of_rows, bins.len(), column as u32)
                }
                Bins::Category { .. } => self.best_set(node, &of_rows, column as u32),
            };
            if let Some(found) = found
                && best.is_none_or(|best| found.gain > best.gain)
            {
                best = Some(found);
            }
        }
        best
    }

    fn best_threshold(
        &self,
        node: &Node,
        bins: &[u8],
        n_bins: usize,
        column: u32,
    ) -> Option<Split> {
        let any_missing = bins.contains(&0);
        let mut best: Option<Split> = None;
        for missing_left in [false, true] {
            for last in 1..=n_bins as u8 {
                let worth_it = bins.contains(&last) && (any_missing || !missing_left);
                let goes_left = |bin: u8| if bin == 0 { missing_left } else { bin <= last };
                let split = worth_it
                    .then(|| self.split(node, bins, goes_left, column, self.rules.l2))
                    .flatten();
                if let Some(mut split) = split
                    && best.is_none_or(|best| split.gain > best.gain)
                {
                    let majority = 2 * split.left.rows > node.sums.rows;
                    let missing_left = if any_missing { missing_left } else { majority };
                    split.last = last;
                    for bin in (0..=last).filter(|&bin| bin > 0 || missing_left) {
                        split.goes_left[usize::from(bin >> 6)] |= 1 << (bin & 63);
                    }
                    best = Some(split);
                }
            }
        }
        best
    }

    fn best_set(&self, node: &Node, bins: &[u8], column: u32) -> Option<Split> {
        let of_bin = |bin: u8| {
            let rows = node
                .rows
                .iter()
                .zip(bins)
                .filter(move |(_, other)| **other == bin);
            sums(self.rules.format, rows.map(|(row, _)| row))
        };
        let all: Vec<(u8, Sums)> = (0..=255).map(|bin| (bin, of_bin(bin))).collect();
        let frequent = |sums: &Sums| sums.rows > 0 && sums.rows >= self.rules.min_category;
        let mut order: Vec<(u8, Sums)> =
            all.into_iter().filter(|(_, sums)| frequent(sums)).collect();
        order.sort_by(|a, b| {
            let rank = |sums: &Sums| sums.gradient / (sums.hessian + 10.0);
            rank(&a.1).total_cmp(&rank(&b.1)).then(a.0.cmp(&b.0))
        });
        let more = if order.len() <= 4 {
            0.0
        } else {
            self.rules.category_l2
        };
        let mut best: Option<Split> = None;
        for backward in [false, true] {
            for n in 1..order.len() {
                let set: Vec<u8> = if backward {
                    order[order.len() - n..]
                        .iter()
                        .map(|(bin, _)| *bin)
                        .collect()
                } else {
                    order[..n].iter().map(|(bin, _)| *bin).collect()
                };
                let split = self.split(
                    node,
                    bins,
                    |bin| set.contains(&bin),
                    column,
                    self.rules.l2 + more,
                );
                if let Some(mut split) = split
                    && best.is_none_or(|best| split.gain > best.gain)
                {
                    for bin in set {
                        split.goes_left[usize::from(bin >> 6)] |= 1 << (bin & 63);
                    }
                    best = Some(split);
                }
            }
        }
        best
    }

    /// A split that is allowed and gains something; which bins go left is for the caller to fill in.
    fn split(
        &self,
        node: &Node,
        bins: &[u8],
        goes_left: impl Fn(u8) -> bool,
        column: u32,
        l2: f64,
    ) -> Option<Split> {
        let rows = node
            .rows
            .iter()
            .zip(bins)
            .filter(|(_, bin)| goes_left(**bin));
        let left = sums(self.rules.format, rows.map(|(row, _)| row));
        let (leaf, alone) = (&node.sums, self.rules.alone(&node.sums));
        let gain = Rules::gain(
            [leaf.gradient, leaf.hessian],
            [left.gradient, left.hessian],
            alone,
            l2,
        );
        let allowed = self.rules.allows(leaf, left.cell) && gain > 0.0;
        allowed.then_some(Split {
            column,
            last: 0,
            goes_left: [0; 4],
            gain,
            left,
        })
    }
}

fn sums<'a>(format: Format, rows: impl Iterator<Item = &'a Row>) -> Sums {
    let mut cell = Cell::default();
    rows.for_each(|row| cell.add(format.cell(row)));
    format.sums(cell)
}
