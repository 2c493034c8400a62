//! Who is employed, by the US census in Massachusetts: 2015 labelled, then 2016 to 2018 in the order of the files, of which the
//! last rows are scored. Sixteen columns, categories one by one; the answers stand in a file of their own, in the same order.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::{
    AnswerKey, Benchmark, Domain, Hygiene, Inputs, LabeledDomain, Labels, Stream, Task,
};
use crate::random::{Seed, permutation};
use crate::reading::{ColumnChoice, EncodeOptions, Encoding, Files, Notes, ReadOptions, read_all};
use crate::{Error, Result};

/// All rows, encoded as the first year says.
#[derive(Clone, Debug)]
pub struct Census {
    pub(super) source: LabeledDomain,
    pub(super) stream: LabeledDomain,
}

/// How many rows are used. The data seed draws all of them; those of the stream keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CensusByYear {
    /// Trained on, of 2015.
    pub source: usize,
    /// Others of 2015.
    pub held_out_source: usize,
    /// Of 2016 to 2018.
    pub intermediate: usize,
    /// So many at the end of the stream are adapted to and scored.
    pub target: usize,
}

/// What is no input: numbers of rows, the year, and what another model had said.
const NOT_INPUTS: [&str; 4] = ["id", "year", "prediction", "predicted_probability"];
const LABEL: &str = "employed";

impl Census {
    /// Reads the files of the catalogue: 2015, the later years, and their answers.
    pub fn read(files: &[PathBuf]) -> Result<Self> {
        let [first, later, answers] = files else {
            return Err(Error::mismatch(
                "the census",
                "three files",
                format!("{} files", files.len()),
            ));
        };
        let open = |path: &PathBuf| Files::new(vec![path.clone()]);
        let options = ReadOptions::default();
        // Scaling and hygiene are a method's settings.
        let plain = EncodeOptions {
            standardize: false,
            hygiene: Hygiene::OFF,
        };
        let mut notes = Notes::new();
        let choice = |label: bool, without: &[&str]| ColumnChoice {
            label: label.then(|| LABEL.into()),
            exclude: without.iter().map(|name| name.to_string()).collect(),
            ..ColumnChoice::default()
        };
        let fitted = choice(true, &NOT_INPUTS);
        let (encoding, source) =
            Encoding::fit(&open(first)?, &fitted, &options, plain, &mut notes)?;
        let unlabeled = choice(false, &NOT_INPUTS);
        let stream = read_all(&open(later)?, &encoding, &unlabeled, &options, &mut notes)?;
        let (named, told) = Encoding::fit(
            &open(answers)?,
            &choice(true, &[]),
            &options,
            plain,
            &mut notes,
        )?;
        if named.classes() != encoding.classes() {
            return Err(Error::mismatch(
                "the census's answers",
                "the classes of its first year",
                "others",
            ));
        }
        Ok(Self {
            source: LabeledDomain::new(source.inputs, source.labels)?,
            stream: LabeledDomain::new(stream.inputs, told.labels)?,
        })
    }
}

impl CensusByYear {
    /// A fraction of the rows.
    pub fn scaled_down(self, divisor: usize) -> Self {
        let less = |n: usize| (n / divisor.max(1)).max(8);
        Self {
            source: less(self.source),
            held_out_source: less(self.held_out_source),
            intermediate: less(self.intermediate),
            target: less(self.target),
        }
    }

    pub fn benchmark(&self, census: &Census, seed: Seed) -> Result<Benchmark> {
        let wanted = self.source.saturating_add(self.held_out_source);
        for (what, asked, available) in [
            ("the first year", wanted, census.source.len()),
            ("the later years", self.intermediate, census.stream.len()),
            (
                "the stream, of which the target is the end,",
                self.target,
                self.intermediate,
            ),
        ] {
            if asked > available {
                return Err(Error::mismatch(
                    what,
                    format!("at least the {asked} rows asked for"),
                    available,
                ));
            }
        }
        let drawn = |all: usize, n: usize, name: &str| {
            let mut rows = permutation(all, seed.named(name));
            rows.truncate(n);
            rows
        };
        let source = drawn(census.source.len(), wanted, "source");
        let (train, held_out) = source.split_at(self.source);
        let mut stream = drawn(census.stream.len(), self.intermediate, "stream");
        stream.sort_unstable();
        let stream = census.stream.pick(&stream);
        let end = stream.slice(stream.len() - self.target..stream.len());
        Benchmark::new(
            Task {
                source: census.source.pick(train),
                target_pool: Domain::new(end.inputs().clone()).into(),
                intermediate: Stream::new(stream.inputs().clone()),
            },
            AnswerKey {
                held_out_source: census.source.pick(held_out),
                intermediate: Some(stream.labels().clone()),
                target: end,
            },
        )
    }
}

/// Made-up rows of the same form: the classes come nearer in the course of the years.
pub(super) fn stand_in(n: usize, seed: Seed) -> Result<Census> {
    use rand::RngExt;
    let mut generator = seed.generator();
    let mut draw = |n: usize, moving: bool| {
        let (mut values, mut classes) = (vec![], vec![]);
        for row in 0..n {
            let class = generator.random_range(0..2_u32);
            let nearer = if moving { row as f32 / n as f32 } else { 0.0 };
            let centre = class as f32 * (2.0 - nearer);
            values.extend((0..6).map(|_| centre + generator.random_range(-1.0..1.0_f32)));
            classes.push(class);
        }
        let inputs = Inputs::new(values, crate::data::Shape::Vector(6))?;
        LabeledDomain::new(inputs, Labels::new(classes, 2)?)
    };
    Ok(Census {
        source: draw(n, false)?,
        stream: draw(n, true)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_keeps_its_order_and_its_end_is_scored() {
        let census = stand_in(300, Seed::new(1)).unwrap();
        let spec = CensusByYear {
            source: 40,
            held_out_source: 20,
            intermediate: 100,
            target: 30,
        };
        let Benchmark { task, answers } = spec.benchmark(&census, Seed::new(0)).unwrap();
        assert_eq!((task.source.len(), answers.held_out_source.len()), (40, 20));
        let rows = task.intermediate.inputs();
        let place = |row: &[f32]| {
            census
                .stream
                .inputs()
                .iter()
                .position(|r| r == row)
                .unwrap()
        };
        assert!(rows.iter().map(place).is_sorted());
        assert_eq!(answers.target.inputs(), &rows.slice(70..100));
        let pool = task.target_pool.domain().unwrap();
        assert_eq!(&pool.inputs, answers.target.inputs());
        let more = CensusByYear {
            intermediate: 301,
            ..spec
        };
        assert!(more.benchmark(&census, Seed::new(0)).is_err());
    }
}
