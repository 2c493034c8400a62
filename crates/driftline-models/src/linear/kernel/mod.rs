//! The two products behind every linear model, on a block of examples: scores S = WXᵀ + b, gradient G = ΔX.
//!
//! Sums run over 16 lanes in a fixed order and without fused multiply-add, so that the same code, compiled for wider
//! registers where the processor has them, gives the same bits on every machine. Examples are read where they lie.

mod lanes;

use std::borrow::Cow;

use self::lanes::{LANES, Lanes, Plain};
use driftline_core::data::{Inputs, Shape};

/// Examples per block: a batch of the paper's, small enough for the first-level cache.
pub(super) const BLOCK: usize = 32;

/// One number for each example of a block.
pub(super) type Column = [f32; BLOCK];

/// The length of a row that the products read, for examples of `size` numbers: at least one full set of lanes.
pub(super) const fn width(size: usize) -> usize {
    if size < LANES { LANES } else { size }
}

/// The inputs as the products read them: in place, or filled up with zeros where one example is shorter than the lanes.
pub(super) fn widened(inputs: &Inputs) -> Cow<'_, Inputs> {
    let size = inputs.shape().size();
    if width(size) == size {
        return Cow::Borrowed(inputs);
    }
    let mut values = vec![0.0; inputs.len() * LANES];
    for (wide, row) in values.chunks_exact_mut(LANES).zip(inputs.iter()) {
        wide[..size].copy_from_slice(row);
    }
    Cow::Owned(Inputs::new(values, Shape::Vector(LANES)).expect("the numbers were finite before"))
}

/// Up to [`BLOCK`] examples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    rows: [&'a [f32]; BLOCK],
    n: usize,
}

impl<'a> Block<'a> {
    /// The examples `rows` of inputs that have been [`widened`].
    #[inline(always)]
    pub(super) fn new(inputs: &'a Inputs, rows: impl ExactSizeIterator<Item = usize>) -> Self {
        let mut block = Self {
            rows: [&[]; BLOCK],
            n: rows.len(),
        };
        for (place, row) in block.rows[..block.n].iter_mut().zip(rows) {
            *place = inputs.row(row);
        }
        block
    }

    #[inline(always)]
    fn rows(&self) -> &[&'a [f32]] {
        &self.rows[..self.n]
    }
}

/// `out[class][example]` = block · weightsᵀ + biases, with `weights[classes × width]`.
pub(super) fn scores(block: &Block<'_>, weights: &[f32], biases: &[f32], out: &mut [Column]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn wide(block: &Block<'_>, weights: &[f32], biases: &[f32], out: &mut [Column]) {
            scores_by::<lanes::Avx512>(block, weights, biases, out);
        }
        #[target_feature(enable = "avx2")]
        fn half(block: &Block<'_>, weights: &[f32], biases: &[f32], out: &mut [Column]) {
            scores_by::<lanes::Avx>(block, weights, biases, out);
        }
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the line above has just found what `wide` needs.
            return unsafe { wide(block, weights, biases, out) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the line above has just found what `half` needs.
            return unsafe { half(block, weights, biases, out) };
        }
    }
    scores_by::<Plain>(block, weights, biases, out);
}

/// `gradient[classes × width]` += deltas · block and `bias_gradient[class]` += Σ deltas, with `deltas[class][example]`.
pub(super) fn gradient(
    block: &Block<'_>,
    deltas: &[Column],
    gradient: &mut [f32],
    bias_gradient: &mut [f32],
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn wide(block: &Block<'_>, deltas: &[Column], to: &mut [f32], bias: &mut [f32]) {
            gradient_by::<lanes::Avx512>(block, deltas, to, bias);
        }
        #[target_feature(enable = "avx2")]
        fn half(block: &Block<'_>, deltas: &[Column], to: &mut [f32], bias: &mut [f32]) {
            gradient_by::<lanes::Avx>(block, deltas, to, bias);
        }
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the line above has just found what `wide` needs.
            return unsafe { wide(block, deltas, gradient, bias_gradient) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the line above has just found what `half` needs.
            return unsafe { half(block, deltas, gradient, bias_gradient) };
        }
    }
    gradient_by::<Plain>(block, deltas, gradient, bias_gradient);
}

