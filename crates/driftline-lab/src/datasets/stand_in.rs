//! Made-up data in the form of the known data sets, so that every experiment can be tried without a download. Their
//! classes can be learned and they drift, but no number made with them says anything about the real ones.

use rand::RngExt;

use super::image::GreyImages;
use super::{Census, Covertype, Digits, Portraits, TableOverTime, TableParts, catalog};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Labels, Shape};
use driftline_core::random::{Generator, Seed};
use driftline_io::Notes;

/// Seven-segment digits: which of top, top left, top right, middle, bottom left, bottom right, bottom are lit.
const SEGMENTS: [[bool; 7]; 10] = {
    const O: bool = true;
    const X: bool = false;
    [
        [O, O, O, X, O, O, O],
        [X, X, O, X, X, O, X],
        [O, X, O, O, O, X, O],
        [O, X, O, O, X, O, O],
        [X, O, O, O, X, O, X],
        [O, O, X, O, X, O, O],
        [O, O, X, O, O, O, O],
        [O, X, O, X, X, O, X],
        [O, O, O, O, O, O, O],
        [O, O, O, O, X, O, O],
    ]
};
/// Where each segment lies: first row, first column, height, width.
const PLACES: [[usize; 4]; 7] = [
    [4, 8, 3, 12],
    [4, 8, 11, 3],
    [4, 17, 11, 3],
    [12, 8, 3, 12],
    [12, 8, 12, 3],
    [12, 17, 12, 3],
    [21, 8, 3, 12],
];

/// `n` digits of 28×28, each moved by up to two pixels and noisy, with random classes.
pub fn digits(n: usize, seed: Seed) -> Result<Digits> {
    let mut generator = seed.generator();
    let mut pixels = Vec::with_capacity(n * 784);
    let mut classes = Vec::with_capacity(n);
    for _ in 0..n {
        let class = generator.random_range(0..10u32);
        let (down, right) = (
            generator.random_range(0..5u32),
            generator.random_range(0..5u32),
        );
        let mut picture = [0u8; 784];
        noise(&mut picture, 40, &mut generator);
        let lit = SEGMENTS[class as usize].iter().zip(PLACES);
        for [top, left, height, width] in lit.filter_map(|(&lit, place)| lit.then_some(place)) {
            let (top, left) = (top + down as usize - 2, left + right as usize - 2);
            for row in top..top + height {
                picture[row * 28 + left..row * 28 + left + width].fill(230);
            }
        }
        pixels.extend(picture);
        classes.push(class);
    }
    Digits::new(GreyImages::new(28, 28, pixels)?, Labels::new(classes, 10)?)
}

/// `n` grey images over the years 1905 to 2013: a bright disc, left of the centre for one class and right of it for
/// the other, that wanders about the centre by half a turn in the course of the years.
pub fn portraits(n: usize, seed: Seed) -> Result<Portraits> {
    let mut generator = seed.generator();
    let side = Portraits::SIDE;
    let mut pixels = Vec::with_capacity(n * side * side);
    let (mut classes, mut years) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for at in 0..n {
        let time = at as f64 / n as f64;
        let class = generator.random_range(0..2u32);
        let turn =
            std::f64::consts::PI * (f64::from(class) + time) + 0.5 * generator.random::<f64>();
        let (y, x) = (15.5 + 8.0 * libm::sin(turn), 15.5 + 8.0 * libm::cos(turn));
        let mut picture = vec![0u8; side * side];
        noise(&mut picture, 60, &mut generator);
        for (place, pixel) in picture.iter_mut().enumerate() {
            let (i, j) = ((place / side) as f64, (place % side) as f64);
            if (i - y) * (i - y) + (j - x) * (j - x) < 36.0 {
                *pixel = 220;
            }
        }
        pixels.extend(picture);
        classes.push(class);
        years.push(1905 + (109.0 * time) as i16);
    }
    Portraits::new(
        GreyImages::new(side, side, pixels)?,
        Labels::new(classes, 2)?,
        years,
    )
}

/// `n` rows of 54 features in three classes, the third of which is to be left out: the first two lie on opposite sides
/// of a plane that turns with the distance to water.
pub fn covertype(n: usize, seed: Seed) -> Result<Covertype> {
    let mut generator = seed.generator();
    let clock = 3;
    let mut features = Vec::with_capacity(n * 54);
    let mut classes = Vec::with_capacity(n);
    for _ in 0..n {
        let distance = generator.random_range(0..1400u32);
        let class = generator.random_range(0..20u32) % 7 % 3;
        let turn = 2.0 * f64::from(distance) / 1400.0;
        let side = f64::from(class) - 0.5;
        let start = features.len();
        features.extend((0..54).map(|_| generator.random::<f32>()));
        features[start] += (2.0 * side * libm::cos(turn)) as f32;
        features[start + 1] += (2.0 * side * libm::sin(turn)) as f32;
        features[start + clock] = distance as f32;
        classes.push(class as u8 + 1);
    }
    Ok(Covertype {
        features,
        width: 54,
        clock,
        classes,
    })
}

