//! The same images at every angle: a drift in which the marginal of the images moves but no new images come
//! (Table 3). Every domain of the stream holds all images, turned by one angle.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::Digits;
use super::rotating_digits::turned_inputs;
use super::timeline::{expect_enough, fewer};
use driftline_core::data::{AnswerKey, Benchmark, Domain, LabeledDomain, Labels, Stream, Task};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};

/// Which images are turned by which angles.
///
/// Images are shuffled once; the first `images` of them are the source at 0°, every domain of the stream
/// (0°, `step`, 2·`step`, …) and, at the last angle, the target: pool and scored sample alike, since there are no other
/// images. The next `held_out_source` images, at 0°, are the held-out source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SameDigits {
    pub images: usize,
    pub held_out_source: usize,
    /// Degrees from one domain to the next.
    pub step: f64,
    /// Number of angles, 0° included; windows of `images` examples follow the domains.
    pub domains: NonZeroUsize,
}

impl SameDigits {
    /// The same drift with about one image in `divisor`.
    pub fn scaled_down(self, divisor: usize) -> Self {
        let less = |n: usize| fewer(n, divisor);
        Self {
            images: less(self.images),
            held_out_source: less(self.held_out_source),
            ..self
        }
    }

    /// How many examples the stream has.
    pub fn stream_length(&self) -> usize {
        self.images.saturating_mul(self.domains.get())
    }

    pub fn benchmark(&self, digits: &Digits, seed: Seed) -> Result<Benchmark> {
        let needed = self.images.saturating_add(self.held_out_source);
        if self.images == 0 {
            return Err(Error::empty("the set of images to turn"));
        }
        expect_enough("images", &[("the data set", needed, digits.len())])?;
        let order = permutation(digits.len(), seed.named("order"));
        let (chosen, rest) = order.split_at(self.images);
        let held_out = &rest[..self.held_out_source];

        let domains = self.domains.get();
        let length = self
            .images
            .checked_mul(domains)
            .filter(|&n| n <= u32::MAX as usize)
            .ok_or_else(|| {
                Error::out_of_range("the number of domains", domains, "small enough for memory")
            })?;
        let indices: Vec<usize> = chosen.iter().copied().cycle().take(length).collect();
        let angles: Vec<f64> = (0..length)
            .map(|at| (at / self.images) as f64 * self.step)
            .collect();
        // One array for all: source and target are its first and last domain.
        let all = turned_inputs(digits, &indices, &angles)?;
        let labels = digits.labels().pick(chosen);
        let last = all.slice(length - self.images..length);
        let held_out_inputs = turned_inputs(digits, held_out, &vec![0.0; held_out.len()])?;

        let task = Task {
            source: LabeledDomain::new(all.slice(0..self.images), labels.clone())?,
            intermediate: Stream::new(all),
            target_pool: Domain::new(last.clone()).into(),
        };
        let answers = AnswerKey {
            held_out_source: LabeledDomain::new(held_out_inputs, digits.labels().pick(held_out))?,
            intermediate: Some(Labels::new(
                labels.as_slice().repeat(domains),
                labels.n_classes(),
            )?),
            target: LabeledDomain::new(last, labels)?,
        };
        Benchmark::new(task, answers)
    }
}

#[cfg(test)]
impl SameDigits {
    /// `images` images at 0°, 3°, …, 57°; the paper has 2,000, 5,000 and 20,000.
    pub(super) fn paper(images: usize) -> Self {
        Self {
            images,
            held_out_source: 1_000,
            step: 3.0,
            domains: NonZeroUsize::new(20).expect("20 is not 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::digits::fixture;
    use crate::datasets::image::rotation::rotate;

    #[test]
    fn every_domain_holds_the_same_pictures_turned_further() {
        let spec = SameDigits {
            held_out_source: 5,
            domains: NonZeroUsize::new(4).unwrap(),
            ..SameDigits::paper(30)
        };
        let digits = fixture::digits(40);
        let Benchmark { task, answers } = spec.benchmark(&digits, Seed::new(4)).unwrap();
        assert_eq!(task.intermediate.len(), 120);
        assert_eq!(
            task.intermediate.window(0..30).unwrap().inputs,
            *task.source.inputs()
        );
        assert_eq!(
            task.intermediate.window(90..120).unwrap(),
            answers.target.unlabeled()
        );
        assert_eq!(
            task.target_pool.domain().unwrap(),
            answers.target.unlabeled()
        );
        for domain in 0..4 {
            let labels = answers.intermediate.as_ref().unwrap();
            assert_eq!(
                labels.slice(30 * domain..30 * (domain + 1)),
                *task.source.labels()
            );
            let turned = rotate(task.source.inputs().row(7), 4, 4, 3.0 * domain as f64).unwrap();
            let row = task.intermediate.inputs().row(30 * domain + 7);
            for (a, b) in row.iter().zip(&turned) {
                assert!((a - b).abs() < 1e-6);
            }
        }
        assert!(
            SameDigits::paper(30)
                .benchmark(&digits, Seed::new(0))
                .is_err()
        );
        assert!(
            SameDigits { images: 0, ..spec }
                .benchmark(&digits, Seed::new(0))
                .is_err()
        );
    }
}
