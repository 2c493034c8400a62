//! The two register tiles that everything is computed with: sums of products over a window (forward pass and input
//! gradient), and sums of outer products over positions (weight gradient). Raw pointers; `conv` and `outer` check bounds.

use super::simd::Register;

/// How many rows of weights ahead of the one in use are fetched: they come from the second-level cache.
const AHEAD: usize = 8;

/// Rows of weights per turn of the inner loop: counting takes the same execution ports as multiplying.
const UNROLL: usize = 4;

/// Where rows and columns of a grid of pixels lie, relative to a pointer; distances in numbers.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub image: usize,
    pub row: usize,
    pub column: usize,
}

/// What happens to a tile before it is stored.
#[derive(Clone, Copy)]
pub(super) enum Finish {
    Plain,
    Bias { bias: *const f32, relu: bool },
    Gate { gate: *const f32, grid: Grid },
}

/// A checked job: out[i][y][x][c] = Σ_{s, k} source[i][y][x][s·segment_step + k] · weights[s·length + k][c].
#[derive(Clone, Copy)]
pub(super) struct WindowJob {
    /// Rows of all images together, and rows of one image.
    pub rows: usize,
    pub rows_per_image: usize,
    pub columns: usize,
    pub source: *const f32,
    pub source_grid: Grid,
    pub segments: usize,
    pub segment_step: usize,
    pub length: usize,
    pub weights: *const f32,
    pub channels: usize,
    pub out: *mut f32,
    pub out_grid: Grid,
    pub finish: Finish,
}

/// Walks the grid in tiles of `R` rows × `P` columns × `V` registers of channels. The last tile of a row or of the grid
/// overlaps its neighbour: the same numbers are computed twice rather than a remainder treated apart.
/// `STEP` is the distance between source columns where it is known at compile time, else 0.
///
/// # Safety
/// `T`'s instruction set must be available; all pointers valid for the whole grid; `R` ≤ rows, `P` ≤ columns, and
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
    job: &WindowJob,
) {
    let mut row = 0;
    while row < job.rows {
        let first_row = row.min(job.rows - R);
        // Image and row within it, found by one division per tile: divisions are as dear as several multiply-adds.
        let mut image = first_row / job.rows_per_image;
        let mut y = first_row % job.rows_per_image;
        let places: [(usize, usize); R] = std::array::from_fn(|_| {
            let place = (image, y);
            y += 1;
            if y == job.rows_per_image {
                (image, y) = (image + 1, 0);
            }
            place
        });
        let mut column = 0;
        while column < job.columns {
            let first_column = column.min(job.columns - P);
            let at = |grid: Grid, r: usize| {
                let (image, y) = places[r];
                image * grid.image + y * grid.row + first_column * grid.column
            };
            // SAFETY: offsets of pixels inside the grid, for which the caller vouches.
            unsafe {
                let source: [*const f32; R] =
                    std::array::from_fn(|r| job.source.add(at(job.source_grid, r)));
                let mut channel = 0;
                while channel < job.channels {
                    let sums = sums::<T, R, P, V, STEP>(job, source, job.weights.add(channel));
                    let out = |r: usize, p: usize| {
                        job.out
                            .add(at(job.out_grid, r) + channel + p * job.out_grid.column)
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
                            let bias: [T; V] = load(bias.add(channel));
                            for r in 0..R {
                                for p in 0..P {
                                    let sum: [T; V] =
                                        std::array::from_fn(|v| sums[r][p][v].add(bias[v]));
                                    let positive = sum.map(|sum| sum.positive_part());
                                    store(if relu { positive } else { sum }, out(r, p));
                                }
                            }
                        }
                        Finish::Gate { gate, grid } => {
                            for r in 0..R {
                                let gate = gate.add(at(grid, r) + channel);
                                for p in 0..P {
                                    let gate: [T; V] = load(gate.add(p * grid.column));
                                    let kept: [T; V] = std::array::from_fn(|v| {
                                        sums[r][p][v].where_positive(gate[v])
                                    });
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
/// `T`'s instruction set must be available and `from` readable for `V` registers.
#[inline(always)]
unsafe fn load<T: Register, const V: usize>(from: *const f32) -> [T; V] {
    // SAFETY: the caller's promise.
    std::array::from_fn(|v| unsafe { T::load(from.add(v * T::LANES)) })
}

/// # Safety
/// `T`'s instruction set must be available and `to` writable for `V` registers.
#[inline(always)]
unsafe fn store<T: Register, const V: usize>(values: [T; V], to: *mut f32) {
    for (v, value) in values.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { value.store(to.add(v * T::LANES)) }
    }
}

/// # Safety
/// As for [`window`].
#[inline(always)]
unsafe fn sums<T: Register, const R: usize, const P: usize, const V: usize, const STEP: usize>(
    job: &WindowJob,
    mut source: [*const f32; R],
    mut weights: *const f32,
) -> [[[T; V]; P]; R] {
    let step = if STEP == 0 {
        job.source_grid.column
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

/// A checked job: out[t][c] = Σ_{i,y,x} source[i][y][x][t] · delta[i][y][x][c], or this added to what is there.
#[derive(Clone, Copy)]
pub(super) struct OuterJob {
    pub images: usize,
    pub rows: usize,
    pub columns: usize,
    pub source: *const f32,
    pub source_grid: Grid,
    pub delta: *const f32,
    pub delta_grid: Grid,
    pub out: *mut f32,
    pub channels: usize,
    pub add: bool,
}

/// One tile of `E` kernel entries × `V` registers of channels. `COLUMNS` and `STEP`, the distance between source columns,
/// are for grids known at compile time, whose rows then run without a branch; else both are 0.
///
/// # Safety
/// `T`'s instruction set must be available and all pointers valid for the whole grid, `E` entries and `V·LANES` channels.
/// Where `COLUMNS` is not 0, it and `STEP` must be the job's, and gradients of neighbouring columns `V·LANES` apart.
#[inline(always)]
pub(super) unsafe fn outer<
    T: Register,
    const E: usize,
    const V: usize,
    const COLUMNS: usize,
    const STEP: usize,
>(
    job: &OuterJob,
) {
    let (sources, deltas) = (job.source_grid, job.delta_grid);
    // SAFETY: pixels inside the grid, for which the caller vouches.
    unsafe {
        let mut sums = [[T::splat(0.0); V]; E];
        for image in 0..job.images {
            let mut source = job.source.add(image * sources.image);
            let mut delta = job.delta.add(image * deltas.image);
            for _ in 0..job.rows {
                if COLUMNS > 0 {
                    // Short loops of known length are unrolled, longer ones are not.
                    let mut product = |column: usize| {
                        let (source, delta) =
                            (source.add(column * STEP), delta.add(column * V * T::LANES));
                        outer_product(&mut sums, source, delta, sources.row, deltas.row);
                    };
                    for four in 0..COLUMNS / 4 {
                        for column in 0..4 {
                            product(4 * four + column);
                        }
                    }
                    for column in COLUMNS / 4 * 4..COLUMNS {
                        product(column);
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
                let to = job.out.add(e * job.channels + v * T::LANES);
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
