//! From an instruction set, a tile and known strides to the compiled function.

use super::Isa;
use super::outer_tile::outer;
use super::simd::Register;
use super::window_tile::window;
use super::{OuterProducts, Windows};

type WindowFunction = unsafe fn(&Windows<'_>, *mut f32);
type OuterFunction = unsafe fn(&OuterProducts<'_>, *mut f32);
/// The compiled function for a number of entries, of registers, and a known grid.
type OuterChoice = fn(usize, usize, Option<(usize, usize)>) -> OuterFunction;

/// Functions compiled for one instruction set, with a table from tile sizes to them. In brackets behind a tile: the
/// distances between source columns that it is compiled for separately, because the paper's networks have them; every
/// further function costs compile time.
macro_rules! compiled {
    ($module:ident, $register:ty, $(features = $features:literal,)?
     windows = [$(($r:literal, $p:literal): [$($step:literal),*]),*], outers = [$($e:literal: [$(($columns:literal, $apart:literal)),*]),*], narrow = $narrow:literal) => {
        mod $module {
            use super::*;

            /// # Safety
            /// As for [`window`].
            $(#[target_feature(enable = $features)])?
            unsafe fn window_tile<const R: usize, const P: usize, const V: usize, const STEP: usize>(
                job: &Windows<'_>,
                out: *mut f32,
            ) {
                // SAFETY: the caller's promise; the instruction set is that of this function.
                unsafe { window::<$register, R, P, V, STEP>(job, out) }
            }

            /// # Safety
            /// As for [`outer`].
            $(#[target_feature(enable = $features)])?
            unsafe fn outer_tile<const E: usize, const V: usize, const COLUMNS: usize, const STEP: usize>(
                job: &OuterProducts<'_>,
                out: *mut f32,
            ) {
                // SAFETY: the caller's promise; the instruction set is that of this function.
                unsafe { outer::<$register, E, V, COLUMNS, STEP>(job, out) }
            }

            pub(super) const WINDOWS: &[(usize, usize)] = &[$(($r, $p)),*];
            pub(super) const OUTER_ENTRIES: usize = <$register as Register>::PIXELS;

            pub(super) fn window_function(rows: usize, columns: usize, registers: usize, step: usize) -> WindowFunction {
                match (rows, columns) {
                    $(($r, $p) => match (registers, step) {
                        $((2, $step) => window_tile::<$r, $p, 2, $step>,)*
                        (2, _) => window_tile::<$r, $p, 2, 0>,
                        _ => window_tile::<$r, $p, $narrow, 0>,
                    },)*
                    _ => unreachable!("no tile of {rows} × {columns}"),
                }
            }

            /// `grid` is the number of columns and the distance between source columns, where gradients lie side by side.
            pub(super) fn outer_function(entries: usize, registers: usize, grid: Option<(usize, usize)>) -> OuterFunction {
                match entries {
                    $($e => match (registers, grid) {
                        $((2, Some(($columns, $apart))) => outer_tile::<$e, 2, $columns, $apart>,)*
                        (2, _) => outer_tile::<$e, 2, 0, 0>,
                        _ => outer_tile::<$e, $narrow, 0, 0>,
                    },)*
                    _ => unreachable!("no tile of {entries}"),
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compiled!(
    avx512,
    crate::network::kernels::avx512::Avx512,
    features = "avx512f",
    windows = [
        (1, 14): [2],
        (1, 10): [],
        (1, 8): [2, 32, 64],
        (1, 7): [],
        (1, 5): [],
        (1, 4): [],
        (1, 3): [],
        (1, 2): [],
        (1, 1): [],
        (2, 7): [32, 64],
        (2, 5): [],
        (3, 4): [32, 64],
        (3, 3): [32],
        (4, 3): [32],
        (7, 2): []
    ],
    outers = [
        1: [], 2: [], 3: [], 4: [], 5: [(14, 2), (16, 2)], 6: [], 7: [], 8: [], 9: [], 10: [], 11: [], 12: [],
        13: [], 14: []
    ],
    narrow = 1
);
#[cfg(target_arch = "x86_64")]
compiled!(
    avx2,
    crate::network::kernels::avx2::Avx2,
    features = "avx2,fma",
    windows = [
        (1, 6): [2],
        (1, 5): [2, 32, 64],
        (1, 4): [2, 32, 64],
        (1, 3): [],
        (1, 2): [],
        (1, 1): [],
        (2, 3): [32, 64],
        (2, 2): [32, 64],
        (3, 2): [32, 64],
        (6, 1): []
    ],
    outers = [1: [], 2: [], 3: [], 4: [], 5: [], 6: []],
    narrow = 2
);
compiled!(
    portable,
    crate::network::kernels::portable::Portable<false>,
    windows = [
        (1, 6): [],
        (1, 4): [],
        (1, 2): [],
        (1, 1): [],
        (2, 3): [],
        (3, 2): []
    ],
    outers = [1: [], 2: [], 3: [], 4: [], 5: [], 6: []],
    narrow = 2
);
compiled!(
    fused,
    crate::network::kernels::portable::Portable<true>,
    windows = [
        (1, 6): [],
        (1, 4): [],
        (1, 2): [],
        (1, 1): [],
        (2, 3): [],
        (3, 2): []
    ],
    outers = [1: [], 2: [], 3: [], 4: [], 5: [], 6: []],
    narrow = 2
);

/// The tile (rows, columns) that covers the grid with the least work, counting one unit per pixel and one per tile.
fn best_tile(tiles: &[(usize, usize)], rows: usize, columns: usize) -> (usize, usize) {
    let fits = |&&(r, p): &&(usize, usize)| r <= rows && p <= columns;
    let work = |&&(r, p): &&(usize, usize)| rows.div_ceil(r) * columns.div_ceil(p) * (r * p + 1);
    *tiles
        .iter()
        .filter(fits)
        .min_by_key(work)
        .expect("every table has the tile of one pixel")
}

/// Computes a checked job.
///
/// # Safety
/// The arrays must reach over the whole grid, the channels be a multiple of 16, and `isa` available.
pub(super) unsafe fn run_window(isa: Isa, job: &Windows<'_>, out: &mut [f32]) {
    let registers = isa.registers(job.channels);
    let step = job.source_pixels.column;
    let choose = |tiles: &[(usize, usize)],
                  function: fn(usize, usize, usize, usize) -> WindowFunction| {
        let (r, p) = best_tile(tiles, job.images * job.rows, job.columns);
        function(r, p, registers, step)
    };
    let function = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => choose(avx512::WINDOWS, avx512::window_function),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => choose(avx2::WINDOWS, avx2::window_function),
        Isa::Fused => choose(fused::WINDOWS, fused::window_function),
        _ => choose(portable::WINDOWS, portable::window_function),
    };
    // SAFETY: the caller vouches for the job and the instruction set; the tile fits the grid by the choice above.
    unsafe { function(job, out.as_mut_ptr()) }
}

/// Computes all tiles of the first segment of a checked job, split as evenly as the registers allow.
///
/// # Safety
/// The arrays must reach over the whole grid, all entries and channels, the channels be a multiple of 16, and `isa`
/// available.
pub(super) unsafe fn run_outer(isa: Isa, job: &OuterProducts<'_>, out: &mut [f32]) {
    let registers = isa.registers(job.channels);
    let (most, function): (usize, OuterChoice) = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => (avx512::OUTER_ENTRIES, avx512::outer_function),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => (avx2::OUTER_ENTRIES, avx2::outer_function),
        Isa::Fused => (fused::OUTER_ENTRIES, fused::outer_function),
        _ => (portable::OUTER_ENTRIES, portable::outer_function),
    };
    let side_by_side = job.delta_pixels.column == registers * isa.lanes();
    let grid = side_by_side.then_some((job.columns, job.source_pixels.column));
    let tiles = job.length.div_ceil(most);
    let mut channel = 0;
    while channel < job.channels {
        let mut entry = 0;
        for tile in 0..tiles {
            let size = (job.length - entry) / (tiles - tile);
            let of_tile = OuterProducts {
                source: &job.source[entry..],
                delta: &job.delta[channel..],
                ..*job
            };
            let out = &mut out[entry * job.channels + channel..];
            // SAFETY: a tile inside the job, for which the caller vouches.
            unsafe { function(size, registers, grid)(&of_tile, out.as_mut_ptr()) }
            entry += size;
        }
        channel += registers * isa.lanes();
    }
}