#[inline(always)]
fn scores_by<L: Lanes>(block: &Block<'_>, weights: &[f32], biases: &[f32], out: &mut [Column]) {
    let width = weights.len() / biases.len();
    let classes = weights.chunks_exact(width).zip(biases).zip(out);
    for ((weights, &bias), out) in classes {
        // What does not fill the lanes is moved to the last lanes, with 0 in the others: times the last numbers of an
        // example it adds nothing twice.
        let (chunks, rest) = weights.as_chunks::<LANES>();
        let mut tail = [0.0; LANES];
        tail[LANES - rest.len()..].copy_from_slice(rest);
        let tail = (!rest.is_empty()).then(|| L::load(&tail));
        let (fours, others) = block.rows().as_chunks::<4>();
        for (rows, places) in fours.iter().zip(out.as_chunks_mut::<4>().0) {
            *places = dots::<4, L>(rows, chunks, tail, bias);
        }
        for (row, place) in others.iter().zip(&mut out[4 * fours.len()..]) {
            [*place] = dots::<1, L>(&[row], chunks, tail, bias);
        }
    }
}

/// The dot products of `R` rows with one row of weights, plus the bias. (Loops rather than `map`, whose closures would
/// not be inlined into code for wide registers.)
#[inline(always)]
fn dots<const R: usize, L: Lanes>(
    rows: &[&[f32]; R],
    chunks: &[[f32; LANES]],
    tail: Option<L>,
    bias: f32,
) -> [f32; R] {
    let mut sums = [L::splat(0.0); R];
    let mut lanes: [&[[f32; LANES]]; R] = [&[]; R];
    for r in 0..R {
        lanes[r] = &rows[r].as_chunks().0[..chunks.len()];
    }
    for (chunk, w) in chunks.iter().enumerate() {
        let w = L::load(w);
        for r in 0..R {
            sums[r] = sums[r].plus_product(L::load(&lanes[r][chunk]), w);
        }
    }
    if let Some(tail) = tail {
        for r in 0..R {
            let last = rows[r].last_chunk().expect("a row fills the lanes");
            sums[r] = sums[r].plus_product(L::load(last), tail);
        }
    }
    let mut dots = [bias; R];
    for r in 0..R {
        dots[r] += total(sums[r].array());
    }
    dots
}

