//! Tables as data sets of experiments: your own files, and those of the catalogue.

#[path = "tables/at_hand.rs"]
mod at_hand;
#[path = "tables/identity.rs"]
mod identity;
#[path = "tables/refusals.rs"]
mod refusals;
#[path = "tables/splits.rs"]
mod splits;

use std::path::{Path, PathBuf};

use driftline_core::data::Benchmark;
use driftline_lab::experiment::{Experiment, RawData, Scale, read_file};
use tempfile::TempDir;

/// A folder with an experiment on tables.
#[derive(Debug)]
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<str>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.as_ref()).unwrap();
    }

    /// An experiment file whose `data.table` holds these lines.
    fn experiment(&self, table: &str) -> PathBuf {
        let text = include_str!("tables/small.toml").replace("# TABLE", table);
        self.write("small.toml", text);
        self.at("small.toml")
    }

    fn plan(&self, table: &str, scale: Scale) -> driftline_core::Result<Experiment> {
        planned(&self.experiment(table), scale)
    }

    fn benchmark(&self, table: &str, data_seed: u64) -> driftline_core::Result<Benchmark> {
        let plan = self.plan(table, Scale::Full)?;
        plan.datasets[0].data.benchmark(data_seed, &RawData::None)
    }
}

pub fn planned(file: &Path, scale: Scale) -> driftline_core::Result<Experiment> {
    let (spec, expected) = read_file(file)?;
    Experiment::new(&spec, expected, scale)
}

/// Rows `day,x,y,group,label`: two classes on either side of a line; `x` is the number of the row.
pub fn rows(days: std::ops::Range<usize>) -> String {
    let line = |day: usize| {
        let (class, group) = (["low", "high"][day % 2], ["a", "b", "c"][day % 3]);
        format!("{day},{day}.5,{},{group},{class}\n", day % 2 * 10)
    };
    "day,x,y,group,label\n".to_owned() + &days.map(line).collect::<String>()
}

/// The first input of every row, which is the day and a half.
pub fn days(inputs: &driftline_core::data::Inputs) -> Vec<usize> {
    inputs.iter().map(|row| row[0] as usize).collect()
}
