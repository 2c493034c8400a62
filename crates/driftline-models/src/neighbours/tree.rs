//! A k-d tree: rows are halved along the column in which they spread most, until few are left. A half is passed over
//! where its border alone is further away than the worst of the nearest so far; rounding cannot make that wrong, since
//! squares and sums of what is larger round to what is not smaller.

use std::ops::Range;

use super::search::Nearest;

/// Halves of at most so many rows are not halved again.
const LEAF: usize = 48;

#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The root is the last; children come before their parents.
    nodes: Vec<Node>,
    size: usize,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Range<usize>),
    /// Values of `column` are at most `border` below, and at least `border` above.
    Halves {
        column: usize,
        border: f32,
        below: usize,
        above: usize,
    },
}

impl Tree {
    /// The tree, and the numbers of the rows in the order of its leaves.
    pub fn new(rows: &[f32], size: usize) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..(rows.len() / size) as u32).collect();
        let mut tree = Self {
            nodes: vec![],
            size,
        };
        tree.grow(rows, &mut order, 0);
        (tree, order)
    }

    fn grow(&mut self, rows: &[f32], order: &mut [u32], first: usize) -> usize {
        let (column, spread) = widest(rows, self.size, order);
        let node = if order.len() <= LEAF || spread <= 0.0 {
            Node::Leaf(first..first + order.len())
        } else {
            let half = order.len() / 2;
            let value = |row: u32| rows[row as usize * self.size + column];
            order.select_nth_unstable_by(half, |&a, &b| {
                value(a).total_cmp(&value(b)).then(a.cmp(&b))
            });
            let border = value(order[half]);
            let (lower, upper) = order.split_at_mut(half);
            let below = self.grow(rows, lower, first);
            let above = self.grow(rows, upper, first + half);
            Node::Halves {
                column,
                border,
                below,
                above,
            }
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Gives `leaf` the places of every leaf that may hold one of the nearest.
    pub fn visit(
        &self,
        point: &[f32],
        nearest: &mut Nearest,
        leaf: &mut impl FnMut(Range<usize>, &mut Nearest),
    ) {
        self.descend(self.nodes.len() - 1, point, nearest, leaf);
    }

    fn descend(
        &self,
        node: usize,
        point: &[f32],
        nearest: &mut Nearest,
        leaf: &mut impl FnMut(Range<usize>, &mut Nearest),
    ) {
        match &self.nodes[node] {
            Node::Leaf(places) => leaf(places.clone(), nearest),
            &Node::Halves {
                column,
                border,
                below,
                above,
            } => {
                let apart = point[column] - border;
                let (near, far) = if apart < 0.0 {
                    (below, above)
                } else {
                    (above, below)
                };
                self.descend(near, point, nearest, leaf);
                if apart * apart <= nearest.worst() {
                    self.descend(far, point, nearest, leaf);
                }
            }
        }
    }
}

/// The column in which these rows spread most, and how far that is.
pub(super) fn widest(rows: &[f32], size: usize, of: &[u32]) -> (usize, f32) {
    let spread = |column: usize| {
        let values = of.iter().map(|&row| rows[row as usize * size + column]);
        let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        (column, high - low)
    };
    let widest = (0..size).map(spread).max_by(|a, b| a.1.total_cmp(&b.1));
    widest.unwrap_or((0, 0.0))
}
