//! The two products behind every linear model, on a block of examples: scores S = XWᵀ + b, gradient G = ΔᵀX.
//!
//! Sums run over 16 lanes in a fixed order and without fused multiply-add, so that the same code, compiled for wider
//! registers where the processor has them, gives the same bits on every machine.

use crate::data::Inputs;

/// Examples per block: a batch of the paper's, small enough for the first-level cache.
pub(super) const BLOCK: usize = 32;
const LANES: usize = 16;
type Lanes = [f32; LANES];

/// The length of a row of `size` numbers once it is filled up with zeros to whole lanes.
pub(super) const fn padded(size: usize) -> usize {
    size.next_multiple_of(LANES)
}

/// Up to [`BLOCK`] examples side by side, each padded with zeros.
#[derive(Debug)]
pub(super) struct Block {
    values: Vec<f32>,
    size: usize,
    pitch: usize,
    n: usize,
}

impl Block {
    pub(super) fn new(size: usize) -> Self {
        let pitch = padded(size);
        Self {
            values: vec![0.0; BLOCK * pitch],
            size,
            pitch,
            n: 0,
        }
    }

    pub(super) fn load(&mut self, inputs: &Inputs, rows: &[usize]) {
        assert!(rows.len() <= BLOCK);
        self.n = rows.len();
        for (place, &row) in self.values.chunks_exact_mut(self.pitch).zip(rows) {
            place[..self.size].copy_from_slice(inputs.row(row));
        }
    }

    fn rows(&self) -> &[f32] {
        &self.values[..self.n * self.pitch]
    }
}

/// `out[n × k]` = block · weightsᵀ + biases, with `weights[k × pitch]`.
pub(super) fn scores(block: &Block, weights: &[f32], biases: &[f32], out: &mut [f32]) {
    dispatch(
        #[inline(always)]
        || scores_plain(block, weights, biases, out),
    );
}

/// `gradient[k × pitch]` += deltasᵀ · block and `bias_gradient[k]` += Σ deltas, with `deltas[n × k]`.
pub(super) fn gradient(
    block: &Block,
    deltas: &[f32],
    gradient: &mut [f32],
    bias_gradient: &mut [f32],
) {
    dispatch(
        #[inline(always)]
        || gradient_plain(block, deltas, gradient, bias_gradient),
    );
}

/// Runs `work` in code compiled for 256-bit registers where the processor has them. The bits do not depend on it.
#[inline(always)]
pub(super) fn dispatch<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: `wide` needs AVX2, and the line above has just found it.
            return unsafe { wide(work) };
        }
    }
    work()
}

#[inline(always)]
fn scores_plain(block: &Block, weights: &[f32], biases: &[f32], out: &mut [f32]) {
    let (pitch, n_classes) = (block.pitch, biases.len());
    const TILE: usize = 4;
    let full = block.n - block.n % TILE;
    for (class, (weights, &bias)) in weights.chunks_exact(pitch).zip(biases).enumerate() {
        for first in (0..full).step_by(TILE) {
            let rows = &block.values[first * pitch..(first + TILE) * pitch];
            let sums = dots::<TILE>(rows, weights, pitch);
            for (offset, sum) in sums.into_iter().enumerate() {
                out[(first + offset) * n_classes + class] = sum + bias;
            }
        }
        for row in full..block.n {
            let [sum] = dots::<1>(
                &block.values[row * pitch..(row + 1) * pitch],
                weights,
                pitch,
            );
            out[row * n_classes + class] = sum + bias;
        }
    }
}

/// The dot products of `R` rows with one row of weights.
#[inline(always)]
fn dots<const R: usize>(rows: &[f32], weights: &[f32], pitch: usize) -> [f32; R] {
    let mut sums = [[0.0_f32; LANES]; R];
    for (chunk, w) in weights.as_chunks::<LANES>().0.iter().enumerate() {
        for (r, sum) in sums.iter_mut().enumerate() {
            let start = r * pitch + chunk * LANES;
            let x: &Lanes = rows[start..start + LANES].try_into().expect("whole lanes");
            for lane in 0..LANES {
                sum[lane] += x[lane] * w[lane];
            }
        }
    }
    sums.map(total)
}

