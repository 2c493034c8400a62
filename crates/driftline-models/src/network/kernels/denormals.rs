//! Numbers below the normal range are rounded to zero while a network trains: arithmetic on them is a hundred times slower.

/// As long as it lives, denormal results and operands of this thread count as zero; dropping it restores what was before.
/// A no-op where the processor is not x86-64, and under Miri, which knows no assembly.
#[derive(Debug)]
pub struct FlushDenormals {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    before: u32,
    /// The mode belongs to one thread, so the guard must stay on it.
    _thread: std::marker::PhantomData<*const ()>,
}

impl FlushDenormals {
    pub fn begin() -> Self {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        let before = {
            let before = control();
            set_control(before | 0x8040); // flush-to-zero and denormals-are-zero
            before
        };
        Self {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            before,
            _thread: std::marker::PhantomData,
        }
    }
}

impl Drop for FlushDenormals {
    fn drop(&mut self) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        set_control(self.before);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn control() -> u32 {
    let mut word = 0_u32;
    // SAFETY: stores the control word into the four bytes of `word`.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack)) };
    word
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn set_control(word: u32) {
    // SAFETY: only the two denormal bits ever differ from the word read before; exceptions stay masked and rounding as is.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, readonly)) };
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn the_mode_ends_with_its_guard() {
        let tiny = black_box(f32::MIN_POSITIVE);
        {
            let _guard = FlushDenormals::begin();
            assert_eq!(black_box(tiny * black_box(0.5)), 0.0);
        }
        assert_ne!(black_box(tiny * black_box(0.5)), 0.0);
    }
}
