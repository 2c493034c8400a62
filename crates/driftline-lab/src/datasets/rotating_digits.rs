//! Rotating digits: the images turn while the labels stay hidden. The drift is either in the angle (every image is
//! turned a little further than the one before it) or in the mixture (ever more images are turned all the way).

use std::num::NonZeroUsize;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::Digits;
use super::image::rotation::rotate_each;
use super::timeline::{expect_enough, fewer};
use driftline_core::data::{
    AnswerKey, Benchmark, Domain, Inputs, LabeledDomain, Pool, Stream, Task,
};
use driftline_core::random::{Generator, Seed, permutation};
use driftline_core::{Error, Result};

/// How digits are dealt out and turned.
///
/// All images are shuffled once; then come, in this order, the labelled source, the held-out source, the stream,
/// the scored target, and whatever is left unused. Source images (held out or not) are turned by an angle from
/// `source_angles`, target images by one from `target_angles`. The pool for methods that adapt straight to the
/// target is the stream's own images, each turned by a fresh target angle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RotatingDigits {
    pub source: usize,
    pub held_out_source: usize,
    pub intermediate: usize,
    pub target: usize,
    pub source_angles: AngleRange,
    pub target_angles: AngleRange,
    pub drift: DigitDrift,
}

/// What changes along the stream of n images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DigitDrift {
    /// Image i is turned by a + (b − a)·i/n, from the end a of the source angles to the end b of the target angles.
    Angle,
    /// Image i is turned by a target angle with probability i/(n − 1), else by a source angle.
    Mixture,
    /// This many domains one after the other: each image of domain k of K is turned by a range of angles that lies k/(K + 1)
    /// of the way from the source's to the target's.
    Stops(NonZeroUsize),
}

/// Angles in degrees, drawn uniformly from `[from, to)`; `[5, 5]` is always 5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
#[cfg_attr(feature = "schema", schemars(with = "[f64; 2]"))]
pub struct AngleRange {
    from: f64,
    to: f64,
}

