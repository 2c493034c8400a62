//! Inputs varied before the network sees them: each example of a batch is moved (augmentation) and mixed with another,
//! x ← λ·x + (1 − λ)·x′, where example i of n meets example n − 1 − i and λ is uniform in [1 − m, 1]. A seed per example
//! decides, so neither threads nor the batch's cut do.

use rand::RngExt;

use crate::Augmentation;
use driftline_core::data::Fraction;
use driftline_core::random::Seed;

/// How the inputs of one epoch are varied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variation {
    augment: Option<Augmentation>,
    mixup: Option<Fraction>,
    /// The epoch's.
    seed: Seed,
}

impl Variation {
    /// Nothing where nothing is to vary.
    pub fn of(augment: Option<Augmentation>, mixup: Option<Fraction>, seed: Seed) -> Option<Self> {
        (augment.is_some() || mixup.is_some()).then_some(Self {
            augment,
            mixup,
            seed,
        })
    }

    /// How much of itself the example at `place` of the epoch keeps.
    pub fn own_part(&self, place: usize) -> f32 {
        self.mixup.map_or(1.0, |most| {
            let draw: f64 = self.seed.named("mixing").nth(place).generator().random();
            (1.0 - most.get() * draw) as f32
        })
    }

    pub fn mixes(&self) -> bool {
        self.mixup.is_some()
    }

    /// Writes the example at `place` of the epoch, moved, into `out`.
    #[inline(always)]
    pub fn moved(&self, row: &[f32], volume: [usize; 3], place: usize, out: &mut [f32]) {
        match self.augment {
            Some(augment) => augment.apply(row, volume, self.seed.nth(place), out),
            None => out.copy_from_slice(row),
        }
    }
}
