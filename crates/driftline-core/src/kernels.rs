//! Plain loops compiled for the processor at hand.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set by [`in_plain_code`] alone.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// Runs `work`, plain loops over numbers side by side, in code compiled for wide registers where the processor has
/// them. The bits do not depend on it; what `work` calls must be inlined to profit.
#[inline(always)]
pub fn side_by_side<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        if std::arch::is_x86_feature_detected!("avx2") && !PLAIN.load(Relaxed) {
            // SAFETY: `with_avx2` needs AVX2, and the line above has just found it.
            return unsafe { with_avx2(work) };
        }
    }
    work()
}

/// Runs `work` with every [`side_by_side`] of this process in plain code: for tests that whole trainings have the same bits.
#[doc(hidden)]
pub fn in_plain_code<R>(work: impl FnOnce() -> R) -> R {
    PLAIN.store(true, Relaxed);
    let done = work();
    PLAIN.store(false, Relaxed);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn sums(values: &[f32]) -> [u32; 8] {
        let mut sums = [0.0_f32; 8];
        for row in values.chunks_exact(8) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += x * x + 0.1;
            }
        }
        sums.map(f32::to_bits)
    }

    #[test]
    fn wide_registers_change_no_bit() {
        let values: Vec<f32> = (0..104).map(|i| (i as f32 * 0.7).sin() * 1e3).collect();
        let wide = side_by_side(
            #[inline(always)]
            || sums(&values),
        );
        assert_eq!(wide, sums(&values));
        let plain = in_plain_code(|| {
            side_by_side(
                #[inline(always)]
                || sums(&values),
            )
        });
        assert_eq!(wide, plain);
    }
}
