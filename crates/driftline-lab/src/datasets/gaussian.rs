//! Moving Gaussians, the paper's synthetic data: every class is a Gaussian whose mean and covariance move on a straight
//! line from a source to a target position.
//! At α ∈ [0, 1] class c has mean (1−α)·μ_c + α·μ′_c and covariance (1−α)·Σ_c + α·Σ′_c. Means are N(0, I) scaled to
//! length 1 (unscaled, every method would be perfect); covariances are U·diag(u)·Uᵀ with u ~ U[min, max]^d and U Haar; in
//! the paper min and max are 0.05 and 0.1.

use std::num::NonZeroUsize;

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use driftline_core::data::{
    AnswerKey, Benchmark, Inputs, LabeledDomain, Labels, Positive, Shape, Stream, Task,
};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::linear::margin::dot;

/// How many examples of which dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MovingGaussians {
    pub dimension: NonZeroUsize,
    /// At least 2.
    pub classes: usize,
    pub source: usize,
    pub held_out_source: usize,
    pub intermediate: usize,
    pub target_pool: usize,
    pub target: usize,
    /// The smallest variance along an axis.
    #[serde(default = "min_var", skip_serializing_if = "is_min_var")]
    pub min_var: Positive,
    /// The largest variance along an axis.
    #[serde(default = "max_var", skip_serializing_if = "is_max_var")]
    pub max_var: Positive,
}

/// The paper's range of variances. Where it is meant it is not written, so that trials keep their names.
const VARIANCES: std::ops::Range<f64> = 0.05..0.1;

fn min_var() -> Positive {
    Positive::new(VARIANCES.start).expect("the paper's variances are positive")
}

fn max_var() -> Positive {
    Positive::new(VARIANCES.end).expect("the paper's variances are positive")
}

fn is_min_var(value: &Positive) -> bool {
    *value == min_var()
}

fn is_max_var(value: &Positive) -> bool {
    *value == max_var()
}

impl MovingGaussians {
    pub fn paper() -> Self {
        Self {
            dimension: NonZeroUsize::new(100).expect("100 is not 0"),
            classes: 2,
            source: 500,
            held_out_source: 1000,
            intermediate: 5000,
            target_pool: 5000,
            target: 1000,
            min_var: min_var(),
            max_var: max_var(),
        }
    }

    /// The same drift with about one example in `divisor`.
    pub fn scaled_down(self, divisor: usize) -> Self {
        let less = |n: usize| (n / divisor).max(1);
        Self {
            source: less(self.source),
            held_out_source: less(self.held_out_source),
            intermediate: less(self.intermediate),
            target_pool: less(self.target_pool),
            target: less(self.target),
            ..self
        }
    }

    /// Refuses settings that no draw could satisfy.
    pub fn check(&self) -> Result<()> {
        if self.classes < 2 {
            return Err(Error::out_of_range(
                "the number of classes",
                self.classes,
                "at least 2",
            ));
        }
        let sizes = [
            self.source,
            self.held_out_source,
            self.intermediate,
            self.target_pool,
            self.target,
        ];
        if sizes.contains(&0) {
            return Err(Error::out_of_range("a number of examples", 0, "at least 1"));
        }
        if self.max_var < self.min_var {
            return Err(Error::out_of_range(
                "max-var",
                self.max_var.get(),
                format!("at least min-var, {}", self.min_var.get()),
            ));
        }
        Ok(())
    }

