//! Digits that grow brighter: pixels that lie in [0, 1] in the source are shifted evenly, domain by domain, to [1, 2] at the
//! target (Color-shift MNIST of He, Wang, Li and Zhao, "Gradual Domain Adaptation: Theory and Algorithms", JMLR 2024).

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::Digits;
use super::timeline::{Timeline, fewer};
use driftline_core::data::{Benchmark, Inputs};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};

/// Which images are shifted by how much. Images are shuffled once; in that order come source, held-out source, stream and
/// target. The pool for methods that adapt straight to the target is the last domain of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ColorShift {
    pub source: usize,
    pub held_out_source: usize,
    pub intermediate: usize,
    pub target: usize,
    /// What is added to every pixel of the target, and of the last of the stream's `domains`; domain k of K gets k/K of it.
    pub shift: f32,
    pub domains: NonZeroUsize,
}

impl ColorShift {
    /// How many images are used.
    pub fn used(&self) -> usize {
        let parts = [self.held_out_source, self.intermediate, self.target];
        parts.into_iter().fold(self.source, usize::saturating_add)
    }

    /// The same drift with about one image in `divisor`.
    pub fn scaled_down(self, divisor: usize) -> Self {
        let less = |n: usize| fewer(n, divisor);
        Self {
            source: less(self.source),
            held_out_source: less(self.held_out_source),
            intermediate: less(self.intermediate),
            target: less(self.target),
            ..self
        }
    }

    pub fn benchmark(&self, digits: &Digits, seed: Seed) -> Result<Benchmark> {
        let order = permutation(digits.len(), seed.named("order"));
        let source_end = self.source.saturating_add(self.held_out_source);
        let stream_end = source_end.saturating_add(self.intermediate);
        let timeline = Timeline {
            source: self.source,
            source_end,
            stream_end,
            target_end: self.used(),
            scored: self.target,
            target_pool: self.intermediate / self.domains,
        };
        let domains = self.domains.get();
        let shift = |place: usize| {
            let domain = match place {
                place if place < source_end => 0,
                place if place < stream_end => {
                    1 + (place - source_end) * domains / self.intermediate
                }
                _ => domains,
            };
            self.shift * domain as f32 / domains as f32
        };
        let images =
            |places: &[usize]| -> Vec<usize> { places.iter().map(|&at| order[at]).collect() };
        let shape = digits.images().shape();
        let inputs = |places: &[usize]| {
            let mut values = digits.images().scaled(images(places));
            for (image, &place) in values.chunks_exact_mut(shape.size()).zip(places) {
                image.iter_mut().for_each(|pixel| *pixel += shift(place));
            }
            Inputs::new(values, shape)
        };
        let dealt = timeline.deal(digits.len(), "images", seed)?;
        dealt.benchmark(inputs, |places| Ok(digits.labels().pick(&images(places))))
    }

    /// Refuses what cannot be a drift.
    pub fn check(&self) -> Result<()> {
        match self.shift.is_finite() {
            true => Ok(()),
            false => Err(Error::out_of_range(
                "`shift`",
                self.shift,
                "a finite number",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::stand_in;

    /// Four domains of ten digits: the darkest pixel of a digit is black, so it tells the shift.
    #[test]
    fn every_domain_is_shifted_a_step_further() {
        let drift = ColorShift {
            source: 20,
            held_out_source: 5,
            intermediate: 40,
            target: 10,
            shift: 1.0,
            domains: NonZeroUsize::new(4).unwrap(),
        };
        let digits = stand_in::digits(drift.used(), Seed::new(0)).unwrap();
        let Benchmark { task, answers } = drift.benchmark(&digits, Seed::new(1)).unwrap();
        let darkest = |inputs: &Inputs| -> Vec<f32> {
            let least = |row: &[f32]| row.iter().copied().fold(f32::MAX, f32::min);
            inputs.iter().map(least).collect()
        };
        assert!(
            darkest(task.source.inputs())
                .iter()
                .all(|&least| least == 0.0)
        );
        let stream = darkest(task.intermediate.inputs());
        for (at, least) in stream.iter().enumerate() {
            assert!(
                (least - (1 + at / 10) as f32 / 4.0).abs() < 1e-6,
                "{at}: {least}"
            );
        }
        assert!(
            darkest(answers.target.inputs())
                .iter()
                .all(|&least| least == 1.0)
        );
        assert_eq!(task.target_pool.domain().unwrap().len(), 10);
        assert!(drift.benchmark(&digits.clone(), Seed::new(1)).is_ok());
        let greedy = ColorShift {
            target: 11,
            ..drift
        };
        let error = greedy
            .benchmark(&digits, Seed::new(1))
            .unwrap_err()
            .to_string();
        assert!(error.contains("at least the 76 images"), "{error}");
    }
}