impl RotatingDigits {
    /// Rotating MNIST from 0–5° to 55–60°, as in Table 1.
    pub fn paper() -> Self {
        Self {
            source: 5_000,
            held_out_source: 1_000,
            intermediate: 42_000,
            target: 2_000,
            source_angles: AngleRange { from: 0.0, to: 5.0 },
            target_angles: AngleRange {
                from: 55.0,
                to: 60.0,
            },
            drift: DigitDrift::Angle,
        }
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

    /// How many images are used.
    pub fn used(&self) -> usize {
        [
            self.source,
            self.held_out_source,
            self.intermediate,
            self.target,
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    /// Deals out the images. The drift decides nothing but the stream: all else is the same for both kinds.
    pub fn benchmark(&self, digits: &Digits, seed: Seed) -> Result<Benchmark> {
        let order = self.order(digits, seed)?;
        let (source, rest) = order.split_at(self.source);
        let (held_out, rest) = rest.split_at(self.held_out_source);
        let (stream, rest) = rest.split_at(self.intermediate);
        let target = &rest[..self.target];

        let at = |range: AngleRange, places: &[usize], name: &str| {
            turned(digits, places, &range.draw(places.len(), seed.named(name)))
        };
        let angles = self.stream_angles(seed);
        let task = Task {
            source: at(self.source_angles, source, "source")?,
            intermediate: Stream::new(turned_inputs(digits, stream, &angles)?),
            target_pool: self.pool(digits, stream, seed),
        };
        let answers = AnswerKey {
            held_out_source: at(self.source_angles, held_out, "held-out")?,
            intermediate: Some(digits.labels().pick(stream)),
            target: at(self.target_angles, target, "target")?,
        };
        Benchmark::new(task, answers)
    }

    /// The stream's images at target angles.
    fn pool(&self, digits: &Digits, stream: &[usize], seed: Seed) -> Pool {
        let angles = self.target_angles.draw(stream.len(), seed.named("pool"));
        let (digits, stream) = (digits.clone(), stream.to_vec());
        Pool::later(digits.images().shape(), move || {
            turned_inputs(&digits, &stream, &angles).map(Domain::new)
        })
    }

    /// The images that [`RotatingDigits::benchmark`] leaves unused, turned by target angles: answers that no search
    /// over settings can have seen.
    pub fn unused_target(&self, digits: &Digits, seed: Seed) -> Result<LabeledDomain> {
        let order = self.order(digits, seed)?;
        let unused = &order[self.used()..];
        if unused.is_empty() {
            return Err(Error::empty("the set of unused images"));
        }
        let angles = self.target_angles.draw(unused.len(), seed.named("unused"));
        turned(digits, unused, &angles)
    }

    /// The angle and the pixels of the stream's images at `places`, without turning all the others.
    pub fn pictures(
        &self,
        digits: &Digits,
        seed: Seed,
        places: &[usize],
    ) -> Result<Vec<(f64, Vec<f32>)>> {
        let order = self.order(digits, seed)?;
        let angles = self.stream_angles(seed);
        let start = self.source + self.held_out_source;
        let picture = |&place: &usize| {
            let angle = *angles.get(place).ok_or_else(|| {
                Error::out_of_range(
                    "the place in the stream",
                    place,
                    format!("below {}", angles.len()),
                )
            })?;
            let inputs = turned_inputs(digits, &[order[start + place]], &[angle])?;
            Ok((angle, inputs.row(0).to_vec()))
        };
        places.iter().map(picture).collect()
    }

    /// By how many degrees each image of the stream is turned.
    pub fn stream_angles(&self, seed: Seed) -> Vec<f64> {
        let n = self.intermediate;
        match self.drift {
            DigitDrift::Angle => {
                let (start, end) = (self.source_angles.to, self.target_angles.to);
                (0..n)
                    .map(|i| start + (end - start) * i as f64 / n as f64)
                    .collect()
            }
            DigitDrift::Mixture => {
                let mut generator = seed.named("mixture").generator();
                let last = n.saturating_sub(1).max(1) as f64;
                (0..n)
                    .map(|i| {
                        let at_target = generator.random::<f64>() < i as f64 / last;
                        let range = if at_target {
                            self.target_angles
                        } else {
                            self.source_angles
                        };
                        range.one(&mut generator)
                    })
                    .collect()
            }
            DigitDrift::Stops(stops) => {
                let mut generator = seed.named("stops").generator();
                let stops = stops.get();
                let mut angle = |i: usize| {
                    let way = (i * stops / n + 1) as f64 / (stops + 1) as f64;
                    let (source, target) = (self.source_angles, self.target_angles);
                    let between = |a: f64, b: f64| a + (b - a) * way;
                    AngleRange {
                        from: between(source.from, target.from),
                        to: between(source.to, target.to),
                    }
                    .one(&mut generator)
                };
                (0..n).map(&mut angle).collect()
            }
        }
    }

    fn order(&self, digits: &Digits, seed: Seed) -> Result<Vec<usize>> {
        expect_enough("images", &[("the data set", self.used(), digits.len())])?;
        Ok(permutation(digits.len(), seed.named("order")))
    }
}

impl AngleRange {
    pub fn new(from: f64, to: f64) -> Result<Self> {
        if from.is_finite() && to.is_finite() && from <= to {
            Ok(Self { from, to })
        } else {
            Err(Error::out_of_range(
                "the range of angles",
                format!("[{from}, {to}]"),
                "two finite numbers, the first not above the second",
            ))
        }
    }

    fn draw(self, n: usize, seed: Seed) -> Vec<f64> {
        let mut generator = seed.named("angles").generator();
        (0..n).map(|_| self.one(&mut generator)).collect()
    }

    fn one(self, generator: &mut Generator) -> f64 {
        self.from + (self.to - self.from) * generator.random::<f64>()
    }
}

impl TryFrom<[f64; 2]> for AngleRange {
    type Error = Error;
    fn try_from([from, to]: [f64; 2]) -> Result<Self> {
        Self::new(from, to)
    }
}

impl From<AngleRange> for [f64; 2] {
    fn from(range: AngleRange) -> Self {
        [range.from, range.to]
    }
}

fn turned(digits: &Digits, indices: &[usize], angles: &[f64]) -> Result<LabeledDomain> {
    let inputs = turned_inputs(digits, indices, angles)?;
    LabeledDomain::new(inputs, digits.labels().pick(indices))
}

pub(super) fn turned_inputs(digits: &Digits, indices: &[usize], angles: &[f64]) -> Result<Inputs> {
    let turns: Vec<(usize, f64)> = indices
        .iter()
        .copied()
        .zip(angles.iter().copied())
        .collect();
    let values = rotate_each(digits.images(), &turns)?;
    Inputs::new(values, digits.images().shape())
}

#[cfg(test)]
impl RotatingDigits {
    /// The paper's source and target joined by ever more target images instead of by angles between (section 5.3).
    pub(super) fn paper_mixture() -> Self {
        Self {
            drift: DigitDrift::Mixture,
            ..Self::paper()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::digits::fixture;

    fn small(drift: DigitDrift) -> RotatingDigits {
        RotatingDigits {
            source: 30,
            held_out_source: 10,
            intermediate: 40,
            target: 20,
            drift,
            ..RotatingDigits::paper()
        }
    }

    #[test]
    fn every_picture_has_one_place() {
        let digits = fixture::digits(120);
        let spec = RotatingDigits {
            source_angles: AngleRange::new(0.0, 0.0).unwrap(),
            target_angles: AngleRange::new(0.0, 0.0).unwrap(),
            ..small(DigitDrift::Angle)
        };
        let seed = Seed::new(1);
        let Benchmark { task, answers } = spec.benchmark(&digits, seed).unwrap();
        let unused = spec.unused_target(&digits, seed).unwrap();
        assert_eq!(unused.len(), 20);
        let parts = [
            task.source.inputs(),
            answers.held_out_source.inputs(),
            task.intermediate.inputs(),
            answers.target.inputs(),
            unused.inputs(),
        ];
        // Unturned images keep their values to rounding, so each can be recognised by its bytes.
        let seen: std::collections::BTreeSet<Vec<u8>> = parts
            .iter()
            .flat_map(|inputs| inputs.iter())
            .map(|row| row.iter().map(|v| (v * 255.0).round() as u8).collect())
            .collect();
        let all: std::collections::BTreeSet<Vec<u8>> = (0..120)
            .map(|at| digits.images().get(at).to_vec())
            .collect();
        assert_eq!(seen, all);
        assert_eq!(
            task.target_pool.domain().unwrap().inputs,
            *task.intermediate.inputs()
        );
    }

    #[test]
    fn the_kind_of_drift_changes_only_the_stream() {
        let digits = fixture::digits(120);
        let make = |drift| small(drift).benchmark(&digits, Seed::new(2)).unwrap();
        let (angle, mixture) = (make(DigitDrift::Angle), make(DigitDrift::Mixture));
        assert_eq!(angle.task.source, mixture.task.source);
        let [angle_pool, mixture_pool] =
            [&angle, &mixture].map(|drift| drift.task.target_pool.domain().unwrap());
        assert_eq!(angle_pool, mixture_pool);
        assert_eq!(angle.answers.target, mixture.answers.target);
        assert_eq!(angle.answers.intermediate, mixture.answers.intermediate);
        assert_ne!(angle.task.intermediate, mixture.task.intermediate);
    }

    #[test]
    fn single_pictures_are_those_of_the_stream() {
        let digits = fixture::digits(120);
        for drift in [DigitDrift::Angle, DigitDrift::Mixture] {
            let (spec, seed) = (small(drift), Seed::new(2));
            let stream = spec.benchmark(&digits, seed).unwrap().task.intermediate;
            let shown = spec.pictures(&digits, seed, &[0, 39, 7]).unwrap();
            for ((angle, pixels), place) in shown.iter().zip([0, 39, 7]) {
                assert_eq!(*pixels, stream.inputs().row(place));
                assert_eq!(*angle, spec.stream_angles(seed)[place]);
            }
            assert!(spec.pictures(&digits, seed, &[40]).is_err());
        }
    }

    #[test]
    fn the_paper_s_angles() {
        let angles = RotatingDigits::paper().stream_angles(Seed::new(0));
        assert_eq!(angles.len(), 42_000);
        assert_eq!((angles[0], angles[21_000]), (5.0, 32.5));
        assert!(angles.is_sorted() && *angles.last().unwrap() < 60.0);

        let mixed = RotatingDigits::paper_mixture().stream_angles(Seed::new(0));
        let turned = |range: std::ops::Range<usize>| {
            let n = range.len() as f64;
            mixed[range].iter().filter(|&&a| a >= 55.0).count() as f64 / n
        };
        assert!(
            mixed
                .iter()
                .all(|a| (0.0..5.0).contains(a) || (55.0..60.0).contains(a))
        );
        assert!(mixed[0] < 5.0 && *mixed.last().unwrap() >= 55.0);
        for (window, expected) in [(0, 0.0238), (10, 0.5), (20, 0.9762)] {
            let share = turned(2_000 * window..2_000 * (window + 1));
            assert!((share - expected).abs() < 0.04, "{window}: {share}");
        }
    }

    #[test]
    fn stops_lie_evenly_between_source_and_target() {
        let two = RotatingDigits {
            intermediate: 4_000,
            drift: DigitDrift::Stops(NonZeroUsize::new(2).unwrap()),
            ..RotatingDigits::paper()
        };
        let angles = two.stream_angles(Seed::new(0));
        for (half, first) in [(0, 55.0 / 3.0), (1, 110.0 / 3.0)] {
            let own = &angles[2_000 * half..2_000 * (half + 1)];
            assert!(own.iter().all(|a| (first..first + 5.0).contains(a)));
            let mean = own.iter().sum::<f64>() / 2_000.0;
            assert!((mean - first - 2.5).abs() < 0.1, "{mean}");
        }
        let text = toml::to_string(&two).unwrap();
        assert_eq!(toml::from_str::<RotatingDigits>(&text).unwrap(), two);
    }

    #[test]
    fn settings_read_back_and_faults_are_refused() {
        let text = toml::to_string(&RotatingDigits::paper_mixture()).unwrap();
        assert!(
            text.contains("drift = \"mixture\"") && text.contains("source-angles = [0.0, 5.0]")
        );
        assert_eq!(
            toml::from_str::<RotatingDigits>(&text).unwrap(),
            RotatingDigits::paper_mixture()
        );
        assert!(toml::from_str::<RotatingDigits>(&format!("{text}\nextra = 1")).is_err());
        let reversed = text.replace("[0.0, 5.0]", "[5, 0]");
        let error = toml::from_str::<RotatingDigits>(&reversed).unwrap_err();
        assert!(error.to_string().contains("[5, 0]"), "{error}");

        let error = RotatingDigits::paper()
            .benchmark(&fixture::digits(100), Seed::new(0))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the data set should have at least the 50000 images asked for, but has 100"
        );
        assert!(
            small(DigitDrift::Angle)
                .unused_target(&fixture::digits(100), Seed::new(0))
                .is_err()
        );
    }
}