/// The sum over the lanes, by halves.
#[inline(always)]
fn total(lanes: [f32; LANES]) -> f32 {
    let (mut eight, mut four) = ([0.0; 8], [0.0; 4]);
    for i in 0..8 {
        eight[i] = lanes[i] + lanes[i + 8];
    }
    for i in 0..4 {
        four[i] = eight[i] + eight[i + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

#[inline(always)]
fn gradient_by<L: Lanes>(
    block: &Block<'_>,
    deltas: &[Column],
    gradient: &mut [f32],
    bias_gradient: &mut [f32],
) {
    let width = gradient.len() / bias_gradient.len();
    let classes = gradient.chunks_exact_mut(width).zip(bias_gradient);
    for ((place, bias), delta) in classes.zip(deltas) {
        if width < 4 * LANES {
            add_sums::<1, L>(block, delta, place);
        } else {
            add_sums::<4, L>(block, delta, place);
        }
        for delta in &delta[..block.n] {
            *bias += delta;
        }
    }
}

/// `place` += Σ_i delta_i·x_i, in stretches of `G` sets of lanes: several, so that the processor need not wait for one
/// sum to go on with the next. The last stretch is moved back to end where the row does, and adds only what is left.
#[inline(always)]
fn add_sums<const G: usize, L: Lanes>(block: &Block<'_>, delta: &Column, place: &mut [f32]) {
    let (width, length) = (place.len(), G * LANES);
    let mut done = 0;
    while done < width {
        let at = done.min(width - length);
        let mut sums = [L::splat(0.0); G];
        for (row, &delta) in block.rows().iter().zip(delta) {
            let (x, delta) = (row[at..at + length].as_chunks().0, L::splat(delta));
            for g in 0..G {
                sums[g] = sums[g].plus_product(L::load(&x[g]), delta);
            }
        }
        let mut arrays = [[0.0; LANES]; G];
        for g in 0..G {
            arrays[g] = sums[g].array();
        }
        let left = place[done..at + length].iter_mut();
        for (place, sum) in left.zip(&arrays.as_flattened()[done - at..]) {
            *place += sum;
        }
        done = at + length;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::RngExt;

    use super::*;
    use driftline_core::random::Seed;

    fn uniform(n: usize, seed: Seed) -> Vec<f32> {
        let mut generator = seed.generator();
        (0..n).map(|_| generator.random_range(-1.0..1.0)).collect()
    }

    fn inputs(n: usize, size: usize, seed: Seed) -> Inputs {
        Inputs::new(uniform(n * size, seed), Shape::Vector(size)).unwrap()
    }

    proptest! {
        /// The plain twin: textbook loops in double precision.
        #[test]
        fn both_products_agree_with_textbook_loops(size in 1usize..150, n in 1usize..=BLOCK, k in 1usize..5, seed: u64) {
            let seed = Seed::new(seed);
            let width = width(size);
            let inputs = inputs(n, size, seed.named("x"));
            let wide = widened(&inputs);
            let block = Block::new(&wide, 0..n);
            let mut weights = uniform(k * width, seed.named("w"));
            weights.chunks_exact_mut(width).for_each(|row| row[size..].fill(0.0));
            let biases = uniform(k, seed.named("b"));
            let mut out = vec![[0.0; BLOCK]; k];
            scores(&block, &weights, &biases, &mut out);
            let (mut g, mut gb) = (vec![0.5; k * width], vec![0.5; k]);
            gradient(&block, &out, &mut g, &mut gb);
            for c in 0..k {
                for (i, &score) in out[c][..n].iter().enumerate() {
                    let dot: f64 = (0..size).map(|j| f64::from(inputs.row(i)[j]) * f64::from(weights[c * width + j])).sum();
                    prop_assert!((dot + f64::from(biases[c]) - f64::from(score)).abs() < 1e-4);
                }
                for j in 0..size {
                    let sum: f64 = (0..n).map(|i| f64::from(out[c][i]) * f64::from(inputs.row(i)[j])).sum();
                    prop_assert!((0.5 + sum - f64::from(g[c * width + j])).abs() < 1e-3);
                }
                let sum: f64 = (0..n).map(|i| f64::from(out[c][i])).sum();
                prop_assert!((0.5 + sum - f64::from(gb[c])).abs() < 1e-3);
            }
        }

        /// Wide registers change nothing.
        #[test]
        fn the_instruction_set_does_not_change_a_bit(size in 1usize..150, seed: u64) {
            let inputs = inputs(7, size, Seed::new(seed));
            let wide = widened(&inputs);
            let block = Block::new(&wide, 0..7);
            let weights = [wide.row(0), wide.row(1)].concat();
            let mut found = Vec::new();
            let mut by = |scores: fn(&Block<'_>, &[f32], &[f32], &mut [Column]), gradient: fn(&Block<'_>, &[Column], &mut [f32], &mut [f32])| {
                let mut out = vec![[0.0; BLOCK]; 2];
                scores(&block, &weights, &[0.1, 0.2], &mut out);
                let (mut g, mut b) = (vec![0.0; weights.len()], vec![0.0; 2]);
                gradient(&block, &out, &mut g, &mut b);
                found.push((out, g, b));
            };
            by(scores_by::<Plain>, gradient_by::<Plain>);
            by(scores, gradient);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                by(scores_by::<lanes::Avx>, gradient_by::<lanes::Avx>);
            }
            prop_assert!(found.iter().all(|other| *other == found[0]));
        }

        /// Where an example stands in its block changes nothing.
        #[test]
        fn scores_do_not_depend_on_the_neighbours(size in 1usize..150, n in 1usize..=BLOCK, seed: u64) {
            let inputs = inputs(n, size, Seed::new(seed));
            let wide = widened(&inputs);
            let (mut all, mut one) = ([[0.0; BLOCK]], [[0.0; BLOCK]]);
            scores(&Block::new(&wide, 0..n), wide.row(0), &[0.1], &mut all);
            for (i, &score) in all[0][..n].iter().enumerate() {
                scores(&Block::new(&wide, i..i + 1), wide.row(0), &[0.1], &mut one);
                prop_assert_eq!(one[0][0], score);
            }
        }
    }
}