    /// Draws the drift and the examples.
    pub fn draw(&self, seed: Seed) -> Result<Benchmark> {
        self.check()?;
        let moving = Classes::draw(self, seed.named("drift"));
        let sample = |name: &str, n: usize, at: &dyn Fn(usize) -> f64| {
            moving.sample(n, at, seed.named(name))
        };
        let n = self.intermediate;
        let source = sample("source", self.source, &|_| 0.0)?;
        let held_out_source = sample("held-out source", self.held_out_source, &|_| 0.0)?;
        let intermediate = sample("intermediate", n, &|i| i as f64 / n as f64)?;
        let pool = sample("target pool", self.target_pool, &|_| 1.0)?;
        let target = sample("target", self.target, &|_| 1.0)?;
        let task = Task {
            source,
            intermediate: Stream::new(intermediate.inputs().clone()),
            target_pool: pool.unlabeled().into(),
        };
        let answers = AnswerKey {
            held_out_source,
            intermediate: Some(intermediate.labels().clone()),
            target,
        };
        Benchmark::new(task, answers)
    }
}

/// The classes at both ends of the drift.
struct Classes {
    source: Vec<Gaussian>,
    target: Vec<Gaussian>,
}

/// A mean, and the axes of the ellipsoid: orthogonal vectors as long as the standard deviation along them, so that
/// Σ_j axis_j·z_j with z ~ N(0, I) has the covariance U·diag(u)·Uᵀ.
struct Gaussian {
    mean: Vec<f64>,
    axes: Vec<Vec<f64>>,
}

impl Classes {
    fn draw(settings: &MovingGaussians, seed: Seed) -> Self {
        let end = |name: &str| {
            let gaussian = |class| Gaussian::draw(settings, seed.named(name).nth(class));
            (0..settings.classes).map(gaussian).collect()
        };
        Self {
            source: end("from"),
            target: end("to"),
        }
    }

    /// `n` examples, the i-th at position `at(i)` of the drift.
    fn sample(&self, n: usize, at: &dyn Fn(usize) -> f64, seed: Seed) -> Result<LabeledDomain> {
        let dimension = self.source[0].mean.len();
        let n_classes = self.source.len();
        let mut generator = seed.generator();
        let mut values = Vec::with_capacity(n * dimension);
        let mut labels = Vec::with_capacity(n);
        for i in 0..n {
            let class = generator.random_range(0..n_classes as u64) as usize;
            let alpha = at(i);
            let mut point = vec![0.0; dimension];
            for (end, share) in [
                (&self.source[class], 1.0 - alpha),
                (&self.target[class], alpha),
            ] {
                add_scaled(&mut point, share, &end.mean);
                // Independent parts with covariances (1−α)Σ and αΣ′ sum to the covariance between them.
                let scale = share.sqrt();
                for (z, axis) in normal_vector(dimension, &mut generator)
                    .into_iter()
                    .zip(&end.axes)
                {
                    add_scaled(&mut point, scale * z, axis);
                }
            }
            values.extend(point.into_iter().map(|v| v as f32));
            labels.push(class as u32);
        }
        let inputs = Inputs::new(values, Shape::Vector(dimension))?;
        LabeledDomain::new(inputs, Labels::new(labels, n_classes)?)
    }
}

impl Gaussian {
    fn draw(settings: &MovingGaussians, seed: Seed) -> Self {
        let dimension = settings.dimension.get();
        let (least, most) = (settings.min_var.get(), settings.max_var.get());
        let mut generator = seed.generator();
        let mean = unit(normal_vector(dimension, &mut generator));
        let mut axes = haar(dimension, &mut generator);
        for axis in &mut axes {
            let variance = if least < most {
                generator.random_range(least..most)
            } else {
                least
            };
            let deviation = variance.sqrt();
            axis.iter_mut().for_each(|v| *v *= deviation);
        }
        Self { mean, axes }
    }
}

/// The rows of a uniformly random orthogonal matrix: Gram–Schmidt on random normal vectors.
fn haar(n: usize, generator: &mut impl Rng) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(n);
    for _ in 0..n {
        let mut row = normal_vector(n, generator);
        // Twice, because once loses orthogonality to rounding.
        for _ in 0..2 {
            for earlier in &rows {
                let along = dot(&row, earlier);
                add_scaled(&mut row, -along, earlier);
            }
        }
        rows.push(unit(row));
    }
    rows
}

