//! What both register tiles share. Raw pointers here and in the tiles; `window` and `outer` check bounds.

use super::simd::Register;

/// Where rows and columns of a grid of pixels lie, relative to a pointer; distances in numbers.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub image: usize,
    pub row: usize,
    pub column: usize,
}

/// # Safety
/// `T`'s instruction set must be available and `from` readable for `V` registers.
#[inline(always)]
pub(super) unsafe fn load<T: Register, const V: usize>(from: *const f32) -> [T; V] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut values = [T::splat(0.0); V];
        for (v, value) in values.iter_mut().enumerate() {
            *value = T::load(from.add(v * T::LANES));
        }
        values
    }
}

/// # Safety
/// `T`'s instruction set must be available and `to` writable for `V` registers.
#[inline(always)]
pub(super) unsafe fn store<T: Register, const V: usize>(values: [T; V], to: *mut f32) {
    for (v, value) in values.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { value.store(to.add(v * T::LANES)) }
    }
}
