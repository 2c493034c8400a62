//! Seeds as values: copy one, derive named children from it, open a generator only where numbers are drawn.
//! Switching one use of randomness off (dropout, say) therefore never changes another (the batch order).

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A point in the tree of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(u64);

/// The generator that every draw in the library uses: portable, and fixed across versions.
pub type Generator = ChaCha8Rng;

impl Seed {
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// The child for one purpose: `seed.named("batches")`.
    pub fn named(self, purpose: &str) -> Seed {
        purpose
            .bytes()
            .fold(Seed(self.0 ^ 0x6E61_6D65_6400_0000), |seed, byte| {
                seed.nth(usize::from(byte))
            })
    }

    /// The child for one of many repetitions: `seed.nth(epoch)` (a SplitMix64 step).
    pub fn nth(self, index: usize) -> Seed {
        let golden = 0x9E37_79B9_7F4A_7C15_u64;
        let mut z = self
            .0
            .wrapping_add((index as u64).wrapping_add(1).wrapping_mul(golden));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Seed(z ^ (z >> 31))
    }

    pub fn generator(self) -> Generator {
        ChaCha8Rng::seed_from_u64(self.0)
    }
}

/// `0..n` in a random order (Fisher–Yates).
pub fn permutation(n: usize, seed: Seed) -> Vec<usize> {
    use rand::RngExt;
    let mut order: Vec<usize> = (0..n).collect();
    let mut generator = seed.generator();
    for last in (1..n).rev() {
        let other = generator.random_range(0..=last as u64) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn children_differ_by_name_by_number_and_from_their_parent() {
        let seed = Seed::new(7);
        let mut seen = std::collections::HashSet::from([seed]);
        for name in ["batches", "dropout", "a", "b", "ab", ""] {
            assert!(seen.insert(seed.named(name)), "{name}");
        }
        for index in 0..1000 {
            assert!(seen.insert(seed.nth(index)), "{index}");
        }
    }

    /// The stream of numbers is part of the file format of every result: it must never change.
    #[test]
    fn draws_are_fixed_forever() {
        let mut generator = Seed::new(0).named("golden").generator();
        let draws: [u32; 3] = std::array::from_fn(|_| generator.random());
        expect_test::expect![[r#"
            [
                2104776130,
                2624081399,
                2554747353,
            ]
        "#]]
        .assert_debug_eq(&draws);
    }

    #[test]
    fn a_permutation_holds_every_index_once() {
        let mut order = permutation(100, Seed::new(3));
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
