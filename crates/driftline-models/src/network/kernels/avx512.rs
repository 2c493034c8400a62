//! The AVX-512 register: 16 numbers, 32 registers.

use std::arch::x86_64::*;

use super::simd::Register;

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

impl Register for Avx512 {
    const LANES: usize = 16;
    const PIXELS: usize = 14;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller promises AVX-512.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises AVX-512 and 16 readable numbers; the load is unaligned.
        Self(unsafe { _mm512_loadu_ps(from) })
    }

    #[inline(always)]
    fn prefetch(at: *const f32) {
        // SAFETY: a prefetch never faults, and SSE is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises AVX-512 and 16 writable numbers; the store is unaligned.
        unsafe { _mm512_storeu_ps(to, self.0) }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        // SAFETY: the caller promises AVX-512.
        Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, sum.0) })
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller promises AVX-512.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn positive_part(self) -> Self {
        // SAFETY: the caller promises AVX-512.
        Self(unsafe { _mm512_max_ps(self.0, _mm512_setzero_ps()) })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        // SAFETY: the caller promises AVX-512.
        unsafe {
            let mask = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(gate.0, _mm512_setzero_ps());
            Self(_mm512_maskz_mov_ps(mask, self.0))
        }
    }
}
