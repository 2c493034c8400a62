//! Sixteen numbers that are added and multiplied side by side: in plain code, and in the registers of each processor.
//! All of them round every product and every sum, so their bits agree.

/// How many numbers lie side by side.
pub(super) const LANES: usize = 16;

/// Sixteen numbers. Except for [`Plain`], use only where the processor is known to have the registers.
pub(super) trait Lanes: Copy {
    fn load(from: &[f32; LANES]) -> Self;
    fn splat(value: f32) -> Self;
    /// self + a·b, rounded twice: never a fused multiply-add.
    fn plus_product(self, a: Self, b: Self) -> Self;
    fn array(self) -> [f32; LANES];
}

/// For every processor, and the yardstick for the others.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; LANES]);

impl Lanes for Plain {
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + a.0[i] * b.0[i]))
    }

    #[inline(always)]
    fn array(self) -> [f32; LANES] {
        self.0
    }
}

/// Two registers of 256 bits.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx(std::arch::x86_64::__m256, std::arch::x86_64::__m256);

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx {
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        use std::arch::x86_64::_mm256_loadu_ps as load;
        // SAFETY: both loads lie within the 16 numbers; the trait's users have found AVX.
        unsafe { Self(load(from.as_ptr()), load(from.as_ptr().add(8))) }
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        use std::arch::x86_64::_mm256_set1_ps as set;
        // SAFETY: the trait's users have found AVX.
        unsafe { Self(set(value), set(value)) }
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        use std::arch::x86_64::{_mm256_add_ps as add, _mm256_mul_ps as mul};
        // SAFETY: the trait's users have found AVX.
        unsafe { Self(add(self.0, mul(a.0, b.0)), add(self.1, mul(a.1, b.1))) }
    }

    #[inline(always)]
    fn array(self) -> [f32; LANES] {
        use std::arch::x86_64::_mm256_storeu_ps as store;
        let mut to = [0.0; LANES];
        // SAFETY: both stores lie within the 16 numbers; the trait's users have found AVX.
        unsafe {
            store(to.as_mut_ptr(), self.0);
            store(to.as_mut_ptr().add(8), self.1);
        }
        to
    }
}

/// One register of 512 bits.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx512(std::arch::x86_64::__m512);

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx512 {
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: the load lies within the 16 numbers; the trait's users have found AVX-512.
        unsafe { Self(std::arch::x86_64::_mm512_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: the trait's users have found AVX-512.
        unsafe { Self(std::arch::x86_64::_mm512_set1_ps(value)) }
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        use std::arch::x86_64::{_mm512_add_ps as add, _mm512_mul_ps as mul};
        // SAFETY: the trait's users have found AVX-512.
        unsafe { Self(add(self.0, mul(a.0, b.0))) }
    }

    #[inline(always)]
    fn array(self) -> [f32; LANES] {
        let mut to = [0.0; LANES];
        // SAFETY: the store lies within the 16 numbers; the trait's users have found AVX-512.
        unsafe { std::arch::x86_64::_mm512_storeu_ps(to.as_mut_ptr(), self.0) };
        to
    }
}