/// `n` rows of a first year and as many of later ones, in two classes that come nearer in the course of the years.
pub fn census(n: usize, seed: Seed) -> Result<Census> {
    let mut generator = seed.generator();
    let mut draw = |moving: bool| {
        let (mut values, mut classes) = (vec![], vec![]);
        for row in 0..n {
            let class = generator.random_range(0..2_u32);
            let nearer = if moving { row as f32 / n as f32 } else { 0.0 };
            let centre = class as f32 * (2.0 - nearer);
            values.extend((0..6).map(|_| centre + generator.random_range(-1.0..1.0_f32)));
            classes.push(class);
        }
        let inputs = Inputs::new(values, Shape::Vector(6))?;
        LabeledDomain::new(inputs, Labels::new(classes, 2)?)
    };
    Ok(Census {
        source: draw(false)?,
        stream: draw(true)?,
    })
}

/// Rows of a table of which nothing is known.
const ROWS: usize = 50_000;

/// More columns and classes than these would run no other code, and only take longer.
const MOST_COLUMNS: usize = 12;
const MOST_CLASSES: usize = 4;

/// A table with as many rows as the catalogue says, a tenth of it the source unless the settings count its rows: classes lie
/// around a centre and turn about it by the distance from one to the next in the course of the stream.
pub fn table(settings: &TableOverTime, seed: Seed) -> Result<TableParts> {
    let form = settings
        .catalog
        .as_deref()
        .map(catalog::table)
        .transpose()?;
    let (rows, features, n) = form.map_or((ROWS, 4, 3), |form| {
        let columns = form.features.clamp(2, MOST_COLUMNS);
        (form.rows, columns, form.classes.min(MOST_CLASSES))
    });
    let mut generator = seed.generator();
    let mut draw = |rows: usize, moving: bool| -> Result<LabeledDomain> {
        let mut values = Vec::with_capacity(rows * features);
        let mut classes = Vec::with_capacity(rows);
        for row in 0..rows {
            let class = generator.random_range(0..n as u32);
            let time = if moving {
                row as f64 / rows as f64
            } else {
                0.0
            };
            let turn = std::f64::consts::TAU * (f64::from(class) + time) / n as f64;
            let start = values.len();
            values.extend((0..features).map(|_| generator.random::<f32>()));
            values[start] += 4.0 * libm::cos(turn) as f32;
            values[start + 1] += 4.0 * libm::sin(turn) as f32;
            classes.push(class);
        }
        let inputs = Inputs::new(values, Shape::Vector(features))?;
        LabeledDomain::new(inputs, Labels::new(classes, n)?)
    };
    let source_rows = match (settings.source_rows, settings.source_share) {
        (Some(rows), _) => rows.get(),
        (None, Some(share)) => (share.get() * rows as f64).round() as usize,
        (None, None) => rows / 10,
    };
    let source_rows = source_rows.clamp(2, rows / 2);
    let source = draw(source_rows, false)?;
    let stream = draw(rows - source_rows, true)?;
    Ok(TableParts {
        source,
        answers: stream
            .labels()
            .as_slice()
            .iter()
            .map(|&class| Some(class))
            .collect(),
        stream: stream.inputs().clone(),
        notes: Notes::new(),
    })
}

fn noise(picture: &mut [u8], below: u32, generator: &mut Generator) {
    for pixel in picture {
        *pixel = generator.random_range(0..below) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::{CovertypeByDistance, PortraitsOverTime, RotatingDigits, SameDigits};

    #[test]
    fn every_protocol_can_be_tried_small() {
        let seed = Seed::new(5);
        let pictures = digits(600, seed).unwrap();
        assert_eq!(pictures, digits(600, seed).unwrap());
        for spec in [RotatingDigits::paper(), RotatingDigits::paper_mixture()] {
            let spec = spec.scaled_down(100);
            assert_eq!(
                spec.benchmark(&pictures, seed)
                    .unwrap()
                    .task
                    .intermediate
                    .len(),
                420
            );
            assert_eq!(spec.unused_target(&pictures, seed).unwrap().len(), 100);
        }
        let same = SameDigits::paper(2_000).scaled_down(100);
        let stream = same.benchmark(&pictures, seed).unwrap().task.intermediate;
        assert_eq!((stream.len(), same.stream_length()), (400, 400));

        let people = portraits(8_000, seed).unwrap();
        for (spec, stream) in [
            (PortraitsOverTime::paper_years(), 250),
            (PortraitsOverTime::paper_counts(), 1_400),
            (PortraitsOverTime::paper_further(), 2_000),
        ] {
            let spec = spec.scaled_down(10);
            let task = spec.benchmark(&people, seed).unwrap().task;
            assert_eq!(
                (task.source.len(), task.target_pool.domain().unwrap().len()),
                (100, 200)
            );
            assert_eq!(task.intermediate.len(), stream);
        }
        let forest = covertype(8_000, seed).unwrap();
        let spec = CovertypeByDistance::paper().scaled_down(100);
        assert_eq!(
            spec.benchmark(&forest, seed).unwrap().answers.target.len(),
            250
        );
    }
}
