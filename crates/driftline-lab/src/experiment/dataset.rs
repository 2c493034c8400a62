//! The data sets that an experiment file can name, and where their raw data come from.

use std::num::NonZeroUsize;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rehearsed::Rehearsed;
use super::scored::{Scored, ScoredOn};
use crate::datasets::gaussian::MovingGaussians;
use crate::datasets::{
    Cache, Census, CensusByYear, ColorShift, Constructed, Covertype, CovertypeByDistance, Digits,
    Portraits, PortraitsOverTime, RotatingDigits, SameDigits, TableOverTime, TableParts, catalog,
    stand_in,
};
use driftline_core::data::{Benchmark, LabeledDomain};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// A benchmark by its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Dataset {
    /// Gaussian classes whose means and covariances move.
    Gaussian(MovingGaussians),
    /// Two Gaussian classes and one thing that happens to them.
    Constructed(Constructed),
    /// Turning MNIST digits.
    RotatingMnist(RotatingDigits),
    /// Turning Fashion-MNIST images.
    RotatingFashionMnist(RotatingDigits),
    /// The same MNIST digits at every angle.
    SameMnist(SameDigits),
    /// MNIST digits that grow brighter.
    ColorShiftMnist(ColorShift),
    /// Yearbook portraits over the years.
    Portraits(PortraitsOverTime),
    /// Who is employed, over the years.
    Census(CensusByYear),
    /// Forest cover types by distance to water.
    Covertype(CovertypeByDistance),
    /// A table: your own files, or one of the catalogue.
    Table(Box<TableOverTime>),
    /// Any of them, scored on other answers than its target's.
    Scored(Scored),
    /// A drift made from the labelled source of any of them that has images.
    Rehearsed(Rehearsed),
}

/// Where raw data come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawData {
    /// Files that were fetched or imported.
    Cache(Cache),
    /// Made-up data of the same form: to see whether an experiment runs at all.
    StandIns,
    /// Nowhere: only data that are drawn can be had.
    None,
}

impl Dataset {
    pub fn benchmark(&self, data_seed: u64, raw: &RawData) -> Result<Benchmark> {
        let seed = Seed::new(data_seed).named("data");
        match self {
            Dataset::Gaussian(settings) => settings.draw(seed),
            Dataset::Constructed(settings) => settings.draw(seed),
            Dataset::RotatingMnist(settings) | Dataset::RotatingFashionMnist(settings) => {
                settings.benchmark(&self.digits(settings.used(), raw)?, seed)
            }
            Dataset::SameMnist(settings) => {
                let used = settings.images.saturating_add(settings.held_out_source);
                settings.benchmark(&self.digits(used, raw)?, seed)
            }
            Dataset::ColorShiftMnist(settings) => {
                settings.benchmark(&self.digits(settings.used(), raw)?, seed)
            }
            Dataset::Portraits(settings) => settings.benchmark(&raw.portraits()?, seed),
            Dataset::Census(settings) => settings.benchmark(&raw.census(settings)?, seed),
            Dataset::Covertype(settings) => settings.benchmark(&raw.covertype(settings)?, seed),
            Dataset::Table(settings) => settings.benchmark(&raw.table(settings)?, seed),
            Dataset::Scored(scored) => scored.benchmark(data_seed, raw),
            Dataset::Rehearsed(rehearsed) => rehearsed.benchmark(data_seed, raw),
        }
    }

    /// What the benchmark leaves unused, drifted like its target, if it is of a kind that leaves any.
    pub(super) fn unused_target(
        &self,
        data_seed: u64,
        raw: &RawData,
    ) -> Result<Option<LabeledDomain>> {
        let (Dataset::RotatingMnist(settings) | Dataset::RotatingFashionMnist(settings)) = self
        else {
            return Ok(None);
        };
        let more = settings.used().saturating_add(settings.target);
        let digits = self.digits(more, raw)?;
        let seed = Seed::new(data_seed).named("data");
        settings.unused_target(&digits, seed).map(Some)
    }

    /// The images that it turns, and at least as many as it needs.
    fn digits(&self, needed: usize, raw: &RawData) -> Result<Digits> {
        let is_fashion = matches!(self, Dataset::RotatingFashionMnist(_));
        match raw {
            RawData::Cache(cache) if is_fashion => cache.fashion_mnist(),
            RawData::Cache(cache) => cache.mnist(),
            RawData::StandIns => stand_in::digits(needed, Seed::new(0)),
            RawData::None if is_fashion => Err(nowhere("Fashion-MNIST")),
            RawData::None => Err(nowhere("MNIST")),
        }
    }

    /// The benchmark itself, where it is only scored in another way or rehearsed.
    fn plain(&self) -> &Dataset {
        match self {
            Dataset::Scored(scored) => scored.data.plain(),
            Dataset::Rehearsed(rehearsed) => rehearsed.data.plain(),
            plain => plain,
        }
    }

    fn table(&self) -> Option<&TableOverTime> {
        match self.plain() {
            Dataset::Table(settings) => Some(settings),
            _ => None,
        }
    }

