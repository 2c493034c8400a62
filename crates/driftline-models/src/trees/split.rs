//! The best split of one column of a leaf, from its histogram.

use driftline_core::kernels::side_by_side;

use super::fixed::{Cell, Format, Sums};
use super::settings::Settings;

/// Which bins go left: one bit for each.
pub(super) type BinSet = [u64; 4];

/// A way to split a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) column: u32,
    /// Bins 1 to `last` go left; 0 for a split by category.
    pub(super) last: u8,
    pub(super) goes_left: BinSet,
    /// How much the loss falls, to second order, times two.
    pub(super) gain: f64,
    pub(super) left: Sums,
}

/// What a split must fulfil, and how it is scored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) format: Format,
    pub(super) min_rows: u32,
    min_rest: i64,
    pub(super) l2: f64,
    pub(super) category_l2: f64,
    pub(super) min_category: u32,
}

/// A leaf with less than this has nothing left to gain; LightGBM and scikit-learn use the same.
pub(super) const MIN_HESSIAN: f64 = 1e-3;

impl Rules {
    pub(super) fn new(settings: &Settings, format: Format) -> Self {
        Self {
            format,
            min_rows: u32::try_from(settings.min_rows_per_leaf.get()).unwrap_or(u32::MAX),
            min_rest: format.least_rest(MIN_HESSIAN),
            l2: settings.l2.get(),
            category_l2: settings.category_l2.get(),
            min_category: u32::try_from(settings.min_rows_per_category).unwrap_or(u32::MAX),
        }
    }

    /// How much a split gains: g²/(h + l2) of both sides less `alone`, that of the leaf.
    #[inline(always)]
    pub(super) fn gain(leaf: [f64; 2], left: [f64; 2], alone: f64, l2: f64) -> f64 {
        let right = [leaf[0] - left[0], leaf[1] - left[1]];
        // Over a common denominator: one division instead of two.
        let (a, b) = (left[1] + l2, right[1] + l2);
        (left[0] * left[0] * b + right[0] * right[0] * a) / (a * b) - alone
    }

    /// g²/(h + l2) of a leaf.
    #[inline(always)]
    pub(super) fn alone(&self, leaf: &Sums) -> f64 {
        leaf.gradient * leaf.gradient / (leaf.hessian + self.l2)
    }

    /// Whether both sides have rows enough, and are not too sure of them already.
    #[inline(always)]
    pub(super) fn allows(&self, leaf: &Sums, left: Cell) -> bool {
        let (rows, rest) = (self.format.rows(left), left.parts()[1]);
        (rows >= self.min_rows)
            & (leaf.rows - rows >= self.min_rows)
            & (rest >= self.min_rest)
            & (leaf.cell.parts()[1] - rest >= self.min_rest)
    }
}

/// Room to look for a threshold in.
#[derive(Debug)]
pub(super) struct Buffers {
    gradients: [i64; 256],
    rests: [i64; 256],
    bins: [u8; 256],
    gains: [f64; 256],
}

impl Buffers {
    pub(super) fn new() -> Self {
        Self {
            gradients: [0; 256],
            rests: [0; 256],
            bins: [0; 256],
            gains: [0.0; 256],
        }
    }
}

/// The best threshold of a column of numbers. `cells` begin with the one of missing values, which go to either side.
/// Thresholds lie after bins that hold rows of the leaf. Of equals the smallest wins, with missing values on the right.
pub(super) fn best_threshold(
    cells: &[Cell],
    leaf: &Sums,
    column: u32,
    rules: &Rules,
    buffers: &mut Buffers,
) -> Option<Split> {
    let (&missing, cells) = cells.split_first()?;
    let mut scan = |start: Cell| {
        side_by_side(
            #[inline(always)]
            || scan(cells, start, leaf, rules, buffers),
        )
    };
    let without = scan(Cell::default());
    let with = if missing.is_empty() {
        None
    } else {
        scan(missing)
    };
    let gain = |found: &Option<(f64, u8, Cell)>| found.map_or(0.0, |found| found.0);
    let missing_left = gain(&with) > gain(&without);
    let (gain, last, sum) = if missing_left { with? } else { without? };
    let left = rules.format.sums(sum);
    // Where the leaf has no missing values, later ones follow the majority.
    let missing_left = missing_left || (missing.is_empty() && 2 * left.rows > leaf.rows);
    let goes_left = [u64::from(missing_left), 0, 0, 0];
    Some(Split {
        column,
        last,
        goes_left,
        gain,
        left,
    })
}

impl Split {
    /// Fills `goes_left`, which a threshold leaves to the split that is taken in the end.
    pub(super) fn complete(mut self) -> Self {
        for bin in 1..=self.last {
            self.goes_left[usize::from(bin >> 6)] |= 1 << (bin & 63);
        }
        self
    }
}

/// The largest gain above 0, the last bin on the left, and what is left of it; `start` is left as well.
#[inline(always)]
fn scan(
    cells: &[Cell],
    start: Cell,
    leaf: &Sums,
    rules: &Rules,
    buffers: &mut Buffers,
) -> Option<(f64, u8, Cell)> {
    let Buffers {
        gradients,
        rests,
        bins,
        gains,
    } = buffers;
    let (mut end, mut sum) = (0_usize, start);
    for (bin, &cell) in cells.iter().enumerate() {
        sum.add(cell);
        [gradients[end & 255], rests[end & 255]] = sum.parts();
        bins[end & 255] = bin as u8 + 1;
        // Without a branch: which bins are empty cannot be foreseen.
        end += usize::from(!cell.is_empty());
    }
    // The sums grow, so what is not allowed lies at both ends.
    let sum = |at: usize| Cell::from_parts([gradients[at & 255], rests[at & 255]]);
    let mut first = 0;
    while first < end && !rules.allows(leaf, sum(first)) {
        first += 1;
    }
    while first < end && !rules.allows(leaf, sum(end - 1)) {
        end -= 1;
    }
    let (format, l2, alone, whole) = (
        rules.format,
        rules.l2,
        rules.alone(leaf),
        [leaf.gradient, leaf.hessian],
    );
    let sums = gradients[first..end].iter().zip(&rests[first..end]);
    let gains = &mut gains[first..end];
    for (gain, (&gradient, &rest)) in gains.iter_mut().zip(sums) {
        *gain = Rules::gain(whole, format.values([gradient, rest]), alone, l2);
    }
    let mut best = [0.0; LANES];
    let (chunks, rest) = gains.as_chunks::<LANES>();
    for gains in chunks {
        for (best, &gain) in best.iter_mut().zip(gains) {
            *best = if gain > *best { gain } else { *best };
        }
    }
    let best = best
        .into_iter()
        .chain(rest.iter().copied())
        .fold(0.0, f64::max);
    let at = first + gains.iter().position(|&gain| gain == best)?;
    (best > 0.0).then(|| (best, bins[at & 255], sum(at)))
}

const LANES: usize = 8;

#[inline(always)]
pub(super) fn contains(set: &BinSet, bin: u8) -> bool {
    set[usize::from(bin >> 6)] >> (bin & 63) & 1 == 1
}
