//! The AVX2 register with fused multiply-add: 8 numbers, 16 registers.

use std::arch::x86_64::*;

use super::simd::Register;

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

impl Register for Avx2 {
    const LANES: usize = 8;
    const PIXELS: usize = 6;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller promises AVX2.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises AVX2 and 8 readable numbers; the load is unaligned.
        Self(unsafe { _mm256_loadu_ps(from) })
    }

    #[inline(always)]
    fn prefetch(at: *const f32) {
        // SAFETY: a prefetch never faults, and SSE is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises AVX2 and 8 writable numbers; the store is unaligned.
        unsafe { _mm256_storeu_ps(to, self.0) }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        // SAFETY: the caller promises AVX2 with FMA.
        Self(unsafe { _mm256_fmadd_ps(self.0, factor.0, sum.0) })
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller promises AVX2.
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn positive_part(self) -> Self {
        // SAFETY: the caller promises AVX2.
        Self(unsafe { _mm256_max_ps(self.0, _mm256_setzero_ps()) })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the caller promises AVX2.
        unsafe {
            let mask = _mm256_cmp_ps::<_CMP_GT_OQ>(gate.0, _mm256_setzero_ps());
            Self(_mm256_and_ps(self.0, mask))
        }
    }
}
