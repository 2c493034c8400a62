//! Kernels with inputs and outputs swapped, as the input gradient reads them.

use crate::network::kernels::{Isa, vectorized};

const SIDE: usize = 16;

/// turned[o][i] = kernel[i][o] for one kernel entry, in blocks of 16 × 16.
pub(crate) fn turn(isa: Isa, kernel: &[f32], inputs: usize, outputs: usize, turned: &mut [f32]) {
    vectorized(
        isa,
        #[inline(always)]
        || {
            for o in (0..outputs).step_by(SIDE) {
                for i in (0..inputs).step_by(SIDE) {
                    let mut block = [[0.0; SIDE]; SIDE];
                    for (row, to) in block.iter_mut().enumerate() {
                        to.copy_from_slice(&kernel[(i + row) * outputs + o..][..SIDE]);
                    }
                    // Riffling row r with row r + 8 is one turn of the index's bits; four turns swap row and column.
                    for _ in 0..SIDE.ilog2() {
                        block = riffled(block);
                    }
                    for (row, from) in block.iter().enumerate() {
                        turned[(o + row) * inputs + i..][..SIDE].copy_from_slice(from);
                    }
                }
            }
        },
    );
}

/// Rows r and r + 8, number by number in turn, become rows 2r and 2r + 1.
#[inline(always)]
fn riffled(block: [[f32; SIDE]; SIDE]) -> [[f32; SIDE]; SIDE] {
    let mut new = [[0.0; SIDE]; SIDE];
    for r in 0..SIDE / 2 {
        let (above, below) = (&block[r], &block[r + SIDE / 2]);
        for c in 0..SIDE / 2 {
            new[2 * r][2 * c] = above[c];
            new[2 * r][2 * c + 1] = below[c];
            new[2 * r + 1][2 * c] = above[SIDE / 2 + c];
            new[2 * r + 1][2 * c + 1] = below[SIDE / 2 + c];
        }
    }
    new
}
