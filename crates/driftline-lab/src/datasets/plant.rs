//! A plant whose sensors drift, a made-up table for the demonstration. status ~ ok 88 %, wear 9 %, jam 3 %; machine ~ press A 40 %,
//! press B 30 %, mill 1 20 %, mill 2 10 %, independent of it. With the drift d: temperature = (60, 66, 72) + N(0, 2) + 7d, 2 more on
//! press B; vibration = (2.0, 3.2, 2.6) + N(0, 0.35) + 1.2d; pressure = (100, 104, 92) + N(0, 2.5) − 6d; humidity = 45 + N(0, 3).

use std::fmt::Write;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use driftline_core::data::Time;
use driftline_core::random::{Generator, Seed};

const STATES: [(&str, f64); 3] = [("ok", 0.88), ("wear", 0.09), ("jam", 0.03)];
const MACHINES: [(&str, f64); 4] = [
    ("press A", 0.4),
    ("press B", 0.3),
    ("mill 1", 0.2),
    ("mill 2", 0.1),
];
/// Rows with labels, and rows that come later.
const SOURCE: usize = 1500;
const STREAM: usize = 4000;
/// The drift at the beginning, where the stream begins, and at its end.
const DRIFT: [f64; 3] = [0.0, 0.1, 0.9];
/// A row every hour from 1 January 2024 on, in microseconds since 1970.
const FIRST: i64 = 1_704_067_200_000_000;
const HOUR: i64 = 3_600_000_000;

/// The labelled source and the stream as CSV. The stream has its true states, for scoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plant {
    pub source: String,
    pub stream: String,
}

impl Plant {
    /// The column of the classes, and that of the time.
    pub const LABEL: &str = "status";
    pub const TIME: &str = "time";

    pub fn draw(seed: Seed) -> Self {
        let seed = seed.named("plant");
        let [first, middle, last] = DRIFT;
        let source = seed.named("source").generator();
        let stream = seed.named("stream").generator();
        Self {
            source: rows(SOURCE, [first, middle], 0, source),
            stream: rows(STREAM, [middle, last], SOURCE, stream),
        }
    }
}

fn rows(n: usize, [from, to]: [f64; 2], before: usize, mut generator: Generator) -> String {
    let mut text = "time,machine,temperature,vibration,pressure,humidity,status\n".to_owned();
    for row in 0..n {
        let drift = from + (to - from) * row as f64 / (n - 1).max(1) as f64;
        let machine = MACHINES[drawn(&MACHINES, &mut generator)].0;
        let state = drawn(&STATES, &mut generator);
        let mut noise = || -> f64 { StandardNormal.sample(&mut generator) };
        let press = if machine == "press B" { 2.0 } else { 0.0 };
        let temperature = [60.0, 66.0, 72.0][state] + 2.0 * noise() + 7.0 * drift + press;
        let vibration = [2.0, 3.2, 2.6][state] + 0.35 * noise() + 1.2 * drift;
        let pressure = [100.0, 104.0, 92.0][state] + 2.5 * noise() - 6.0 * drift;
        let humidity = 45.0 + 3.0 * noise();
        let time = Time::Moment(FIRST + (before + row) as i64 * HOUR);
        let status = STATES[state].0;
        writeln!(
            text,
            "{time},{machine},{temperature:.2},{vibration:.3},{pressure:.1},{humidity:.1},{status}"
        )
        .expect("text takes everything");
    }
    text
}

/// A place, drawn by the shares.
fn drawn<const N: usize>(all: &[(&str, f64); N], generator: &mut Generator) -> usize {
    let mut left: f64 = generator.random();
    for (place, (_, share)) in all.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return place;
        }
    }
    N - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_drifts_as_its_formula_says() {
        let plant = Plant::draw(Seed::new(0));
        assert_eq!(plant, Plant::draw(Seed::new(0)));
        let column = |text: &str, rows: std::ops::Range<usize>| {
            let lines = text.lines().skip(1).filter(|line| line.ends_with(",ok"));
            let values: Vec<f64> = lines
                .map(|line| line.split(',').nth(4).unwrap().parse().unwrap())
                .collect();
            let some = &values[rows];
            some.iter().sum::<f64>() / some.len() as f64
        };
        assert_eq!(plant.source.lines().count(), SOURCE + 1);
        assert!((column(&plant.source, 0..1000) - 99.8).abs() < 0.4);
        let end = plant.stream.matches(",ok\n").count();
        assert!((3400..3640).contains(&end), "{end}");
        assert!((column(&plant.stream, end - 400..end) - 94.9).abs() < 0.6);
        assert!(
            plant
                .stream
                .lines()
                .nth(1)
                .unwrap()
                .starts_with("2024-03-03T12:00:00Z,")
        );
    }
}