fn normal_vector(n: usize, generator: &mut impl Rng) -> Vec<f64> {
    (0..n).map(|_| StandardNormal.sample(generator)).collect()
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = dot(&vector, &vector).sqrt();
    vector.iter_mut().for_each(|v| *v /= length);
    vector
}

fn add_scaled(to: &mut [f64], scale: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += scale * w);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn haar_rows_are_orthonormal() {
        let rows = haar(30, &mut Seed::new(1).generator());
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot(a, b) - expected).abs() < 1e-12);
            }
        }
    }

    /// With unit means and variances between 0.05 and 0.1 the squared length of x is 1 + Σu ≈ 1 + 0.075·d at the ends;
    /// the means half-way are shorter, because they are the average of two nearly orthogonal unit vectors.
    #[test]
    fn lengths_follow_the_drift() {
        let three = MovingGaussians {
            classes: 3,
            ..MovingGaussians::paper()
        };
        let classes = Classes::draw(&three, Seed::new(0));
        let squared_length = |alpha: f64| {
            let sample = classes.sample(2000, &|_| alpha, Seed::new(9)).unwrap();
            let sum: f64 = sample
                .inputs()
                .iter()
                .flatten()
                .map(|&v| f64::from(v) * f64::from(v))
                .sum();
            sum / 2000.0
        };
        assert!(
            (squared_length(0.0) - 8.5).abs() < 0.3,
            "{}",
            squared_length(0.0)
        );
        assert!((squared_length(1.0) - 8.5).abs() < 0.3);
        assert!(
            (squared_length(0.5) - 8.0).abs() < 0.3,
            "{}",
            squared_length(0.5)
        );
    }

    #[test]
    fn a_draw_has_the_sizes_asked_for_and_depends_on_the_seed_alone() {
        let small = MovingGaussians {
            classes: 4,
            ..MovingGaussians::paper().scaled_down(50)
        };
        let benchmark = small.draw(Seed::new(3)).unwrap();
        assert_eq!(benchmark.task.source.len(), 10);
        assert_eq!(benchmark.task.intermediate.len(), 100);
        assert_eq!(benchmark.answers.target.len(), 20);
        assert_eq!(benchmark.task.source.labels().n_classes(), 4);
        let again = small.draw(Seed::new(3)).unwrap();
        assert_eq!(benchmark.task.source, again.task.source);
        let other = small.draw(Seed::new(4)).unwrap();
        assert_ne!(benchmark.task.source, other.task.source);
    }

    /// With all variances 0.2 the squared length of x is 1 + 0.2·d at the ends.
    #[test]
    fn variances_are_settings_that_are_written_only_where_they_differ() {
        let text = serde_json::to_string(&MovingGaussians::paper()).unwrap();
        assert!(!text.contains("var"), "{text}");
        let read = |more: &str| {
            let text = text.replace('}', &format!("{more}}}"));
            serde_json::from_str::<MovingGaussians>(&text)
        };
        let wide = read(r#","min-var":0.2,"max-var":0.2"#).unwrap();
        let source = wide.draw(Seed::new(0)).unwrap().task.source;
        let squares = source.inputs().iter().flatten();
        let squares: f64 = squares.map(|&v| f64::from(v) * f64::from(v)).sum();
        let mean = squares / source.len() as f64;
        assert!((mean - 21.0).abs() < 0.6, "{mean}");
        assert!(serde_json::to_string(&wide).unwrap().contains("max-var"));
        assert!(read(r#","min-var":0.2"#).unwrap().check().is_err());
        assert!(read(r#","min-var":0.0"#).is_err());
    }

    #[test]
    fn one_class_is_refused() {
        let one = MovingGaussians {
            classes: 1,
            ..MovingGaussians::paper()
        };
        assert!(one.draw(Seed::new(0)).is_err());
    }
}
