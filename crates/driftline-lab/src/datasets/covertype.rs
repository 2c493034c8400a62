//! Forest cover type (Blackard 1998): two kinds of forest, with the distance to water as the clock of the drift.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::numbers::expect_numbers;
use super::timeline::{Timeline, fewer};
use driftline_core::data::{Benchmark, Inputs, Labels, Shape};
use driftline_core::error::DataFault;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_io::{Files, ReadOptions, read_numbers};

/// The column whose order is the order of the stream, and the column of the seven classes.
const CLOCK: &str = "Horizontal_Distance_To_Hydrology";
const CLASS: &str = "Cover_Type";

/// The whole file: features as they stand in it, and classes 1 to 7.
#[derive(Clone, Debug, PartialEq)]
pub struct Covertype {
    /// Row after row, `width` each.
    pub(super) features: Vec<f32>,
    pub(super) width: usize,
    /// The column that orders the rows.
    pub(super) clock: usize,
    pub(super) classes: Vec<u8>,
}

impl Covertype {
    /// Reads a CSV file with a header; every column but the class is a feature.
    pub fn read(path: &Path) -> Result<Self> {
        let table = Files::new([path])?;
        expect_numbers(&table, |_| false)?;
        let (columns, rows) = read_numbers(&table, &ReadOptions::default())?;
        let place = |name: &str| {
            let found = columns.iter().position(|column| column == name);
            found.ok_or_else(|| {
                let fault = DataFault::new(path, format!("has no column `{name}`"));
                Error::from(fault.help(format!("its columns are {}", columns.join(", "))))
            })
        };
        let (class, clock) = (place(CLASS)?, place(CLOCK)?);
        let width = columns.len() - 1;
        let mut features = Vec::with_capacity(rows.len() * width);
        let mut classes = Vec::with_capacity(rows.len());
        for (row, values) in rows.iter().enumerate() {
            features.extend_from_slice(&values[..class]);
            features.extend_from_slice(&values[class + 1..]);
            let value = values[class];
            if !(value.fract() == 0.0 && (1.0..=7.0).contains(&value)) {
                return Err(
                    DataFault::new(path, format!("{value} is not one of 1 to 7"))
                        .row(row as u64 + 1)
                        .column(CLASS)
                        .into(),
                );
            }
            classes.push(value as u8);
        }
        Ok(Self {
            features,
            width,
            clock: if clock > class { clock - 1 } else { clock },
            classes,
        })
    }

    fn len(&self) -> usize {
        self.classes.len()
    }

    fn row(&self, index: usize) -> &[f32] {
        &self.features[index * self.width..(index + 1) * self.width]
    }

    /// Rows of classes 1 and 2, by ascending distance to water; equal distances keep the order of the file.
    fn sorted_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len())
            .filter(|&row| self.classes[row] <= 2)
            .collect();
        rows.sort_by(|&a, &b| self.row(a)[self.clock].total_cmp(&self.row(b)[self.clock]));
        rows
    }
}

/// How the sorted rows are dealt out: the first `source + held_out_source` are shuffled into those two parts, then come
/// the stream, in order, and `target` rows, shuffled, of which the first `scored` are scored and the others never used.
/// The pool for methods that adapt straight to the target is the last `target_pool` rows of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CovertypeByDistance {
    pub source: usize,
    pub held_out_source: usize,
    pub intermediate: usize,
    pub target: usize,
    pub scored: usize,
    pub target_pool: usize,
    pub standardization: Standardization,
}

/// Whose mean and standard deviation (dividing by n) every column is standardised with; a constant column is only
/// centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Standardization {
    /// The labelled source rows: all that a method may know beforehand.
    Source,
    /// Every row of the file, all seven classes: what the authors did, although it reveals the target.
    WholeFile,
}

impl CovertypeByDistance {
    /// The same drift with about one row in `divisor`; the rows are then the first of the order, not a sample of all.
    pub fn scaled_down(self, divisor: usize) -> Self {
        let less = |n: usize| fewer(n, divisor);
        Self {
            source: less(self.source),
            held_out_source: less(self.held_out_source),
            intermediate: less(self.intermediate),
            target: less(self.target),
            scored: less(self.scored),
            target_pool: less(self.target_pool),
            ..self
        }
    }

    /// How many rows are used.
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

    pub fn benchmark(&self, covertype: &Covertype, seed: Seed) -> Result<Benchmark> {
        let rows = covertype.sorted_rows();
        let source_end = self.source.saturating_add(self.held_out_source);
        let stream_end = source_end.saturating_add(self.intermediate);
        let timeline = Timeline {
            source: self.source,
            source_end,
            stream_end,
            target_end: stream_end.saturating_add(self.target),
            scored: self.scored,
            target_pool: self.target_pool,
        };
        let dealt = timeline.deal(rows.len(), "rows of classes 1 and 2", seed)?;
        let scale = match self.standardization {
            Standardization::Source => {
                Scale::of(covertype, dealt.train.iter().map(|&place| rows[place]))
            }
            Standardization::WholeFile => Scale::of(covertype, 0..covertype.len()),
        };
        // Class 1 is label 0, class 2 label 1.
        let label = |&place: &usize| u32::from(covertype.classes[rows[place]]) - 1;
        dealt.benchmark(
            |places| scale.inputs(covertype, places.iter().map(|&place| rows[place])),
            |places| Labels::new(places.iter().map(label).collect(), 2),
        )
    }
}

