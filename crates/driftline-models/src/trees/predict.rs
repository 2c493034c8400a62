//! Scores and probabilities of new rows. Eight walks go on side by side, because each waits for memory at every step:
//! eight rows through one tree, or one row through eight trees.

use driftline_core::Result;
use driftline_core::kernels::side_by_side;
use rayon::prelude::*;

use super::loss::probabilities;
use super::model::{BY_SET, FlatNode, MISSING_LEFT, Model, Set};

/// Walks side by side.
const LANES: usize = 8;
/// Rows that one thread takes at a time; they stay in the first cache while all trees see them.
const BLOCK: usize = 64;
/// Fewer rows are not worth a second thread.
const SHARED: usize = 256;

impl Model {
    /// The scores of each row before calibration: one for two classes, else one for each class.
    pub fn scores(&self, values: &[f32]) -> Result<Vec<f32>> {
        let rows = self.check_width(values)?;
        Ok(self.by_block(values, rows, self.base.len(), |scores, out| {
            out.copy_from_slice(scores)
        }))
    }

    /// The probabilities of each row, one for each class.
    pub fn probabilities(&self, values: &[f32]) -> Result<Vec<f32>> {
        let rows = self.check_width(values)?;
        let finish = |scores: &mut [f32], out: &mut [f32]| {
            scores
                .iter_mut()
                .for_each(|score| *score = self.calibration.apply(*score));
            let pairs = scores
                .chunks_exact(self.base.len())
                .zip(out.chunks_exact_mut(self.n_classes));
            side_by_side(
                #[inline(always)]
                || pairs.for_each(|(scores, out)| probabilities(scores, out)),
            );
        };
        Ok(self.by_block(values, rows, self.n_classes, finish))
    }

    fn by_block(
        &self,
        values: &[f32],
        rows: usize,
        width: usize,
        finish: impl Fn(&mut [f32], &mut [f32]) + Sync,
    ) -> Vec<f32> {
        let mut out = vec![0.0; rows * width];
        let block = |(values, out): (&[f32], &mut [f32])| finish(&mut self.block(values), out);
        let (inputs, outputs) = (BLOCK * self.n_columns(), BLOCK * width);
        if rows >= SHARED {
            values
                .par_chunks(inputs)
                .zip(out.par_chunks_mut(outputs))
                .for_each(block);
        } else {
            values
                .chunks(inputs)
                .zip(out.chunks_mut(outputs))
                .for_each(block);
        }
        out
    }

    /// The scores of a few rows, without looking for what they do not have.
    fn block(&self, values: &[f32]) -> Vec<f32> {
        if self.finders.is_empty() {
            let missing = values.iter().fold(false, |any, value| any | value.is_nan());
            return if missing {
                self.walk::<false, true>(values)
            } else {
                self.walk::<false, false>(values)
            };
        }
        let mut values = values.to_vec();
        for row in values.chunks_exact_mut(self.n_columns()) {
            for (column, finder) in &self.finders {
                row[*column] = f32::from(finder.bin(row[*column]));
            }
        }
        self.walk::<true, true>(&values)
    }

    fn walk<const SETS: bool, const MISSING: bool>(&self, values: &[f32]) -> Vec<f32> {
        let (width, outputs) = (self.n_columns(), self.base.len());
        let rows = values.len() / width;
        let row = |at: usize| &values[at * width..(at + 1) * width];
        let mut scores = vec![0.0; rows * outputs];
        let whole = rows - rows % LANES;
        for (tree, &root) in self.roots.iter().enumerate() {
            for first in (0..whole).step_by(LANES) {
                let lanes = std::array::from_fn(|lane| row(first + lane));
                let leaves = walk::<SETS, MISSING>(&self.nodes, &self.sets, [root; LANES], lanes);
                for (lane, leaf) in leaves.into_iter().enumerate() {
                    scores[(first + lane) * outputs + tree % outputs] +=
                        self.nodes[leaf as usize].value;
                }
            }
        }
        for at in whole..rows {
            let scores = &mut scores[at * outputs..(at + 1) * outputs];
            for (few, roots) in self.roots.chunks(LANES).enumerate() {
                let starts = std::array::from_fn(|lane| roots[lane.min(roots.len() - 1)]);
                let leaves =
                    walk::<SETS, MISSING>(&self.nodes, &self.sets, starts, [row(at); LANES]);
                for (lane, &leaf) in leaves[..roots.len()].iter().enumerate() {
                    scores[(few * LANES + lane) % outputs] += self.nodes[leaf as usize].value;
                }
            }
        }
        // Last, as onnxruntime does: the exported model then rounds like this one.
        for scores in scores.chunks_exact_mut(outputs) {
            scores
                .iter_mut()
                .zip(&self.base)
                .for_each(|(score, base)| *score += base);
        }
        scores
    }
}

/// The leaves that the rows come to.
#[inline(always)]
fn walk<const SETS: bool, const MISSING: bool>(
    nodes: &[FlatNode],
    sets: &[Set],
    mut at: [u32; LANES],
    rows: [&[f32]; LANES],
) -> [u32; LANES] {
    loop {
        let mut moved = 0;
        for lane in 0..LANES {
            let node = &nodes[at[lane] as usize];
            let value = rows[lane][node.column()];
            let left = if SETS && node.column & BY_SET != 0 {
                let bin = value as usize & 255;
                sets[node.threshold.to_bits() as usize][bin / 32] >> (bin % 32) & 1 == 1
            } else {
                (value <= node.threshold)
                    | (MISSING && value.is_nan() & (node.column & MISSING_LEFT != 0))
            };
            let next = node.child + u32::from(!left);
            moved |= next ^ at[lane];
            at[lane] = next;
        }
        if moved == 0 {
            return at;
        }
    }
}
