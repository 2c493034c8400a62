//! Yearbook portraits (Ginosar et al. 2015), 32×32 grey, sorted by year: which of two genders was recorded, over a
//! century of changing fashions. The images show real people: they are read where the user keeps them, never shipped.

#[cfg(feature = "images")]
mod archive;
mod split;

use std::path::Path;

use super::digits::read_classes;
use super::image::GreyImages;
use driftline_core::data::{Inputs, Labels};
use driftline_core::{Error, Result};
use driftline_io::formats::idx::Idx;

#[cfg(feature = "images")]
pub use archive::{PortraitArchive, read_archive};
pub use split::PortraitsOverTime;

/// Dated portraits, the oldest first; class 0 is the archive's folder F, class 1 its folder M.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portraits {
    images: GreyImages,
    labels: Labels,
    years: Vec<i16>,
}

impl Portraits {
    /// Height and width of every portrait, in pixels.
    pub const SIDE: usize = 32;

    /// Those up to the year `until`, the newest first.
    fn back_from(&self, until: i16) -> Portraits {
        let end = self.years.partition_point(|&year| year <= until);
        self.pick(&(0..end).rev().collect::<Vec<usize>>())
    }

    fn pick(&self, places: &[usize]) -> Portraits {
        Portraits {
            images: self.images.pick(places),
            labels: self.labels.pick(places),
            years: places.iter().map(|&at| self.years[at]).collect(),
        }
    }

    /// Sorts by year; portraits of one year stay in the order given.
    pub fn new(images: GreyImages, labels: Labels, years: Vec<i16>) -> Result<Self> {
        let side = Self::SIDE;
        if (images.height(), images.width()) != (side, side) {
            return Err(Error::mismatch(
                "a portrait",
                format!("{side}×{side} pixels"),
                format!("{}×{}", images.height(), images.width()),
            ));
        }
        for (what, n) in [("the labels", labels.len()), ("the years", years.len())] {
            if n != images.len() {
                return Err(Error::mismatch(
                    what,
                    format!("{} rows, as many as the portraits", images.len()),
                    n,
                ));
            }
        }
        let portraits = Self {
            images,
            labels,
            years,
        };
        if portraits.years.is_sorted() {
            return Ok(portraits);
        }
        let mut order: Vec<usize> = (0..portraits.len()).collect();
        order.sort_by_key(|&at| portraits.years[at]);
        Ok(portraits.pick(&order))
    }

    /// Reads three IDX files, plain or gzip: images, labels, and years as 16-bit integers.
    pub fn read(images: &Path, labels: &Path, years: &Path) -> Result<Self> {
        let pictures = GreyImages::from_idx(Idx::read(images)?, images)?;
        let classes = Labels::new(read_classes(labels)?, 2)
            .map_err(|error| Error::corrupt(labels, error.to_string()))?;
        let dates = Idx::read(years)?;
        let (Some(values), [_]) = (dates.shorts(), dates.dimensions()) else {
            return Err(Error::corrupt(
                years,
                "should be one list of 16-bit integers, the years",
            ));
        };
        Self::new(pictures, classes, values)
            .map_err(|error| Error::corrupt(images, error.to_string()))
    }

    /// The three files that [`Portraits::read`] reads, uncompressed: images, labels, years.
    pub fn encode(&self) -> Result<[Vec<u8>; 3]> {
        let n = self.len();
        let classes = self.labels.as_slice().iter().map(|&class| class as u8);
        let pixels = self.images.pixels().to_vec();
        Ok([
            Idx::of_bytes(vec![n, Self::SIDE, Self::SIDE], pixels)?.encode(),
            Idx::of_bytes(vec![n], classes.collect())?.encode(),
            Idx::of_shorts(vec![n], &self.years)?.encode(),
        ])
    }

    /// The first of every `n` portraits.
    pub fn one_in(&self, n: std::num::NonZeroUsize) -> Portraits {
        self.pick(&(0..self.len()).step_by(n.get()).collect::<Vec<usize>>())
    }

    pub fn len(&self) -> usize {
        self.years.len()
    }

    pub fn is_empty(&self) -> bool {
        self.years.is_empty()
    }

    pub fn years(&self) -> &[i16] {
        &self.years
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    fn inputs(&self, indices: &[usize]) -> Result<Inputs> {
        let values = self.images.scaled(indices.iter().copied());
        Inputs::new(values, self.images.shape())
    }
}

#[cfg(test)]
mod fixture {
    use super::*;

    /// One portrait per year given, uniformly grey, with classes in turn.
    pub fn portraits(years: &[i16]) -> Portraits {
        let side = Portraits::SIDE;
        let pixels = (0..years.len()).flat_map(|at| vec![at as u8; side * side]);
        let images = GreyImages::new(side, side, pixels.collect()).unwrap();
        let classes = (0..years.len() as u32).map(|at| at % 2).collect();
        Portraits::new(images, Labels::new(classes, 2).unwrap(), years.to_vec()).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_by_year_is_stable() {
        let portraits = fixture::portraits(&[1950, 1930, 1950, 1930, 1905]);
        assert_eq!(portraits.years(), [1905, 1930, 1930, 1950, 1950]);
        let order: Vec<u8> = (0..5).map(|at| portraits.images.get(at)[0]).collect();
        assert_eq!(order, [4, 1, 3, 0, 2]);
        assert_eq!(portraits.labels().as_slice(), [0, 1, 1, 0, 0]);
    }

    #[test]
    fn files_read_back() {
        let portraits = fixture::portraits(&[1910, 1911, 1912]);
        let folder = tempfile::tempdir().unwrap();
        let paths = ["images", "labels", "years"].map(|name| folder.path().join(name));
        for (path, bytes) in paths.iter().zip(portraits.encode().unwrap()) {
            std::fs::write(path, bytes).unwrap();
        }
        let [images, labels, years] = &paths;
        assert_eq!(Portraits::read(images, labels, years).unwrap(), portraits);
        let error = Portraits::read(images, labels, labels).unwrap_err();
        assert!(error.to_string().contains("16-bit"), "{error}");
        assert!(Portraits::read(labels, labels, years).is_err());
        assert!(Portraits::read(images, images, years).is_err());
    }
}
