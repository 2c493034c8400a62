//! One image file into pixels from 0 to 1, of one size and with one or three channels.

use std::path::Path;

use super::jpeg::is_cut_off;
use super::picture::{Picture, PictureLimits, Pixels};
use crate::panics::catch_panics;
use crate::{Colour, ImageOptions, Limits};
use driftline_core::data::Shape;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// What every image becomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    height: u32,
    width: u32,
    colour: Colour,
    /// Whether other sizes are brought to this one; else they are refused.
    pub resize: bool,
    /// Whether the user asked for grey; else a coloured image among grey ones is refused.
    convert: bool,
}

/// Wider or higher images are refused, and those that take more memory than this.
const LARGEST_SIDE: u32 = 16_384;
const LARGEST: u64 = 256 << 20;

impl Target {
    /// What the options ask for; what they leave open, the first image decides.
    pub fn choose(first: &Path, options: &ImageOptions, limits: &Limits) -> Result<Self> {
        if let Some((height, width)) = options.size
            && !((1..=LARGEST_SIDE).contains(&height) && (1..=LARGEST_SIDE).contains(&width))
        {
            return Err(Error::out_of_range(
                "the size of an image",
                format!("{height}×{width}"),
                format!("from 1×1 to {LARGEST_SIDE}×{LARGEST_SIDE}"),
            ));
        }
        let picture = decode(first, limits)?;
        let (height, width) = options.size.unwrap_or((picture.height, picture.width));
        let own = if picture.is_grey() {
            Colour::Grey
        } else {
            Colour::Rgb
        };
        Ok(Self {
            height,
            width,
            colour: options.colour.unwrap_or(own),
            resize: options.size.is_some() && !options.exact,
            convert: options.colour.is_some(),
        })
    }

    pub fn shape(&self) -> Shape {
        Shape::Image {
            height: self.height as usize,
            width: self.width as usize,
            channels: self.colour.channels(),
        }
    }

    pub fn read(&self, path: &Path, limits: &Limits) -> Result<Vec<f32>> {
        let picture = decode(path, limits)?;
        if (picture.height, picture.width) != (self.height, self.width) && !self.resize {
            return Err(DataFault::new(
                path,
                format!(
                    "is {}×{}, but the others are {}×{}",
                    picture.height, picture.width, self.height, self.width
                ),
            )
            .help(
                "bring all to one size with {image-size} HEIGHTxWIDTH, where the source is fitted",
            )
            .into());
        }
        catch_panics(path, || self.pixels(path, picture))
    }

    fn pixels(&self, path: &Path, picture: Picture) -> Result<Vec<f32>> {
        if self.colour == Colour::Grey && !self.convert && !picture.is_grey() {
            return Err(
                DataFault::new(path, "is a colour image, but the others are grey")
                    .help("choose with {image-colour} grey or rgb, where the source is fitted")
                    .into(),
            );
        }
        let unit = |byte: u8| f32::from(byte) / 255.0;
        let pixels = picture.resized(self.height, self.width).pixels;
        Ok(match (self.colour, pixels) {
            (Colour::Grey, Pixels::Grey(grey)) => grey.into_iter().map(unit).collect(),
            (Colour::Grey, Pixels::Rgb(rgb)) => {
                rgb.into_iter().map(|pixel| unit(luma(pixel))).collect()
            }
            (Colour::Rgb, pixels) => {
                let samples = pixels.into_rgb().into_flattened();
                samples.into_iter().map(unit).collect()
            }
        })
    }
}

/// The luma of ITU-R 601 in 16-bit fixed point, the usual way to grey: 0.299 R + 0.587 G + 0.114 B.
pub fn luma([red, green, blue]: [u8; 3]) -> u8 {
    let [red, green, blue] = [red, green, blue].map(u32::from);
    ((red * 19_595 + green * 38_470 + blue * 7_471 + 0x8000) >> 16) as u8
}

fn decode(path: &Path, limits: &Limits) -> Result<Picture> {
    let length = std::fs::metadata(path).map_err(Error::io(path))?.len();
    let refused = |message: String| {
        DataFault::new(path, message).help("the image is damaged or cut off, or is no PNG or JPEG")
    };
    if length > limits.unpacked {
        return Err(refused(format!("has {length} bytes")).into());
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    if is_cut_off(&bytes) {
        return Err(refused("is cut off: its end is missing".into()).into());
    }
    let bounds = PictureLimits {
        side: LARGEST_SIDE,
        bytes: limits.unpacked.min(LARGEST),
    };
    catch_panics(path, || {
        Picture::decode(&bytes, bounds)
            .map_err(|error| refused(format!("cannot be decoded: {error}")).into())
    })
}