/// The sum over the lanes, by halves.
#[inline(always)]
fn total(lanes: Lanes) -> f32 {
    let mut sums = lanes;
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

#[inline(always)]
fn gradient_plain(block: &Block, deltas: &[f32], gradient: &mut [f32], bias_gradient: &mut [f32]) {
    let (pitch, n_classes) = (block.pitch, bias_gradient.len());
    for (class, row) in gradient.chunks_exact_mut(pitch).enumerate() {
        for (chunk, place) in row.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut sum = [0.0_f32; LANES];
            let examples = block.rows().chunks_exact(pitch);
            for (x, delta) in examples.zip(deltas.chunks_exact(n_classes)) {
                let x: &Lanes = x[chunk * LANES..(chunk + 1) * LANES]
                    .try_into()
                    .expect("whole lanes");
                for lane in 0..LANES {
                    sum[lane] += x[lane] * delta[class];
                }
            }
            for lane in 0..LANES {
                place[lane] += sum[lane];
            }
        }
    }
    for delta in deltas.chunks_exact(n_classes) {
        for (sum, d) in bias_gradient.iter_mut().zip(delta) {
            *sum += d;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::RngExt;

    use super::*;
    use crate::data::Shape;
    use crate::random::Seed;

    fn uniform(n: usize, seed: Seed) -> Vec<f32> {
        let mut generator = seed.generator();
        (0..n).map(|_| generator.random_range(-1.0..1.0)).collect()
    }

    proptest! {
        /// The plain twin: textbook loops in double precision.
        #[test]
        fn both_products_agree_with_textbook_loops(size in 1usize..70, n in 1usize..=BLOCK, k in 1usize..5, seed: u64) {
            let seed = Seed::new(seed);
            let pitch = padded(size);
            let inputs = Inputs::new(uniform(n * size, seed.named("x")), Shape::Vector(size)).unwrap();
            let mut block = Block::new(size);
            block.load(&inputs, &(0..n).collect::<Vec<_>>());
            let mut weights = uniform(k * pitch, seed.named("w"));
            weights.chunks_exact_mut(pitch).for_each(|row| row[size..].fill(0.0));
            let biases = uniform(k, seed.named("b"));
            let mut out = vec![0.0; n * k];
            scores(&block, &weights, &biases, &mut out);
            let (mut g, mut gb) = (vec![0.5; k * pitch], vec![0.5; k]);
            gradient(&block, &out, &mut g, &mut gb);
            for c in 0..k {
                for i in 0..n {
                    let dot: f64 = (0..size).map(|j| f64::from(inputs.row(i)[j]) * f64::from(weights[c * pitch + j])).sum();
                    prop_assert!((dot + f64::from(biases[c]) - f64::from(out[i * k + c])).abs() < 1e-4);
                }
                for j in 0..size {
                    let sum: f64 = (0..n).map(|i| f64::from(out[i * k + c]) * f64::from(inputs.row(i)[j])).sum();
                    prop_assert!((0.5 + sum - f64::from(g[c * pitch + j])).abs() < 1e-3);
                }
                let sum: f64 = (0..n).map(|i| f64::from(out[i * k + c])).sum();
                prop_assert!((0.5 + sum - f64::from(gb[c])).abs() < 1e-3);
            }
        }

        /// Wide registers change nothing.
        #[test]
        fn the_instruction_set_does_not_change_a_bit(size in 1usize..70, seed: u64) {
            let inputs = Inputs::new(uniform(7 * size, Seed::new(seed)), Shape::Vector(size)).unwrap();
            let mut block = Block::new(size);
            block.load(&inputs, &[0, 1, 2, 3, 4, 5, 6]);
            let weights = block.values[..2 * padded(size)].to_vec();
            let (mut fast, mut plain) = (vec![0.0; 14], vec![0.0; 14]);
            scores(&block, &weights, &[0.1, 0.2], &mut fast);
            scores_plain(&block, &weights, &[0.1, 0.2], &mut plain);
            prop_assert_eq!(&fast, &plain);
            let (mut g1, mut b1) = (vec![0.0; weights.len()], vec![0.0; 2]);
            let (mut g2, mut b2) = (g1.clone(), b1.clone());
            gradient(&block, &fast, &mut g1, &mut b1);
            gradient_plain(&block, &fast, &mut g2, &mut b2);
            prop_assert_eq!((g1, b1), (g2, b2));
        }
    }
}
