//! The two register tiles that everything is computed with: sums of products over a window (forward pass and input
//! gradient), and sums of outer products over positions (weight gradient). Raw pointers; `conv` and `outer` check bounds.

use super::simd::Register;

/// How many rows of weights ahead of the one in use are fetched: they come from the second-level cache.
const AHEAD: usize = 8;

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
    let place = |grid: Grid, row: usize| {
        (row / job.rows_per_image) * grid.image + (row % job.rows_per_image) * grid.row
    };
    let mut row = 0;
    while row < job.rows {
        let first_row = row.min(job.rows - R);
        let mut column = 0;
        while column < job.columns {
            let first_column = column.min(job.columns - P);
            // SAFETY: offsets of pixels inside the grid, for which the caller vouches.
            unsafe {
                let source: [*const f32; R] = std::array::from_fn(|r| {
                    let at = place(job.source_grid, first_row + r);
                    job.source.add(at + first_column * job.source_grid.column)
                });
                let mut channel = 0;
                while channel < job.channels {
                    let sums = sums::<T, R, P, V, STEP>(job, source, job.weights.add(channel));
                    for (r, sums) in sums.iter().enumerate() {
                        for (p, &sums) in sums.iter().enumerate() {
                            finish(job, first_row + r, first_column + p, channel, sums);
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
            for k in 0..job.length {
                let w: [T; V] = std::array::from_fn(|v| T::load(weights.add(v * T::LANES)));
                for r in 0..R {
                    for p in 0..P {
                        let x = T::splat(*source[r].add(k + p * step));
                        for v in 0..V {
                            sums[r][p][v] = x.mul_add(w[v], sums[r][p][v]);
                        }
                    }
                }
                for v in 0..V {
                    T::prefetch(weights.wrapping_add(AHEAD * job.channels + v * T::LANES));
                }
                weights = weights.add(job.channels);
            }
            for row in &mut source {
                *row = row.wrapping_add(job.segment_step);
            }
        }
        sums
    }
}

/// # Safety
/// As for [`window`].
#[inline(always)]
unsafe fn finish<T: Register, const V: usize>(
    job: &WindowJob,
    row: usize,
    column: usize,
    channel: usize,
    sums: [T; V],
) {
    let place = |grid: Grid| {
        (row / job.rows_per_image) * grid.image
            + (row % job.rows_per_image) * grid.row
            + column * grid.column
            + channel
    };
    for (v, &sum) in sums.iter().enumerate() {
        let lane = v * T::LANES;
        // SAFETY: channels of a pixel inside the grid, for which the caller vouches.
        unsafe {
            let value = match job.finish {
                Finish::Plain => sum,
                Finish::Bias { bias, relu: false } => sum.add(T::load(bias.add(channel + lane))),
                Finish::Bias { bias, relu: true } => {
                    sum.add(T::load(bias.add(channel + lane))).positive_part()
                }
                Finish::Gate { gate, grid } => {
                    sum.where_positive(T::load(gate.add(place(grid) + lane)))
                }
            };
            value.store(job.out.add(place(job.out_grid) + lane));
        }
    }
}

/// A checked job: out[t][c] += Σ_{i,y,x} source[i][y][x][t] · delta[i][y][x][c], the sum begun at zero.
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
}

/// One tile of `E` kernel entries × `V` registers of channels.
///
/// # Safety
/// `T`'s instruction set must be available and all pointers valid for the whole grid, `E` entries and `V·LANES` channels.
#[inline(always)]
pub(super) unsafe fn outer<T: Register, const E: usize, const V: usize>(job: &OuterJob) {
    // SAFETY: pixels inside the grid, for which the caller vouches.
    unsafe {
        for e in 0..E {
            for v in 0..V {
                T::prefetch(job.out.add(e * job.channels + v * T::LANES));
            }
        }
        let mut sums = [[T::splat(0.0); V]; E];
        for image in 0..job.images {
            for row in 0..job.rows {
                let (sources, deltas) = (job.source_grid, job.delta_grid);
                let mut source = job.source.add(image * sources.image + row * sources.row);
                let mut delta = job.delta.add(image * deltas.image + row * deltas.row);
                for _ in 0..job.columns {
                    let d: [T; V] = std::array::from_fn(|v| T::load(delta.add(v * T::LANES)));
                    for (e, sums) in sums.iter_mut().enumerate() {
                        let x = T::splat(*source.add(e));
                        for v in 0..V {
                            sums[v] = x.mul_add(d[v], sums[v]);
                        }
                    }
                    source = source.wrapping_add(sources.column);
                    delta = delta.wrapping_add(deltas.column);
                }
            }
        }
        for (e, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                let to = job.out.add(e * job.channels + v * T::LANES);
                sum.add(T::load(to)).store(to);
            }
        }
    }
}
