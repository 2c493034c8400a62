//! Who is employed, by the US census in Massachusetts: 2015 labelled, then 2016 to 2018 in the order of the files, of which the
//! last rows are scored. Sixteen columns, categories one by one; the answers stand in a file of their own, in the same order.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::timeline::expect_enough;
use driftline_core::data::{
    AnswerKey, Benchmark, ColumnCleaning, Domain, LabeledDomain, Stream, Task,
};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};
use driftline_io::{ColumnChoice, EncodeOptions, Encoding, Files, Notes, ReadOptions, read_all};

/// All rows, encoded as the first year says.
#[derive(Clone, Debug)]
pub struct Census {
    pub(super) source: LabeledDomain,
    pub(super) stream: LabeledDomain,
}

/// How many rows are used. The data seed draws all of them; those of the stream keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CensusByYear {
    /// Trained on, of 2015.
    pub source: usize,
    /// Others of 2015.
    pub held_out_source: usize,
    /// Of 2016 to 2018.
    pub intermediate: usize,
    /// This many at the end of the stream are adapted to and scored.
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
        let options = ReadOptions::default();
        // Scaling and cleaning columns are a method's settings.
        let plain = EncodeOptions {
            standardize: false,
            cleaning: ColumnCleaning::OFF,
        };
        let mut notes = Notes::new();
        let choice = |label: Option<&str>, without: &[&str]| ColumnChoice {
            label: label.map(String::from),
            exclude: without.iter().map(|name| name.to_string()).collect(),
            ..ColumnChoice::default()
        };
        let mut fit = |path, choice: &ColumnChoice| {
            Encoding::fit(&Files::new([path])?, choice, &options, plain, &mut notes)
        };
        let (encoding, source) = fit(first, &choice(Some(LABEL), &NOT_INPUTS))?;
        let (named, told) = fit(answers, &choice(Some(LABEL), &[]))?;
        let unlabeled = choice(None, &NOT_INPUTS);
        let later = Files::new([later])?;
        let stream = read_all(&later, &encoding, &unlabeled, &options, &mut notes)?;
        if named.classes() != encoding.classes() {
            return Err(Error::mismatch(
                "the census's answers",
                "the classes of its first year",
                "others",
            ));
        }
        Ok(Self {
            source: LabeledDomain::new(source.inputs, source.labels)?
                .with_layout(encoding.layout()),
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
        let end = "the stream, of which the target is the end,";
        let needs = [
            ("the first year", wanted, census.source.len()),
            ("the later years", self.intermediate, census.stream.len()),
            (end, self.target, self.intermediate),
        ];
        expect_enough("rows", &needs)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_keeps_its_order_and_its_end_is_scored() {
        let census = crate::datasets::stand_in::census(300, Seed::new(1)).unwrap();
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
