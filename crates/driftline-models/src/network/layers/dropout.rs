//! Dropout: while training, y = x·m with m = 0 with probability `rate`, else 1/(1−rate), drawn anew for every number;
//! otherwise y = x.

use rand::Rng;
use serde::{Deserialize, Serialize};

use driftline_core::data::Fraction;
use driftline_core::random::Seed;

/// Inverted dropout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dropout {
    pub rate: Fraction,
}

impl Dropout {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.rate.get() < 1.0 {
            Ok(())
        } else {
            Err("has rate 1, but must keep something (rate below 1)".into())
        }
    }

    /// Fills `factors` with the m of one example. Each example has a seed of its own, so that neither the batch nor the
    /// threads that share it decide what is dropped.
    pub fn draw(&self, seed: Seed, factors: &mut [f32]) {
        let rate = self.rate.get();
        let keep = (1.0 / (1.0 - rate)) as f32;
        // A draw of 32 bits below `bound` has probability `rate`, to within 2⁻³².
        let bound = (rate * 4_294_967_296.0) as u64;
        let mut generator = seed.generator();
        let mut bytes = [0_u8; 256];
        for factors in factors.chunks_mut(bytes.len() / 4) {
            generator.fill_bytes(&mut bytes);
            for (factor, draw) in factors.iter_mut().zip(bytes.chunks_exact(4)) {
                let draw = u32::from_le_bytes([draw[0], draw[1], draw[2], draw[3]]);
                *factor = if u64::from(draw) < bound { 0.0 } else { keep };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_dropped_is_the_rate_and_the_mean_stays() {
        for rate in [0.0, 0.1, 0.5, 0.9] {
            let dropout = Dropout {
                rate: Fraction::new(rate).unwrap(),
            };
            let mut factors = vec![f32::NAN; 100_001];
            dropout.draw(Seed::new(1), &mut factors);
            let n = factors.len() as f64;
            let dropped = factors.iter().filter(|&&m| m == 0.0).count() as f64 / n;
            let mean = factors.iter().map(|&m| f64::from(m)).sum::<f64>() / n;
            assert!((dropped - rate).abs() < 0.005, "{dropped} {rate}");
            assert!((mean - 1.0).abs() < 0.02, "{mean} {rate}");
        }
    }
}
