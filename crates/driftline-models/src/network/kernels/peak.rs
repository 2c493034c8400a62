//! The most multiply-adds that one core can do: what every other figure is a share of.

use super::simd::Register;
use super::{Isa, vectorized};

/// Independent sums, enough to hide the latency of a fused multiply-add on two ports.
const SUMS: usize = 12;

/// Performs `rounds` rounds of multiply-adds on registers alone; returns how many floating-point operations that was
/// (two per multiply-add) and a number that depends on all of them.
pub fn peak(isa: Isa, rounds: u64) -> (u64, f32) {
    let sum = vectorized(
        isa,
        #[inline(always)]
        // SAFETY: the instruction set of the register is the one that this is compiled for.
        || unsafe {
            match isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => multiply_adds::<super::avx512::Avx512>(rounds),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => multiply_adds::<super::avx2::Avx2>(rounds),
                Isa::Fused => multiply_adds::<super::portable::Portable<true>>(rounds),
                _ => multiply_adds::<super::portable::Portable<false>>(rounds),
            }
        },
    );
    (rounds * (2 * SUMS * isa.lanes()) as u64, sum)
}

/// # Safety
/// The register's instruction set must be available.
#[inline(always)]
unsafe fn multiply_adds<T: Register>(rounds: u64) -> f32 {
    // SAFETY: the caller promises the instruction set; the store goes to 16 floats, which every register fits in.
    unsafe {
        // Values from outside the optimiser's sight: it must not find a closed form of the loop.
        let factor = T::splat(std::hint::black_box(0.999_999));
        let term = T::splat(std::hint::black_box(1e-6));
        let mut sums = [T::splat(std::hint::black_box(1.0)); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = sum.mul_add(factor, term);
            }
        }
        let mut lanes = [0.0; 16];
        let mut total = 0.0;
        for sum in sums {
            sum.store(lanes.as_mut_ptr());
            total += lanes[0];
        }
        total
    }
}
