//! Many grey images of one size, as bytes.

use std::path::Path;
use std::sync::Arc;

use driftline_core::data::Shape;
use driftline_core::{Error, Result};
use driftline_io::formats::idx::Idx;

/// Images of `height`×`width` bytes, 0 black and 255 white, one after another. Clones share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreyImages {
    height: usize,
    width: usize,
    pixels: Arc<Vec<u8>>,
}

impl GreyImages {
    pub fn new(height: usize, width: usize, pixels: Vec<u8>) -> Result<Self> {
        let size = height.saturating_mul(width);
        if size == 0 {
            return Err(Error::out_of_range(
                "the size of an image",
                format!("{height}×{width}"),
                "at least 1×1",
            ));
        }
        if !pixels.len().is_multiple_of(size) {
            return Err(Error::mismatch(
                "the array of images",
                format!("a multiple of {size} pixels"),
                pixels.len(),
            ));
        }
        Ok(Self {
            height,
            width,
            pixels: Arc::new(pixels),
        })
    }

    /// Takes an array of n×height×width bytes; `path` names the file in errors.
    pub fn from_idx(idx: Idx, path: &Path) -> Result<Self> {
        let (dimensions, pixels) = idx.into_bytes(path)?;
        let &[_, height, width] = dimensions.as_slice() else {
            return Err(Error::corrupt(
                path,
                format!(
                    "has {} dimensions, but images have 3: number, height, width",
                    dimensions.len()
                ),
            ));
        };
        Self::new(height, width, pixels).map_err(|error| Error::corrupt(path, error.to_string()))
    }

    pub fn len(&self) -> usize {
        self.pixels.len() / (self.height * self.width)
    }

    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    pub fn height(&self) -> usize {
        self.height
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn shape(&self) -> Shape {
        Shape::Image {
            height: self.height,
            width: self.width,
            channels: 1,
        }
    }

    pub fn get(&self, index: usize) -> &[u8] {
        let size = self.height * self.width;
        &self.pixels[index * size..(index + 1) * size]
    }

    /// The images `indices`, in that order.
    pub fn pick(&self, indices: &[usize]) -> GreyImages {
        let pixels = indices.iter().flat_map(|&index| self.get(index)).copied();
        GreyImages {
            pixels: Arc::new(pixels.collect()),
            ..*self
        }
    }

    /// All pixels, image after image.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The images `indices`, in that order, with values from 0 to 1.
    pub fn scaled(&self, indices: impl IntoIterator<Item = usize>) -> Vec<f32> {
        indices
            .into_iter()
            .flat_map(|index| self.get(index))
            .map(|&pixel| f32::from(pixel) / 255.0)
            .collect()
    }
}
