//! Two Gaussian classes and one thing that happens to them, each chosen because it is easy, or impossible, to see without
//! labels: what a policy must follow, or must keep its hands off.

use std::f64::consts::PI;
use std::num::NonZeroUsize;

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::timeline::fewer;
use driftline_core::data::{
    AnswerKey, Benchmark, Inputs, LabeledDomain, Labels, Shape, Stream, Task,
};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Classes around ±distance/2 on the first axis with deviation 1 in every column, and what happens to them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Constructed {
    pub event: ConstructedEvent,
    /// At least 2.
    pub columns: NonZeroUsize,
    /// Between the centres of the two classes.
    pub distance: f64,
    pub source: usize,
    pub held_out_source: usize,
    pub intermediate: usize,
    pub target: usize,
}

/// What happens along the stream; s goes from 0 to 1 with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConstructedEvent {
    /// Both classes turn by s·135° around their middle.
    Rotation,
    /// The same, and after a half of it the second class becomes rare: half of the rows at first, 2 % at the end.
    VanishingClass,
    /// The second class has 50 % of the rows at first and 90 % at the end; nothing else changes.
    LabelShift,
    /// Nothing, and from s = 0.4 on everything is turned by 120°.
    Jump,
    /// A rotation by s·90°; of s = 0.5 to 0.6 all rows are noise, and every answer is a toss.
    NoiseWindow,
    /// Nothing, and from s = 0.4 on the classes have changed places.
    SwappedClasses,
    /// A rotation by s·60°; from s = 0.4 on three rows in ten are of a third class, which the source lacks.
    NewClass,
    /// All rows come from one cloud that stays; the line that divides its classes turns by s·120°.
    ConceptChange,
}

impl Constructed {
    /// The same with about one example in `divisor`.
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

    /// Refuses settings that no draw could satisfy.
    pub fn check(&self) -> Result<()> {
        if self.columns.get() < 2 {
            return Err(Error::out_of_range(
                "`columns`",
                self.columns,
                "at least 2: classes turn in a plane",
            ));
        }
        if !(self.distance.is_finite() && self.distance >= 0.0) {
            return Err(Error::out_of_range(
                "`distance`",
                self.distance,
                "a finite number, not below 0",
            ));
        }
        let sizes = [
            self.source,
            self.held_out_source,
            self.intermediate,
            self.target,
        ];
        if sizes.contains(&0) {
            return Err(Error::out_of_range("a number of examples", 0, "at least 1"));
        }
        Ok(())
    }

    pub fn draw(&self, seed: Seed) -> Result<Benchmark> {
        self.check()?;
        let n = self.intermediate;
        let sample =
            |name: &str, n: usize, at: &dyn Fn(usize) -> f64| self.sample(n, at, seed.named(name));
        let source = sample("source", self.source, &|_| 0.0)?;
        let held_out_source = sample("held-out source", self.held_out_source, &|_| 0.0)?;
        let stream = sample("stream", n, &|row| (row + 1) as f64 / n as f64)?;
        let target = sample("target", self.target, &|_| 1.0)?;
        let pool = sample("target pool", self.target, &|_| 1.0)?;
        Benchmark::new(
            Task {
                source,
                intermediate: Stream::new(stream.inputs().clone()),
                target_pool: pool.unlabeled().into(),
            },
            AnswerKey {
                held_out_source,
                intermediate: Some(stream.labels().clone()),
                target,
            },
        )
    }

    fn n_classes(&self) -> usize {
        match self.event {
            ConstructedEvent::NewClass => 3,
            _ => 2,
        }
    }

    fn sample(&self, n: usize, at: &dyn Fn(usize) -> f64, seed: Seed) -> Result<LabeledDomain> {
        let mut draw = seed.generator();
        let columns = self.columns.get();
        let (mut values, mut labels) = (Vec::with_capacity(n * columns), Vec::with_capacity(n));
        for row in 0..n {
            let (point, class) = self.row(at(row), row, &mut draw);
            values.extend(point.into_iter().map(|value| value as f32));
            labels.push(class);
        }
        let inputs = Inputs::new(values, Shape::Vector(columns))?;
        LabeledDomain::new(inputs, Labels::new(labels, self.n_classes())?)
    }