/// Mean and scale of every column.
struct Scale {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Scale {
    fn of(covertype: &Covertype, rows: impl Iterator<Item = usize> + Clone) -> Self {
        let n = rows.clone().count().max(1) as f64;
        let mut means = vec![0.0; covertype.width];
        for row in rows.clone() {
            for (mean, &value) in means.iter_mut().zip(covertype.row(row)) {
                *mean += f64::from(value);
            }
        }
        for mean in &mut means {
            *mean /= n;
        }
        let mut variances = vec![0.0; covertype.width];
        for row in rows {
            for ((variance, &value), mean) in
                variances.iter_mut().zip(covertype.row(row)).zip(&means)
            {
                *variance += (f64::from(value) - mean).powi(2) / n;
            }
        }
        let deviations = variances
            .into_iter()
            .map(|variance| {
                if variance > 1e-18 {
                    variance.sqrt()
                } else {
                    1.0
                }
            })
            .collect();
        Self { means, deviations }
    }

    fn inputs(&self, covertype: &Covertype, rows: impl Iterator<Item = usize>) -> Result<Inputs> {
        let columns = || self.means.iter().zip(&self.deviations);
        let values = rows
            .flat_map(|row| covertype.row(row).iter().zip(columns()))
            .map(|(&value, (mean, deviation))| ((f64::from(value) - mean) / deviation) as f32);
        Inputs::new(values.collect(), Shape::Vector(covertype.width))
    }
}

#[cfg(test)]
impl CovertypeByDistance {
    /// The authors' sizes, standardised with the source.
    pub(super) fn paper() -> Self {
        Self {
            source: 10_000,
            held_out_source: 40_000,
            intermediate: 400_000,
            target: 45_000,
            scored: 25_000,
            target_pool: 50_000,
            standardization: Standardization::Source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances fall along the file; feature `x` is the row's number; classes 1, 2, 3 in turn; `flat` is constant.
    fn small() -> Covertype {
        let mut text = format!("x,{CLOCK},{CLASS},flat\n");
        for row in 0..90 {
            text += &format!("{row},{},{},7\n", (90 - row) / 4, row % 3 + 1);
        }
        read(&text).unwrap()
    }

    fn read(text: &str) -> Result<Covertype> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("covtype.csv");
        std::fs::write(&path, text).unwrap();
        Covertype::read(&path)
    }

    fn spec(standardization: Standardization) -> CovertypeByDistance {
        CovertypeByDistance {
            source: 10,
            held_out_source: 10,
            intermediate: 25,
            target: 15,
            scored: 12,
            target_pool: 5,
            standardization,
        }
    }

    #[test]
    fn rows_come_by_distance_and_then_by_place() {
        let covertype = small();
        let rows = covertype.sorted_rows();
        assert_eq!(rows.len(), 60);
        assert!(rows.is_sorted_by_key(|&row| ((90 - row) / 4, row)));
        let Benchmark { task, answers } = spec(Standardization::WholeFile)
            .benchmark(&covertype, Seed::new(0))
            .unwrap();
        let xs: Vec<f32> = task
            .intermediate
            .inputs()
            .iter()
            .map(|row| row[0])
            .collect();
        let expected: Vec<f32> = rows[20..45].iter().map(|&row| row as f32).collect();
        let deviation = ((90.0f32 * 90.0 - 1.0) / 12.0).sqrt();
        for (x, row) in xs.iter().zip(expected) {
            assert!((x - (row - 44.5) / deviation).abs() < 1e-5);
        }
        assert_eq!(
            task.target_pool.domain().unwrap(),
            task.intermediate.window(20..25).unwrap()
        );
        assert_eq!(
            (answers.held_out_source.len(), answers.target.len()),
            (10, 12)
        );
        assert_eq!(task.source.inputs().shape(), Shape::Vector(3));
    }

    #[test]
    fn standardising_with_the_source_centres_the_source() {
        let Benchmark { task, .. } = spec(Standardization::Source)
            .benchmark(&small(), Seed::new(0))
            .unwrap();
        for column in 0..3 {
            let values: Vec<f32> = task.source.inputs().iter().map(|row| row[column]).collect();
            let mean = values.iter().sum::<f32>() / 10.0;
            let square = values.iter().map(|v| v * v).sum::<f32>() / 10.0;
            let expected = if column == 2 { 0.0 } else { 1.0 };
            assert!(mean.abs() < 1e-5 && (square - expected).abs() < 1e-4);
        }
        let flat = task.intermediate.inputs().iter().all(|row| row[2] == 0.0);
        assert!(flat);
    }

    #[test]
    fn faults_are_refused() {
        let covertype = small();
        let error = CovertypeByDistance::paper()
            .benchmark(&covertype, Seed::new(0))
            .unwrap_err();
        assert!(error.to_string().contains("495000"), "{error}");
        for bad in [
            CovertypeByDistance {
                scored: 16,
                ..spec(Standardization::Source)
            },
            CovertypeByDistance {
                target_pool: 26,
                ..spec(Standardization::Source)
            },
        ] {
            assert!(bad.benchmark(&covertype, Seed::new(0)).is_err());
        }
        for text in [
            format!("x,{CLASS}\n1,1\n"),
            format!("{CLOCK},{CLASS}\n1,8\n"),
            format!("{CLOCK},{CLASS}\nfar,1\n"),
            format!("{CLOCK},{CLASS}\n1,2\n,1\n"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains("covtype.csv"), "{error}");
        }
    }
}
