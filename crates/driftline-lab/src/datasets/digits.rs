//! Images with one of ten labels, as MNIST and Fashion-MNIST hold them.

use std::path::Path;

use super::image::GreyImages;
use driftline_core::data::Labels;
use driftline_core::{Error, Result};
use driftline_io::formats::idx::Idx;

/// Labelled grey images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    images: GreyImages,
    labels: Labels,
}

impl Digits {
    pub const CLASSES: usize = 10;

    pub fn new(images: GreyImages, labels: Labels) -> Result<Self> {
        if images.len() != labels.len() {
            return Err(Error::mismatch(
                "the labels",
                format!("{} rows, as many as the images", images.len()),
                labels.len(),
            ));
        }
        Ok(Self { images, labels })
    }

    /// Reads two IDX files, plain or gzip.
    pub fn read(images: &Path, labels: &Path) -> Result<Self> {
        let pictures = GreyImages::from_idx(Idx::read(images)?, images)?;
        let classes = read_classes(labels)?;
        let in_file = |error: Error| Error::corrupt(labels, error.to_string());
        let classes = Labels::new(classes, Self::CLASSES).map_err(in_file)?;
        Self::new(pictures, classes).map_err(in_file)
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub fn images(&self) -> &GreyImages {
        &self.images
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }
}

/// An IDX file with one byte per example.
pub(super) fn read_classes(path: &Path) -> Result<Vec<u32>> {
    let (dimensions, classes) = Idx::read(path)?.into_bytes(path)?;
    if dimensions.len() != 1 {
        return Err(Error::corrupt(
            path,
            format!("has {} dimensions, but labels have 1", dimensions.len()),
        ));
    }
    Ok(classes.into_iter().map(u32::from).collect())
}

#[cfg(test)]
pub(super) mod fixture {
    use super::*;

    /// `n` small images of which no two are alike, with classes in turn.
    pub fn digits(n: usize) -> Digits {
        let pixels = (0..n * 16).map(|at| (at * 37 % 251) as u8).collect();
        let images = GreyImages::new(4, 4, pixels).unwrap();
        let classes = (0..n).map(|at| (at % Digits::CLASSES) as u32).collect();
        Digits::new(images, Labels::new(classes, Digits::CLASSES).unwrap()).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_do_not_belong_together_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = |name: &str, dimensions: &[usize], values: Vec<u8>| {
            let path = folder.path().join(name);
            let idx = Idx::of_bytes(dimensions.to_vec(), values).unwrap();
            std::fs::write(&path, idx.encode()).unwrap();
            path
        };
        let images = store("images", &[3, 2, 2], vec![9; 12]);
        let labels = store("labels", &[3], vec![0, 9, 4]);
        let digits = Digits::read(&images, &labels).unwrap();
        assert_eq!(digits.labels().as_slice(), [0, 9, 4]);
        assert_eq!(digits.images().get(2), [9; 4]);
        for labels in [
            store("few", &[2], vec![0, 1]),
            store("class", &[3], vec![0, 1, 10]),
            store("square", &[3, 1], vec![0, 1, 2]),
            images.clone(),
        ] {
            let error = Digits::read(&images, &labels).unwrap_err().to_string();
            assert!(error.starts_with(labels.to_str().unwrap()), "{error}");
        }
        assert!(Digits::read(&labels, &labels).is_err());
    }
}
