//! The shape of one example.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A feature vector, or an image stored row by row with its channels last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    Vector(usize),
    Image {
        height: usize,
        width: usize,
        channels: usize,
    },
}

impl Shape {
    /// How many numbers one example has, if there are any and not beyond reason: for shapes that were read from a file.
    pub fn checked_size(self) -> Option<usize> {
        const MOST: usize = 1 << 28;
        let [height, width, channels] = self.volume();
        let size = height.checked_mul(width)?.checked_mul(channels)?;
        (1..=MOST).contains(&size).then_some(size)
    }

    /// The same, with a message that says what is wrong.
    pub fn within_reason(self) -> Result<usize, String> {
        let reason = || format!("takes {self:?}, which is empty or beyond reason");
        self.checked_size().ok_or_else(reason)
    }

    /// Refuses this shape where another is expected.
    pub(super) fn expect(self, expected: Shape) -> Result<()> {
        match self == expected {
            true => Ok(()),
            false => Err(Error::mismatch("one example", expected, self)),
        }
    }

    /// How many numbers one example has.
    pub const fn size(self) -> usize {
        let [height, width, channels] = self.volume();
        height * width * channels
    }

    /// Height, width, channels; a vector is one pixel with its features as channels.
    pub const fn volume(self) -> [usize; 3] {
        match self {
            Shape::Vector(features) => [1, 1, features],
            Shape::Image {
                height,
                width,
                channels,
            } => [height, width, channels],
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Vector(size) => write!(f, "{size} features"),
            Shape::Image {
                height,
                width,
                channels,
            } => {
                let plural = if *channels == 1 { "" } else { "s" };
                write!(f, "{height}×{width} pixels with {channels} channel{plural}")
            }
        }
    }
}