    /// A row of time `s` and its class.
    fn row(&self, s: f64, number: usize, draw: &mut impl Rng) -> (Vec<f64>, u32) {
        use ConstructedEvent as Event;
        let later = s > 0.4;
        let noise = self.event == Event::NoiseWindow && s > 0.5 && s <= 0.6;
        let second = match self.event {
            Event::VanishingClass => 0.5 - 0.96 * (s - 0.5).max(0.0),
            Event::LabelShift => 0.5 + 0.4 * s,
            _ => 0.5,
        };
        let turn = match self.event {
            Event::Rotation | Event::VanishingClass => 0.75 * PI * s,
            Event::NoiseWindow => 0.5 * PI * s,
            Event::NewClass => PI / 3.0 * s,
            Event::ConceptChange => 2.0 * PI / 3.0 * s,
            Event::Jump if later => 2.0 * PI / 3.0,
            Event::SwappedClasses if later => PI,
            _ => 0.0,
        };
        let tossed = draw.random::<f64>();
        // The source begins with one of each class, so that the smallest has both.
        let mut class = match number {
            0 | 1 if s == 0.0 => number as u32,
            _ => u32::from(tossed < second),
        };
        let third = draw.random::<f64>() < 0.3;
        let mut point: Vec<f64> = (0..self.columns.get())
            .map(|_| StandardNormal.sample(draw))
            .collect();
        let half = self.distance / 2.0;
        let (across, along) = (turn.cos(), turn.sin());
        match self.event {
            // Wide enough that the line is seldom near; the class is the side of it.
            Event::ConceptChange => {
                point[0] *= half.max(1.0);
                point[1] *= half.max(1.0);
                class = u32::from(across * point[0] + along * point[1] > 0.0);
            }
            _ if noise => point.iter_mut().for_each(|value| *value *= 3.0 * half),
            Event::NewClass if later && third => {
                (point[0], point[1]) = (point[0], point[1] + 2.0 * half);
                class = 2;
            }
            _ => {
                let side = if class == 1 { half } else { -half };
                point[0] += side * across;
                point[1] += side * along;
            }
        }
        (point, class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConstructedEvent as Event;

    fn constructed(event: Event) -> Constructed {
        Constructed {
            event,
            columns: NonZeroUsize::new(2).unwrap(),
            distance: 6.0,
            source: 400,
            held_out_source: 100,
            intermediate: 2000,
            target: 200,
        }
    }

    /// How many of the last rows are on the side of their class as it was at first.
    fn right_at_the_end(event: Event) -> f64 {
        let target = constructed(event)
            .draw(Seed::new(1))
            .unwrap()
            .answers
            .target;
        let rows = target.inputs().iter().zip(target.labels().as_slice());
        let right = rows.filter(|(row, class)| u32::from(row[0] > 0.0) == **class);
        right.count() as f64 / target.len() as f64
    }

    #[test]
    fn what_stays_can_be_told_and_what_turns_cannot() {
        assert!(right_at_the_end(Event::LabelShift) > 0.97);
        assert!(right_at_the_end(Event::Rotation) < 0.1);
        assert!(right_at_the_end(Event::SwappedClasses) < 0.03);
        assert!((0.2..0.5).contains(&right_at_the_end(Event::ConceptChange)));
    }

    #[test]
    fn classes_come_and_go() {
        let shares = |event| {
            let target = constructed(event)
                .draw(Seed::new(2))
                .unwrap()
                .answers
                .target;
            target.labels().counts()
        };
        assert!(shares(Event::VanishingClass)[1] < 12);
        assert!((30..100).contains(&shares(Event::NewClass)[2]));
        let source = constructed(Event::NewClass)
            .draw(Seed::new(2))
            .unwrap()
            .task
            .source;
        assert_eq!(source.labels().counts()[2], 0);
    }

    #[test]
    fn one_column_is_refused() {
        let line = Constructed {
            columns: NonZeroUsize::MIN,
            ..constructed(Event::Jump)
        };
        assert!(line.draw(Seed::new(0)).is_err());
    }
}
