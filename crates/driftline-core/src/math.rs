//! Elementary functions whose bits do not depend on the platform's C library or on fused multiply-add.

/// eˣ in single precision: error below 2 units in the last place, 0 below −87.3 and ∞ above 88.7.
///
/// x = n·ln 2 + r with |r| ≤ ln 2 / 2, eʳ by a polynomial, 2ⁿ by the exponent bits. Plain multiplications and additions
/// in a fixed order, without branches, so that loops over it become vector code with the same bits everywhere.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5·2²³: adding it rounds to an integer
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let clamped = x.clamp(-88.0, 89.0);
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (clamped - n * LN2_HIGH) - n * LN2_LOW;
    // Minimax coefficients on [−ln 2 / 2, ln 2 / 2], rounded to single precision.
    let mut p = 1.987_569_2e-4_f32;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    let e_r = p * (r * r) + r + 1.0;
    // 2ⁿ as two factors, because n may be 128 where the result still fits.
    let bits = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let half = bits >> 1;
    let scale = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    let value = e_r * scale(half) * scale(bits - half);
    if x < -87.3 { 0.0 } else { value }
}

/// Natural logarithm of a positive normal number in single precision: error below 2 units in the last place.
///
/// x = 2ⁿ·m with m in [√½, √2), ln m by a polynomial in m − 1; built like [`exp`], for the same reasons.
#[inline(always)]
pub fn ln_single(x: f32) -> f32 {
    const ROOT_HALF: u32 = 0x3F35_04F3;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let shifted = x.to_bits().wrapping_sub(ROOT_HALF);
    let n = (shifted as i32 >> 23) as f32;
    let r = f32::from_bits((shifted & 0x007F_FFFF) + ROOT_HALF) - 1.0;
    // Minimax coefficients on [√½ − 1, √2 − 1], rounded to single precision.
    let mut p = 7.037_683_6e-2_f32;
    p = p * r - 1.151_461e-1;
    p = p * r + 1.167_699_9e-1;
    p = p * r - 1.242_014_1e-1;
    p = p * r + 1.424_932_3e-1;
    p = p * r - 1.666_805_8e-1;
    p = p * r + 2.000_071_5e-1;
    p = p * r - 2.499_999_4e-1;
    p = p * r + 3.333_333e-1;
    let square = r * r;
    let rest = r * square * p + n * LN2_LOW - 0.5 * square;
    r + rest + n * LN2_HIGH
}

/// Natural logarithm in double precision.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// ln Σ eˣ as the largest x and Σ eˣ⁻ᵗᵒᵖ: the logarithm costs something, and is taken only where it is wanted.
#[derive(Clone, Copy, Debug)]
pub struct LogSum {
    pub top: f64,
    pub sum: f64,
}

impl LogSum {
    pub fn ln(self) -> f64 {
        self.top + ln(self.sum)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn exp_agrees_with_double_precision() {
        let mut worst: f64 = 0.0;
        for step in 0..200_000 {
            let x = -87.0 + 175.0 * step as f32 / 200_000.0;
            let right = f64::from(x).exp();
            worst = worst.max(((f64::from(super::exp(x)) - right) / right).abs());
        }
        assert!(worst < 2.4e-7, "{worst}");
    }

    #[test]
    fn the_logarithm_agrees_with_double_precision() {
        assert_eq!(super::ln_single(1.0), 0.0);
        let mut worst: f64 = 0.0;
        for step in 1..200_000 {
            let x = (step as f32 / 20_000.0).powi(5);
            let right = f64::from(x).ln();
            let error = (f64::from(super::ln_single(x)) - right).abs();
            worst = worst.max(error / right.abs().max(1.0));
        }
        assert!(worst < 1.2e-7, "{worst}");
    }

    #[test]
    fn exp_at_its_limits() {
        assert_eq!(super::exp(0.0), 1.0);
        assert_eq!(super::exp(-1000.0), 0.0);
        assert_eq!(super::exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(super::exp(1000.0), f32::INFINITY);
        assert!(super::exp(f32::NAN).is_nan());
    }
}
