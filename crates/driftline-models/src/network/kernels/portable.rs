//! The registers of every machine: four numbers in plain Rust, which compilers turn into SSE2 or NEON. One rounds products
//! and sums apart, which is fast everywhere; the other fuses them, and so has the bits of AVX2 and AVX-512.

use super::simd::Register;

#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Portable<const FUSED: bool>([f32; 4]);

impl<const FUSED: bool> Portable<FUSED> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl<const FUSED: bool> Register for Portable<FUSED> {
    const LANES: usize = 4;
    const PIXELS: usize = 6;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises four readable numbers; `read_unaligned` asks for no alignment.
        Self(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }

    #[inline(always)]
    fn prefetch(_: *const f32) {}

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises four writable numbers; `write_unaligned` asks for no alignment.
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let (a, b, sum) = (self.0[lane], factor.0[lane], sum.0[lane]);
            if FUSED {
                a.mul_add(b, sum)
            } else {
                a * b + sum
            }
        }))
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn positive_part(self) -> Self {
        self.zip(self, |a, _| if a > 0.0 { a } else { 0.0 })
    }

    #[inline(always)]
    unsafe fn where_positive(self, gate: Self) -> Self {
        self.zip(gate, |a, gate| if gate > 0.0 { a } else { 0.0 })
    }
}
