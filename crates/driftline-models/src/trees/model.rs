//! Trained trees: all nodes in one flat list, so that predicting follows indices and nothing else.

use driftline_core::{Error, Result};

use super::bins::{Binning, Bins, Finder};
use super::calibration::Calibration;
use super::forest::Flat;
use super::loss::outputs;

/// A node. Leaves lead to themselves, so that walking on from one changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct FlatNode {
    /// Values up to it go left; for a category, the bits of the number of its set.
    pub(super) threshold: f32,
    /// The left child; the right one follows it.
    pub(super) child: u32,
    /// The column, and the two flags below.
    pub(super) column: u32,
    /// What a leaf adds to the score; of a split, how much it gains.
    pub(super) value: f32,
}

/// Missing values go left.
pub(super) const MISSING_LEFT: u32 = 1 << 31;
/// The threshold is a set of categories.
pub(super) const BY_SET: u32 = 1 << 30;

/// Which bins go left, one bit for each.
pub(super) type Set = [u32; 8];

/// Gradient-boosted trees that have been trained.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) binning: Binning,
    pub(super) n_classes: usize,
    /// The scores before the first tree.
    pub(super) base: Vec<f32>,
    pub(super) calibration: Calibration,
    pub(super) nodes: Vec<FlatNode>,
    pub(super) sets: Vec<Set>,
    /// Where each tree begins. Tree t adds to score t modulo the number of scores.
    pub(super) roots: Vec<u32>,
    /// For columns of categories only.
    pub(super) finders: Vec<(usize, Finder)>,
}

impl Model {
    pub(super) fn new(
        binning: Binning,
        n_classes: usize,
        base: Vec<f32>,
        calibration: Calibration,
        trees: Flat,
    ) -> Self {
        Self {
            finders: finders(&binning),
            binning,
            n_classes,
            base,
            calibration,
            nodes: trees.nodes,
            sets: trees.sets,
            roots: trees.roots,
        }
    }

    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// How many values a row has.
    pub fn n_columns(&self) -> usize {
        self.binning.columns.len()
    }

    /// How many trees there are for each score.
    pub fn n_rounds(&self) -> usize {
        self.roots.len() / outputs(self.n_classes)
    }

    /// How many nodes all trees have, leaves included.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The bins that were found on the source.
    pub fn binning(&self) -> &Binning {
        &self.binning
    }

    pub fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// The share of each column in the gain of all splits.
    pub fn importance(&self) -> Vec<f64> {
        let mut gains = vec![0.0; self.n_columns()];
        for (at, node) in self.nodes.iter().enumerate() {
            gains[node.column()] += f64::from(node.parts(at)[1]);
        }
        let total: f64 = gains.iter().sum();
        gains
            .iter()
            .map(|gain| gain / if total > 0.0 { total } else { 1.0 })
            .collect()
    }

    pub(super) fn check_width(&self, values: &[f32]) -> Result<usize> {
        let width = self.n_columns();
        if !values.len().is_multiple_of(width) {
            let expected = format!("{width} values in each row");
            return Err(Error::mismatch(
                "the table",
                expected,
                format!("{} values", values.len()),
            ));
        }
        Ok(values.len() / width)
    }
}

impl FlatNode {
    pub(super) fn leaf(at: u32, value: f32) -> Self {
        Self {
            threshold: f32::INFINITY,
            child: at,
            column: MISSING_LEFT,
            value,
        }
    }

    /// What node `at` adds to the score, and how much it gains: of the two, one is 0.
    pub(super) fn parts(&self, at: usize) -> [f32; 2] {
        if self.child as usize == at {
            [self.value, 0.0]
        } else {
            [0.0, self.value]
        }
    }

    #[inline(always)]
    pub(super) fn column(&self) -> usize {
        (self.column & !(MISSING_LEFT | BY_SET)) as usize
    }
}

/// What finds the bins of the columns of categories.
pub(super) fn finders(binning: &Binning) -> Vec<(usize, Finder)> {
    let columns = binning.columns.iter().enumerate();
    let of_categories = columns.filter(|(_, bins)| matches!(bins, Bins::Category { .. }));
    of_categories
        .map(|(at, bins)| (at, bins.finder()))
        .collect()
}
