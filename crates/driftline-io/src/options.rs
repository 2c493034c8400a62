//! How files are read: what the user may fix instead of having it detected, and the limits that no file may exceed.

use serde::{Deserialize, Serialize};

use driftline_core::Cancel;
use driftline_core::data::Shape;

/// What to read of a file, and how. The default detects everything and reads all columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// CSV: the byte between fields.
    pub delimiter: Option<u8>,
    /// CSV: numbers are written with a comma before their decimals (3,14) instead of a point.
    pub decimal_comma: bool,
    /// CSV: how characters are written, if that is not to be detected.
    pub encoding: Option<TextEncoding>,
    /// CSV: whether the first line names the columns.
    pub header: Option<bool>,
    /// Only these columns; all if none. Names that the file lacks are passed over.
    pub columns: Option<Vec<String>>,
    /// Columns to give as text as it stands even if they look like numbers: labels and identifiers, which may be called `NA`.
    pub text: Vec<String>,
    /// Columns to give as text in which `NA` and the like mean that there is no value: categories.
    pub categories: Vec<String>,
    /// Columns of which only this must be known: that every value is a number, not farther from 0 than so much. For such
    /// a value a reader may give 0.
    pub only_checked: Vec<(String, f64)>,
    pub images: ImageOptions,
    pub limits: Limits,
    /// Hash the files while they are read: [`Batches::digests`](super::Batches::digests) gives the result at their end.
    pub digest: bool,
    /// Asked before every frame.
    pub cancel: Cancel,
}

/// How a text file writes characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    Utf8,
    /// Windows' western European one, of which Latin-1 is a part.
    Cp1252,
}

/// What images are brought to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ImageOptions {
    /// Height and width that every image is resized to. Without it all must have the size of the first.
    pub size: Option<(u32, u32)>,
    /// Refuse images of another size than `size` instead of resizing them.
    pub exact: bool,
    /// Without it, grey if the first image is.
    pub colour: Option<Colour>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    Grey,
    Rgb,
}

/// What a file may ask for before it is refused. Checked before memory is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Columns of a table.
    pub columns: usize,
    /// Bytes of one line or record of text.
    pub record: u64,
    /// Bytes of all arrays of a file, of one row group or of one image, unpacked.
    pub unpacked: u64,
    /// Bytes of the rows held in memory at once: a source, a window, an unsorted part of a stream.
    pub memory: u64,
    /// Different texts in one column that is to be one-hot encoded.
    pub categories: usize,
    /// Classes in the label column.
    pub classes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            columns: 100_000,
            record: 16 << 20,
            unpacked: 4 << 30,
            memory: 4 << 30,
            categories: 1_000,
            classes: 10_000,
        }
    }
}

impl ReadOptions {
    /// Whether a column is to be read.
    pub fn wants(&self, name: &str) -> bool {
        let chosen = self.columns.as_ref();
        chosen.is_none_or(|columns| columns.iter().any(|column| column == name))
    }

    /// Whether a column is to be given as text whatever it holds.
    pub(crate) fn is_text(&self, name: &str) -> bool {
        let named = |all: &[String]| all.iter().any(|own| own == name);
        named(&self.text) || named(&self.categories)
    }

    /// The same, within so many bytes of rows, and stopped by `cancel`.
    pub fn limited(&self, memory: u64, cancel: &Cancel) -> Self {
        let mut options = self.clone();
        options.limits.memory = options.limits.memory.min(memory);
        options.cancel = cancel.clone();
        options
    }
}

impl ImageOptions {
    /// Brings every image to one size.
    pub fn resized(height: u32, width: u32) -> Self {
        Self {
            size: Some((height, width)),
            ..Self::default()
        }
    }

    /// What a source of this shape asks of later images.
    pub(crate) fn of(shape: Shape, resize: bool) -> Self {
        let Shape::Image {
            height,
            width,
            channels,
        } = shape
        else {
            return Self::default();
        };
        Self {
            size: Some((height as u32, width as u32)),
            exact: !resize,
            colour: Some(if channels == 1 {
                Colour::Grey
            } else {
                Colour::Rgb
            }),
        }
    }
}

impl Colour {
    pub fn channels(self) -> usize {
        match self {
            Colour::Grey => 1,
            Colour::Rgb => 3,
        }
    }
}
