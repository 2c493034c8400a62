//! Plain loops compiled for the instruction set in use. The compiler never fuses a product with a sum on its own, so
//! element-wise loops give the same bits on all of them.

use super::Isa;

/// Runs `body`, compiled for `isa`; the closure and all it calls should be `#[inline(always)]`.
#[inline]
pub fn vectorized<R>(isa: Isa, body: impl FnOnce() -> R) -> R {
    assert!(isa.is_available(), "{isa} is not available");
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: AVX-512 is available by the assertion above.
        Isa::Avx512 => unsafe { with_avx512(body) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: AVX2 with FMA is available by the assertion above.
        Isa::Avx2 => unsafe { with_avx2(body) },
        _ => body(),
    }
}

/// # Safety
/// AVX-512 must be available.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn with_avx512<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// # Safety
/// AVX2 with FMA must be available.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    body()
}
