//! The register tile of sums of outer products over positions: weight gradient.

use super::outer::OuterProducts;
use super::simd::{Register, load};

/// One tile of `E` kernel entries × `V` registers of channels. `COLUMNS` and `STEP`, the distance between source columns,
/// are for grids known at compile time, whose rows then run without a branch; else both are 0.
///
/// # Safety
/// `T`'s instruction set must be available, all arrays must reach over the whole grid, `E` entries and `V·LANES` channels.
/// Where `COLUMNS` is not 0, it and `STEP` must be the job's, and gradients of neighbouring columns `V·LANES` apart.
#[inline(always)]
pub(super) unsafe fn outer<
    T: Register,
    const E: usize,
    const V: usize,
    const COLUMNS: usize,
    const STEP: usize,
>(
    job: &OuterProducts<'_>,
    out: *mut f32,
) {
    let (sources, deltas) = (job.source_pixels, job.delta_pixels);
    // SAFETY: pixels inside the grid, for which the caller vouches.
    unsafe {
        let mut sums = [[T::splat(0.0); V]; E];
        for image in 0..job.images {
            let mut source = job
                .source
                .as_ptr()
                .add(sources.origin + image * sources.image);
            let mut delta = job.delta.as_ptr().add(deltas.origin + image * deltas.image);
            for _ in 0..job.rows {
                if COLUMNS > 0 {
                    // Short loops of known length are unrolled, longer ones are not. (No closure: the compiler may not
                    // inline it, and outside of the instruction set's function every operation is a call.)
                    let mut source = source;
                    let mut delta = delta;
                    for _ in 0..COLUMNS / 4 {
                        for _ in 0..4 {
                            outer_product(&mut sums, source, delta, sources.row, deltas.row);
                            source = source.wrapping_add(STEP);
                            delta = delta.wrapping_add(V * T::LANES);
                        }
                    }
                    for _ in COLUMNS / 4 * 4..COLUMNS {
                        outer_product(&mut sums, source, delta, sources.row, deltas.row);
                        source = source.wrapping_add(STEP);
                        delta = delta.wrapping_add(V * T::LANES);
                    }
                } else {
                    for column in 0..job.columns {
                        let source = source.add(column * sources.column);
                        let delta = delta.add(column * deltas.column);
                        outer_product(&mut sums, source, delta, sources.row, deltas.row);
                    }
                }
                source = source.wrapping_add(sources.row);
                delta = delta.wrapping_add(deltas.row);
            }
        }
        for (e, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                let to = out.add(e * job.channels + v * T::LANES);
                if job.add {
                    sum.add(T::load(to)).store(to);
                } else {
                    sum.store(to);
                }
            }
        }
    }
}

/// sums[e] += source[e] · delta. Asks for the same place one row on: its lines lie apart, and waiting for them costs more.
///
/// # Safety
/// As for [`outer`].
#[inline(always)]
unsafe fn outer_product<T: Register, const E: usize, const V: usize>(
    sums: &mut [[T; V]; E],
    source: *const f32,
    delta: *const f32,
    source_row: usize,
    delta_row: usize,
) {
    // SAFETY: one pixel inside the grid, for which the caller vouches.
    unsafe {
        let d: [T; V] = load(delta);
        for (e, sums) in sums.iter_mut().enumerate() {
            let x = T::splat(*source.add(e));
            for v in 0..V {
                sums[v] = x.mul_add(d[v], sums[v]);
            }
        }
        T::prefetch(source.wrapping_add(source_row));
        T::prefetch(source.wrapping_add(source_row + E - 1));
        for v in 0..V {
            T::prefetch(delta.wrapping_add(delta_row + v * T::LANES));
        }
    }
}
