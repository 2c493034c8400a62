//! One register of single-precision numbers: the few operations that the tile kernels are written in.
//! The kernels exist once, generic over this trait; each instruction set supplies its register.

/// A vector register. Every method may only be called where the register's instruction set is available, which the
/// entry points in `dispatch` ensure.
pub(super) trait Register: Copy {
    const LANES: usize;
    /// Output pixels (or kernel entries) of one tile that two registers each leave room for.
    const PIXELS: usize;

    /// # Safety
    /// The instruction set must be available.
    unsafe fn splat(value: f32) -> Self;

    /// # Safety
    /// The instruction set must be available and `from` readable for `LANES` numbers.
    unsafe fn load(from: *const f32) -> Self;

    /// Asks for the cache line of `at`, which need not exist, to be brought near.
    fn prefetch(at: *const f32);

    /// # Safety
    /// The instruction set must be available and `to` writable for `LANES` numbers.
    unsafe fn store(self, to: *mut f32);

    /// `self · factor + sum`, rounded once where the hardware can.
    ///
    /// # Safety
    /// The instruction set must be available.
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self;

    /// # Safety
    /// The instruction set must be available.
    unsafe fn add(self, other: Self) -> Self;

    /// max(self, 0).
    ///
    /// # Safety
    /// The instruction set must be available.
    unsafe fn positive_part(self) -> Self;

    /// `self` where `gate` > 0, else 0.
    ///
    /// # Safety
    /// The instruction set must be available.
    unsafe fn where_positive(self, gate: Self) -> Self;
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