    /// The catalogue's name of the files that it is made from, if it is not drawn.
    pub fn files(&self) -> Option<&'static str> {
        match self.plain() {
            Dataset::RotatingMnist(_) | Dataset::SameMnist(_) | Dataset::ColorShiftMnist(_) => {
                Some("mnist")
            }
            Dataset::RotatingFashionMnist(_) => Some("fashion-mnist"),
            Dataset::Portraits(_) => Some("portraits"),
            Dataset::Census(_) => Some("census"),
            Dataset::Covertype(_) => Some("covertype"),
            Dataset::Table(settings) => {
                let name = settings.catalog.as_deref()?;
                catalog::find(name).ok().map(|entry| entry.name)
            }
            _ => None,
        }
    }

    /// Refuses files of your own that are not there.
    pub fn expect_files(&self) -> Result<()> {
        self.table().map_or(Ok(()), TableOverTime::expect_files)
    }

    /// A digest of files of your own, where it is made from any and they are there.
    pub fn contents(&self) -> Option<String> {
        self.table()?.contents()
    }

    /// Says what patterns of files are relative to.
    pub fn relative_to(&mut self, folder: &Path) {
        match self {
            Dataset::Table(settings) => settings.folder = folder.to_path_buf(),
            Dataset::Scored(scored) => scored.data.relative_to(folder),
            Dataset::Rehearsed(rehearsed) => rehearsed.data.relative_to(folder),
            _ => {}
        }
    }

    /// Whether every row of the stream is scored on its arrival, and in how many batches.
    pub(super) fn on_arrival(&self) -> Option<Option<NonZeroUsize>> {
        match self {
            Dataset::Scored(scored) if scored.on == ScoredOn::OnArrival => Some(scored.batches),
            _ => None,
        }
    }

    /// Whether its methods are scored on every row of the stream as it arrives.
    pub fn is_scored_on_arrival(&self) -> bool {
        self.on_arrival().is_some()
    }

    /// Refuses settings that cannot work, before anything runs.
    pub fn check(&self) -> Result<()> {
        match self {
            Dataset::Gaussian(settings) => settings.check(),
            Dataset::Constructed(settings) => settings.check(),
            Dataset::ColorShiftMnist(settings) => settings.check(),
            Dataset::Table(settings) => settings.check(),
            Dataset::Scored(scored) => scored.check(),
            Dataset::Rehearsed(rehearsed) => rehearsed.check(),
            _ => Ok(()),
        }
    }

    /// How many unlabelled examples the stream has, where the settings alone tell.
    pub fn stream_length(&self) -> Option<usize> {
        match self {
            Dataset::Scored(scored) => scored.data.stream_length(),
            Dataset::Portraits(PortraitsOverTime::Time { .. } | PortraitsOverTime::Back { .. })
            | Dataset::Table(_) => None,
            known => Some(known.sizes().stream),
        }
    }

    /// A smaller version for a quick look.
    pub fn scaled_down(&self, divisor: usize) -> Dataset {
        match self {
            Dataset::Gaussian(settings) => Dataset::Gaussian(settings.scaled_down(divisor)),
            Dataset::Constructed(settings) => Dataset::Constructed(settings.scaled_down(divisor)),
            Dataset::RotatingMnist(settings) => {
                Dataset::RotatingMnist(settings.scaled_down(divisor))
            }
            Dataset::RotatingFashionMnist(settings) => {
                Dataset::RotatingFashionMnist(settings.scaled_down(divisor))
            }
            Dataset::SameMnist(settings) => Dataset::SameMnist(settings.scaled_down(divisor)),
            Dataset::ColorShiftMnist(settings) => {
                Dataset::ColorShiftMnist(settings.scaled_down(divisor))
            }
            Dataset::Portraits(settings) => Dataset::Portraits(settings.scaled_down(divisor)),
            Dataset::Census(settings) => Dataset::Census(settings.scaled_down(divisor)),
            Dataset::Covertype(settings) => Dataset::Covertype(settings.scaled_down(divisor)),
            Dataset::Table(settings) => Dataset::Table(Box::new(settings.scaled_down(divisor))),
            Dataset::Scored(scored) => Dataset::Scored(Scored {
                on: scored.on,
                batches: scored.batches,
                data: Box::new(scored.data.scaled_down(divisor)),
            }),
            Dataset::Rehearsed(rehearsed) => Dataset::Rehearsed(rehearsed.scaled_down(divisor)),
        }
    }
}

/// As many as the dated portraits, of which the settings take one in this many.
const STAND_IN_PORTRAITS: usize = 27_849;

impl RawData {
    fn portraits(&self) -> Result<Portraits> {
        match self {
            RawData::Cache(cache) => cache.portraits(),
            RawData::StandIns => stand_in::portraits(STAND_IN_PORTRAITS, Seed::new(0)),
            RawData::None => Err(nowhere("Portraits")),
        }
    }

    fn census(&self, settings: &CensusByYear) -> Result<Census> {
        match self {
            RawData::Cache(cache) => Census::read(&cache.files("census")?),
            RawData::StandIns => {
                let used = settings.source + settings.held_out_source + settings.intermediate;
                stand_in::census(used, Seed::new(0))
            }
            RawData::None => Err(nowhere("the census")),
        }
    }

    fn covertype(&self, settings: &CovertypeByDistance) -> Result<Covertype> {
        match self {
            RawData::Cache(cache) => cache.covertype(),
            RawData::StandIns => {
                // A part of the stand-in's rows is of a class that is left out.
                stand_in::covertype(settings.used().saturating_mul(2), Seed::new(0))
            }
            RawData::None => Err(nowhere("Covertype")),
        }
    }

    /// Files of your own need no cache; they have a stand-in only where they are absent.
    fn table(&self, settings: &TableOverTime) -> Result<TableParts> {
        match self {
            RawData::Cache(cache) => settings.read(Some(cache)),
            RawData::StandIns if !settings.has_files() => stand_in::table(settings, Seed::new(0)),
            RawData::StandIns | RawData::None => settings.read(None),
        }
    }
}

fn nowhere(name: &str) -> Error {
    Error::mismatch(
        "the plan",
        format!("a cache that holds {name}"),
        "none: call `Experiment::reading_from`",
    )
}
