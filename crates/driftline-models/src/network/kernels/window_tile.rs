//! The register tile of sums of products over a window: forward pass and input gradient.

use super::simd::{Register, load, store};
use super::window::{Finish, Pixels, Windows};

/// How many rows of weights ahead of the one in use are fetched: they come from the second-level cache.
const AHEAD: usize = 8;

/// Rows of weights per turn of the inner loop: counting takes the same execution ports as multiplying.
const UNROLL: usize = 4;

/// Walks the grid in tiles of `R` rows × `P` columns × `V` registers of channels. The last tile of a row or of the grid
/// overlaps its neighbour: the same numbers are computed twice rather than a remainder treated apart.
/// `STEP` is the distance between source columns where it is known at compile time, else 0.
///
/// # Safety
/// `T`'s instruction set must be available; all arrays must reach over the whole grid; `R` ≤ rows, `P` ≤ columns, and
/// `V·LANES` must divide the number of channels.
#[expect(
    clippy::needless_range_loop,
    reason = "tiles are indexed alike on both sides; iterators would hide that"
)]
#[inline(always)]
pub(super) unsafe fn window<
    T: Register,
    const R: usize,
    const P: usize,
    const V: usize,
    const STEP: usize,
>(
    job: &Windows<'_>,
    out: *mut f32,
) {
    // Rows of all images together.
    let rows = job.images * job.rows;
    let mut row = 0;
    while row < rows {
        let first_row = row.min(rows - R);
        // Image and row within it, found by one division per tile: divisions are as dear as several multiply-adds.
        let mut image = first_row / job.rows;
        let mut y = first_row % job.rows;
        let places: [(usize, usize); R] = std::array::from_fn(|_| {
            let place = (image, y);
            y += 1;
            if y == job.rows {
                (image, y) = (image + 1, 0);
            }
            place
        });
        let mut column = 0;
        while column < job.columns {
            let first_column = column.min(job.columns - P);
            let at = |p: Pixels, r: usize| {
                let (image, y) = places[r];
                p.origin + image * p.image + y * p.row + first_column * p.column
            };
            // SAFETY: offsets of pixels inside the grid, for which the caller vouches.
            unsafe {
                let source: [*const f32; R] = std::array::from_fn(|r| {
                    job.source.as_ptr().wrapping_add(at(job.source_pixels, r))
                });
                let mut channel = 0;
                while channel < job.channels {
                    let sums =
                        sums::<T, R, P, V, STEP>(job, source, job.weights.as_ptr().add(channel));
                    let out = |r: usize, p: usize| {
                        out.add(at(job.out_pixels, r) + channel + p * job.out_pixels.column)
                    };
                    // The choice stands outside the loops so that these unroll and the sums stay in registers.
                    match job.finish {
                        Finish::Plain => {
                            for r in 0..R {
                                for p in 0..P {
                                    store(sums[r][p], out(r, p));
                                }
                            }
                        }
                        Finish::Bias { bias, relu } => {
                            let bias: [T; V] = load(bias.as_ptr().add(channel));
                            for r in 0..R {
                                for p in 0..P {
                                    let mut sum = sums[r][p];
                                    for v in 0..V {
                                        sum[v] = sum[v].add(bias[v]);
                                        if relu {
                                            sum[v] = sum[v].positive_part();
                                        }
                                    }
                                    store(sum, out(r, p));
                                }
                            }
                        }
                        Finish::Gate { gate, pixels } => {
                            for r in 0..R {
                                let gate = gate.as_ptr().add(at(pixels, r) + channel);
                                for p in 0..P {
                                    let gate: [T; V] = load(gate.add(p * pixels.column));
                                    let mut kept = sums[r][p];
                                    for v in 0..V {
                                        kept[v] = kept[v].where_positive(gate[v]);
                                    }
                                    store(kept, out(r, p));
                                }
                            }
                        }
                    }
                    channel += V * T::LANES;
                }
            }
            column += P;
        }
        row += R;
    }
}

/// # Safety
/// As for [`window`].
#[inline(always)]
unsafe fn sums<T: Register, const R: usize, const P: usize, const V: usize, const STEP: usize>(
    job: &Windows<'_>,
    mut source: [*const f32; R],
    mut weights: *const f32,
) -> [[[T; V]; P]; R] {
    let step = if STEP == 0 {
        job.source_pixels.column
    } else {
        STEP
    };
    // SAFETY: window offsets of pixels inside the grid and rows of the weights, for which the caller vouches.
    unsafe {
        let mut sums = [[[T::splat(0.0); V]; P]; R];
        for _ in 0..job.segments {
            let mut k = 0;
            while k + UNROLL <= job.length {
                for u in 0..UNROLL {
                    let w = weights.wrapping_add(u * job.channels);
                    products::<T, R, P, V>(&mut sums, source, k + u, step, w, job.channels);
                }
                weights = weights.wrapping_add(UNROLL * job.channels);
                k += UNROLL;
            }
            while k < job.length {
                products::<T, R, P, V>(&mut sums, source, k, step, weights, job.channels);
                weights = weights.wrapping_add(job.channels);
                k += 1;
            }
            for row in &mut source {
                *row = row.wrapping_add(job.segment_step);
            }
        }
        sums
    }
}

/// sums[r][p] += source[r][k + p·step] · weights, for one row of weights.
///
/// # Safety
/// As for [`window`].
#[expect(
    clippy::needless_range_loop,
    reason = "tiles are indexed alike on both sides; iterators would hide that"
)]
#[inline(always)]
unsafe fn products<T: Register, const R: usize, const P: usize, const V: usize>(
    sums: &mut [[[T; V]; P]; R],
    source: [*const f32; R],
    k: usize,
    step: usize,
    weights: *const f32,
    channels: usize,
) {
    // SAFETY: window offsets of pixels inside the grid and a row of the weights, for which the caller vouches.
    unsafe {
        let w: [T; V] = load(weights);
        for r in 0..R {
            for p in 0..P {
                let x = T::splat(*source[r].add(k + p * step));
                for v in 0..V {
                    sums[r][p][v] = x.mul_add(w[v], sums[r][p][v]);
                }
            }
        }
        for v in 0..V {
            T::prefetch(weights.wrapping_add(AHEAD * channels + v * T::LANES));
        }
    }
}
