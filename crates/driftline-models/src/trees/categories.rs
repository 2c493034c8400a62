//! The best split of one column of categories: a set of them goes left.
//!
//! Sorted by gradient over second derivative, the best set is a beginning or an end of that order (Fisher 1958), so a
//! few hundred sums replace 2ⁿ sets.

use super::fixed::{Cell, Sums};
use super::split::{BinSet, Rules, Split};

/// Draws the order of rare categories to the middle.
const SMOOTH: f64 = 10.0;

/// With no more categories than this, each is tried against the rest without `category-l2`.
const FEW: usize = 4;

/// The best set. Missing values are a category like the others; categories with few rows in the leaf go right.
pub(super) fn best_set(cells: &[Cell], leaf: &Sums, column: u32, rules: &Rules) -> Option<Split> {
    let mut order: Vec<(u8, Sums, Cell)> = Vec::with_capacity(cells.len());
    for (bin, &cell) in cells.iter().enumerate() {
        let sums = rules.format.sums(cell);
        if sums.rows > 0 && sums.rows >= rules.min_category {
            order.push((bin as u8, sums, cell));
        }
    }
    let few = order.len() <= FEW;
    let l2 = if few {
        rules.l2
    } else {
        rules.l2 + rules.category_l2
    };
    let rank = |sums: &Sums| sums.gradient / (sums.hessian + SMOOTH);
    order.sort_by(|a, b| rank(&a.1).total_cmp(&rank(&b.1)).then(a.0.cmp(&b.0)));
    let alone = rules.alone(leaf);
    let mut best: Option<Split> = None;
    // From both ends: what goes right includes the rare ones, so the two differ.
    for backward in [false, true] {
        let mut sum = Cell::default();
        let mut set = BinSet::default();
        for step in 0..order.len().saturating_sub(1) {
            let at = if backward {
                order.len() - 1 - step
            } else {
                step
            };
            let (bin, _, cell) = order[at];
            sum.add(cell);
            set[usize::from(bin >> 6)] |= 1 << (bin & 63);
            let left = rules.format.sums(sum);
            let gain = Rules::gain(
                [leaf.gradient, leaf.hessian],
                [left.gradient, left.hessian],
                alone,
                l2,
            );
            if rules.allows(leaf, sum) && gain > best.map_or(0.0, |best| best.gain) {
                best = Some(Split {
                    column,
                    last: 0,
                    goes_left: set,
                    gain,
                    left,
                });
            }
        }
    }
    best
}
